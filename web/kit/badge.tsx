/** Small labels of state or category. */
import * as React from "react";
import { cva } from "class-variance-authority";
import { cn } from "./lib/cn.js";
import { dom, wrapped, type Loose } from "./lib/node.js";
import type { Html, Other, Tone } from "./lib/props.js";

export interface BadgeProps extends Html<"span", "color"> {
  variant?: "solid" | "outline" | Tone;
  /** The colour. */
  tone?: Tone;
  /** The same as `tone`. */
  color?: Tone | Other;
  /** The text, when there are no children. */
  label?: React.ReactNode;
}

export const badgeVariants = cva(
  "inline-flex w-fit shrink-0 items-center gap-1 rounded-full border px-2 py-0.5 text-xs leading-4 font-medium whitespace-nowrap",
  {
    variants: {
      variant: {
        default: "border-transparent bg-primary text-primary-foreground",
        secondary: "border-transparent bg-surface-3 text-fg",
        destructive: "border-transparent bg-destructive text-destructive-foreground",
        outline: "border-border text-fg",
        success: "border-success/30 bg-success/10 text-success",
        warn: "border-warn/30 bg-warn/10 text-warn",
        danger: "border-danger/30 bg-danger/10 text-danger",
        accent: "border-accent/30 bg-accent/10 text-accent",
        purple: "border-series-4/30 bg-series-4/10 text-series-4",
        muted: "border-border bg-surface-2 text-muted-foreground",
      },
    },
    defaultVariants: { variant: "default" },
  },
) as (options?: { variant?: BadgeVariant | null; className?: string }) => string;

export type BadgeVariant =
  "default" | "secondary" | "destructive" | "outline" | "success" | "warn" | "danger" | "accent" | "purple" | "muted";

const LOOK: Record<string, BadgeVariant> = {
  default: "default",
  primary: "default",
  solid: "default",
  secondary: "secondary",
  destructive: "destructive",
  outline: "outline",
  success: "success",
  green: "success",
  positive: "success",
  warn: "warn",
  warning: "warn",
  orange: "warn",
  yellow: "warn",
  amber: "warn",
  danger: "danger",
  error: "danger",
  red: "danger",
  negative: "danger",
  blue: "accent",
  accent: "accent",
  info: "accent",
  purple: "purple",
  violet: "purple",
  muted: "muted",
  gray: "muted",
  grey: "muted",
  neutral: "muted",
};

/** A badge. `tone` sets its colour, `variant` its weight; either takes the other's words. */
export function Badge(props: BadgeProps): React.ReactNode;
export function Badge({
  variant,
  tone,
  color,
  label,
  className,
  children,
  ...rest
}: React.HTMLAttributes<HTMLSpanElement> & Loose) {
  const look = LOOK[tone ?? color] ?? LOOK[variant] ?? "default";
  return (
    <span data-slot="badge" {...dom(rest)} className={cn(badgeVariants({ variant: look }), className)}>
      {children === undefined ? label : wrapped(children)}
    </span>
  );
}
