/** Progress, waiting and placeholders. */
import * as React from "react";
import * as Primitive from "@radix-ui/react-progress";
import { cn } from "./lib/cn.js";
import { dom, node, part, textOf, type Loose } from "./lib/node.js";
import type { Html, Other, Part, Tone } from "./lib/props.js";

export interface ProgressProps extends Html<"div", "color"> {
  value?: number | string | null;
  /** What is all of it; 100 unless said. */
  max?: number;
  label?: React.ReactNode;
  /** Shows how much is done; text is shown as it is. */
  showValue?: boolean | React.ReactNode;
  tone?: Tone;
  /** The same as `tone`. */
  variant?: Tone;
  /** The same as `tone`. */
  color?: Tone | Other;
}
export interface SpinnerProps extends Html<"span"> {
  size?: "xs" | "sm" | "md" | "lg" | Other;
  label?: React.ReactNode;
}

const FILL: Record<string, string> = {
  success: "bg-success",
  green: "bg-success",
  danger: "bg-danger",
  destructive: "bg-danger",
  red: "bg-danger",
  warn: "bg-warn",
  warning: "bg-warn",
  orange: "bg-warn",
  muted: "bg-muted-foreground",
};

/** A bar filled to `value` of `max` (100); without a value it shows that something is going on. */
export function Progress(props: ProgressProps): React.ReactNode;
export function Progress({ value, max, label, showValue, tone, variant, color, className, ...rest }: Loose) {
  const top = Number(max) > 0 ? Number(max) : 100;
  const asked = typeof value === "string" ? Number.parseFloat(value) : Number(value ?? Number.NaN);
  const known = Number.isFinite(asked);
  const at = known ? Math.min(top, Math.max(0, asked)) : null;
  const percent = known ? ((at as number) / top) * 100 : 35;
  const bar = (
    <Primitive.Root
      data-slot="progress"
      aria-label={textOf(label) || "Progress"}
      {...dom(rest)}
      value={at}
      max={top}
      className={cn("relative h-2 w-full overflow-hidden rounded-full bg-surface-3", className)}
    >
      <Primitive.Indicator
        className={cn(
          "h-full rounded-full bg-primary transition-all",
          FILL[tone ?? variant ?? color],
          !known && "ui4a-indeterminate",
        )}
        style={{ width: `${percent}%` }}
      />
    </Primitive.Root>
  );
  if (label === undefined && !showValue) return bar;
  return (
    <div className="flex w-full min-w-0 flex-col gap-1.5">
      <div className="flex items-baseline justify-between gap-2 text-sm">
        <span className="font-medium">{node(label)}</span>
        {known && <span className="text-xs text-muted-foreground tabular-nums">{Math.round(percent)}%</span>}
      </div>
      {bar}
    </div>
  );
}

/** A grey shape where content will be. */
export const Skeleton: Part<"div"> = part("div", "skeleton", (given) =>
  cn("ui4a-pulse min-h-4 rounded-md bg-surface-3", given),
);

const SPINNER: Record<string, string> = { sm: "text-sm", md: "text-base", lg: "text-2xl", xl: "text-4xl" };

/** A turning ring that a screen reader announces. */
export function Spinner(props: SpinnerProps): React.ReactNode;
export function Spinner({ size, label, className, ...rest }: Loose) {
  return (
    <span
      role="status"
      data-slot="spinner"
      {...dom(rest)}
      className={cn("inline-flex items-center gap-2 text-muted-foreground", SPINNER[size], className)}
    >
      <span aria-hidden="true" className="ui4a-spinner" />
      {label ? <span className="text-sm">{node(label)}</span> : <span className="sr-only">Loading</span>}
    </span>
  );
}
