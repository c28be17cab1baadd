/** Messages that stand out. */
import * as React from "react";
import CircleAlert from "lucide-react/icons/circle-alert";
import CircleCheck from "lucide-react/icons/circle-check";
import Info from "lucide-react/icons/info";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { cn } from "./lib/cn.js";
import { dom, flat, icon as asIcon, node, part, wrapped, type Loose } from "./lib/node.js";
import type { Html, Icon, Part, Tone } from "./lib/props.js";

export interface AlertProps extends Html<"div", "title"> {
  /** What kind of message it is; it chooses the colour and the icon. */
  variant?: Tone;
  /** The same as `variant`. */
  tone?: AlertProps["variant"];
  /** The same as `variant`. */
  type?: AlertProps["variant"];
  /** The same as `variant`. */
  status?: AlertProps["variant"];
  title?: React.ReactNode;
  description?: React.ReactNode;
  /** An icon instead of the usual one; `false` for none. */
  icon?: Icon | false;
}

type Kind = "default" | "info" | "success" | "warn" | "danger";

const KIND: Record<string, Kind> = {
  default: "default",
  muted: "default",
  info: "info",
  accent: "info",
  blue: "info",
  success: "success",
  green: "success",
  warn: "warn",
  warning: "warn",
  orange: "warn",
  yellow: "warn",
  danger: "danger",
  destructive: "danger",
  error: "danger",
  red: "danger",
};
const LOOK: Record<Kind, string> = {
  default: "border-border bg-card",
  info: "border-accent/30 bg-accent/5",
  success: "border-success/30 bg-success/5",
  warn: "border-warn/30 bg-warn/5",
  danger: "border-danger/30 bg-danger/5",
};
const MARK: Record<Kind, string> = {
  default: "text-muted-foreground",
  info: "text-accent",
  success: "text-success",
  warn: "text-warn",
  danger: "text-danger",
};
const ICON = { default: Info, info: Info, success: CircleCheck, warn: TriangleAlert, danger: CircleAlert };

/** A message; `title` and `description` do without the parts. It has an icon of its kind unless it holds one. */
export function Alert(props: AlertProps): React.ReactNode;
export function Alert({ variant, tone, type, status, title, description, icon, className, children, ...rest }: Loose) {
  const kind = KIND[variant ?? tone ?? type ?? status] ?? "default";
  const Mark = ICON[kind];
  const holdsIcon = flat(children).some(
    (child) =>
      React.isValidElement(child) &&
      (child.type === "svg" || (typeof child.type === "object" && child.type !== AlertTitle)),
  );
  return (
    <div
      data-slot="alert"
      role={kind === "danger" || kind === "warn" ? "alert" : "status"}
      {...dom(rest)}
      className={cn("flex min-w-0 items-start gap-3 rounded-lg border px-4 py-3 text-sm", LOOK[kind], className)}
    >
      {icon !== false && icon !== null && !holdsIcon && (
        <span className={cn("mt-0.5 shrink-0", MARK[kind])} data-icon="">
          {icon === undefined ? <Mark className="h-4 w-4" /> : asIcon(icon)}
        </span>
      )}
      <div className={cn("flex min-w-0 flex-1 flex-col gap-1", holdsIcon && "ui4a-alert-body")}>
        {title !== undefined && <AlertTitle>{node(title)}</AlertTitle>}
        {description !== undefined && <AlertDescription>{node(description)}</AlertDescription>}
        {wrapped(children)}
      </div>
    </div>
  );
}

export const AlertTitle: Part<"div"> = part("div", "alert-title", (given) => cn("leading-snug font-medium", given));
export const AlertDescription: Part<"div"> = part("div", "alert-description", (given) =>
  cn("text-sm text-muted-foreground", given),
);
