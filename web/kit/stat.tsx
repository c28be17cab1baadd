/** Single figures with their label. */
import * as React from "react";
import { cn } from "./lib/cn.js";
import { dom, flat, icon as asIcon, node, wrapped, type Loose } from "./lib/node.js";
import { Grid } from "./layout.js";
import type { Html, Icon, Other, Space, Tone } from "./lib/props.js";
import type { GridProps } from "./layout.js";

export interface StatLook extends Html<"div", "title" | "prefix"> {
  value?: React.ReactNode;
  /** The colour of the change; without it the sign of `delta` says. */
  tone?: Tone;
  /** The change, such as `+12%`. */
  delta?: React.ReactNode;
  /** The same as `delta`. */
  change?: React.ReactNode;
  trend?: "up" | "down" | "flat" | Other | React.ReactNode;
  /** A line below the figure. */
  hint?: React.ReactNode;
  /** The same as `hint`. */
  description?: React.ReactNode;
  /** The same as `hint`. */
  helpText?: React.ReactNode;
  unit?: React.ReactNode;
  prefix?: React.ReactNode;
  suffix?: React.ReactNode;
  icon?: Icon;
}
/** A figure says what it is: by its `label`, or `title`, which is the same. */
export type StatProps = StatLook & ({ title: React.ReactNode; label?: React.ReactNode } | { label: React.ReactNode; title?: React.ReactNode });
export interface StatGridProps extends Html<"div"> {
  /** The figures, instead of children. */
  items?: StatProps[];
  /** The same as `items`. */
  stats?: StatProps[];
  cols?: GridProps["cols"];
  /** The same as `cols`. */
  columns?: GridProps["cols"];
  gap?: Space;
}

const VALUE: Record<string, string> = {
  accent: "text-accent",
  primary: "text-accent",
  success: "text-success",
  positive: "text-success",
  green: "text-success",
  danger: "text-danger",
  destructive: "text-danger",
  negative: "text-danger",
  red: "text-danger",
  warn: "text-warn",
  warning: "text-warn",
  orange: "text-warn",
  muted: "text-muted-foreground",
};

/** Which way a change points: by its sign, else by a word beside it. */
function direction(delta: unknown, trend: unknown): "up" | "down" | "flat" {
  const word = String(trend ?? "").toLowerCase();
  if (/^(up|positive|increase|success|good)/.test(word)) return "up";
  if (/^(down|negative|decrease|danger|bad)/.test(word)) return "down";
  const text = typeof delta === "number" ? String(delta) : typeof delta === "string" ? delta.trim() : "";
  if (/^[-−–↓▼]/.test(text)) return "down";
  return /^[+↑▲]|^\d/.test(text) && !/^0([.,]0*)?\s*%?$/.test(text) ? "up" : "flat";
}

function change(delta: unknown): React.ReactNode {
  if (typeof delta !== "number") return node(delta);
  return `${delta > 0 ? "+" : ""}${delta.toLocaleString()}%`;
}

const CHANGE = { up: "text-success", down: "text-danger", flat: "text-muted-foreground" };

/** A figure: label, value, and below them a change (`delta`) and a `hint`. */
export function Stat(props: StatProps): React.ReactNode;
export function Stat({
  label,
  title,
  value,
  tone,
  delta,
  change: changed,
  trend,
  hint,
  description,
  helpText,
  unit,
  prefix,
  suffix,
  icon,
  className,
  children,
  ...rest
}: Loose) {
  const difference = delta ?? changed ?? (typeof trend === "string" && /\d/.test(trend) ? trend : undefined);
  const note = hint ?? description ?? helpText;
  return (
    <div
      data-slot="stat"
      {...dom(rest)}
      className={cn(
        "flex min-w-0 flex-col gap-1 rounded-xl border border-border bg-card p-4 text-card-foreground shadow-xs",
        className,
      )}
    >
      <div className="flex items-center justify-between gap-2 text-sm text-muted-foreground">
        <span className="min-w-0">{node(label ?? title)}</span>
        {icon && (
          <span className="shrink-0" data-icon="">
            {asIcon(icon)}
          </span>
        )}
      </div>
      <div className={cn("text-2xl leading-tight font-semibold tracking-tight break-words tabular-nums", VALUE[tone])}>
        {node(prefix)}
        {typeof value === "number" ? value.toLocaleString() : node(value ?? (children === undefined ? "–" : null))}
        {node(suffix) ?? (unit && <span className="ml-1 text-sm font-normal text-muted-foreground">{node(unit)}</span>)}
        {value === undefined && wrapped(children)}
      </div>
      {(difference !== undefined || note !== undefined) && (
        <div className="flex flex-wrap items-baseline gap-x-1.5 text-xs text-muted-foreground">
          {difference !== undefined && (
            <span className={cn("font-medium tabular-nums", CHANGE[direction(difference, trend)])}>
              {change(difference)}
            </span>
          )}
          {note !== undefined && <span>{node(note)}</span>}
        </div>
      )}
      {value !== undefined && wrapped(children)}
    </div>
  );
}

/** A grid of figures, from children or from `items`/`stats`. It has as many columns as figures, up to four. */
export function StatGrid(props: StatGridProps): React.ReactNode;
export function StatGrid({ items, stats, cols, columns, children, ...rest }: Loose) {
  const list: Loose[] = Array.isArray(items) ? items : Array.isArray(stats) ? stats : [];
  const count = list.length + flat(children).length;
  return (
    <Grid
      {...rest}
      cols={cols ?? columns ?? (count === 3 || (count > 4 && count % 3 === 0) ? 3 : Math.min(Math.max(count, 1), 4))}
      data-slot="stat-grid"
    >
      {list.map((item, at) => (
        <Stat key={at} {...(item as StatProps)} />
      ))}
      {wrapped(children)}
    </Grid>
  );
}
