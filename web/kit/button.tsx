/** Buttons. */
import * as React from "react";
import { Slot } from "@radix-ui/react-slot";
import { cva } from "class-variance-authority";
import { cn } from "./lib/cn.js";
import { dom, icon as asIcon, single, wrapped, type Loose } from "./lib/node.js";
import type { Html, Icon } from "./lib/props.js";

export interface ButtonProps extends Html<"button"> {
  variant?:
    | "primary"
    | "default"
    | "macaron"
    | "solid"
    | "contained"
    | "filled"
    | "accent"
    | "secondary"
    | "soft"
    | "tertiary"
    | "subtle"
    | "light"
    | "outline"
    | "outlined"
    | "bordered"
    | "ghost"
    | "text"
    | "plain"
    | "link"
    | "danger"
    | "destructive"
    | "error"
    | "red"
    | "success"
    | "green";
  /** The same as `variant`. */
  tone?: ButtonProps["variant"];
  size?: ButtonSize | "default" | "small" | "medium" | "large";
  /** As wide as its place. */
  full?: boolean;
  /** The same as `full`. */
  fullWidth?: boolean;
  /** The only child takes the button's looks and props. */
  asChild?: boolean;
  /** Shows a spinner, and cannot be pressed. */
  loading?: boolean;
  /** An icon before the text. */
  icon?: Icon;
  /** The same as `icon`. */
  leftIcon?: Icon;
  /** An icon after the text. */
  rightIcon?: Icon;
  /** The text, when there are no children. */
  label?: React.ReactNode;
  /** Makes it a link. */
  href?: string;
  target?: string;
  rel?: string;
  download?: string | boolean;
}

export const buttonVariants = cva(
  "inline-flex shrink-0 cursor-pointer items-center justify-center gap-2 rounded-md text-sm font-medium whitespace-nowrap transition-colors select-none ui4a-focus disabled:pointer-events-none disabled:opacity-50 aria-disabled:pointer-events-none aria-disabled:opacity-50",
  {
    variants: {
      variant: {
        primary: "bg-primary text-primary-foreground shadow-xs hover:bg-primary/90",
        destructive: "bg-destructive text-destructive-foreground shadow-xs hover:bg-destructive/90",
        outline: "border border-input bg-card text-fg shadow-xs hover:bg-surface-2",
        secondary: "border border-transparent bg-surface-3 text-fg hover:bg-surface-3/70",
        tertiary: "bg-surface-2 text-fg hover:bg-surface-3",
        ghost: "text-fg hover:bg-surface-2",
        link: "text-accent underline-offset-4 hover:underline",
        success: "bg-success text-background shadow-xs hover:bg-success/90",
      },
      size: {
        xs: "h-7 px-2 text-xs",
        sm: "h-8 px-3",
        md: "h-9 px-4",
        lg: "h-10 px-5",
        xl: "h-12 px-6 text-base",
        icon: "h-9 w-9",
      },
    },
    defaultVariants: { variant: "primary", size: "md" },
  },
) as (options?: { variant?: ButtonVariant | null; size?: ButtonSize | null; className?: string }) => string;

export type ButtonVariant =
  "primary" | "destructive" | "outline" | "secondary" | "tertiary" | "ghost" | "link" | "success";
export type ButtonSize = "xs" | "sm" | "md" | "lg" | "xl" | "icon";

const VARIANT: Record<string, ButtonVariant> = {
  primary: "primary",
  default: "primary",
  macaron: "primary",
  solid: "primary",
  contained: "primary",
  filled: "primary",
  accent: "primary",
  destructive: "destructive",
  danger: "destructive",
  error: "destructive",
  red: "destructive",
  outline: "outline",
  outlined: "outline",
  bordered: "outline",
  secondary: "secondary",
  soft: "secondary",
  tertiary: "tertiary",
  subtle: "tertiary",
  light: "tertiary",
  ghost: "ghost",
  text: "ghost",
  plain: "ghost",
  link: "link",
  success: "success",
  green: "success",
};
const SIZE: Record<string, ButtonSize> = {
  xs: "xs",
  sm: "sm",
  small: "sm",
  md: "md",
  default: "md",
  medium: "md",
  lg: "lg",
  large: "lg",
  xl: "xl",
  icon: "icon",
};

/** A button. It never submits a form unless it says `type="submit"` or stands in one without saying otherwise. */
export function Button(props: ButtonProps): React.ReactNode;
export function Button({
  variant,
  tone,
  size,
  full,
  fullWidth,
  asChild,
  loading,
  icon,
  leftIcon,
  rightIcon,
  label,
  className,
  children,
  disabled,
  href,
  ...rest
}: Loose) {
  const classes = cn(
    buttonVariants({ variant: VARIANT[variant ?? tone] ?? "primary", size: SIZE[size] ?? "md" }),
    (full || fullWidth) && "w-full",
    className,
  );
  if (single(asChild, children))
    return (
      <Slot data-slot="button" {...dom(rest)} className={classes}>
        {children}
      </Slot>
    );
  const inside = (
    <>
      {loading ? <span aria-hidden="true" className="ui4a-spinner" /> : asIcon(icon ?? leftIcon)}
      {children === undefined ? label : wrapped(children)}
      {asIcon(rightIcon)}
    </>
  );
  if (typeof href === "string")
    return (
      <a data-slot="button" href={href} {...dom(rest as Loose)} className={classes}>
        {inside}
      </a>
    );
  return (
    <button
      data-slot="button"
      {...dom(rest)}
      disabled={Boolean(disabled || loading)}
      aria-busy={loading ? true : undefined}
      className={classes}
    >
      {inside}
    </button>
  );
}

/** Buttons joined side by side. */
export function ButtonGroup(props: Html<"div">): React.ReactNode;
export function ButtonGroup({ className, children, ...rest }: React.HTMLAttributes<HTMLDivElement> & Loose) {
  return (
    <div
      data-slot="button-group"
      role="group"
      {...dom(rest)}
      className={cn("flex flex-wrap items-center gap-2", className)}
    >
      {wrapped(children)}
    </div>
  );
}
