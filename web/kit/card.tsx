/** Cards. */
import * as React from "react";
import { cn } from "./lib/cn.js";
import { dom, icon, node, part, wrapped, flat, type Loose } from "./lib/node.js";
import { space } from "./lib/space.js";
import { Badge } from "./badge.js";
import { Button } from "./button.js";
import type { Html, Icon, Part, Space } from "./lib/props.js";

export interface CardProps extends Html<"div", "title"> {
  /** Space around what it holds; steps of four pixels, a name, or a CSS length. */
  padding?: Space;
  /** The same as `padding`. */
  p?: Space;
  title?: React.ReactNode;
  description?: React.ReactNode;
  /** Controls beside the title. */
  actions?: React.ReactNode;
  footer?: React.ReactNode;
}
export interface FeatureCardProps extends Html<"div", "title"> {
  title?: React.ReactNode;
  description?: React.ReactNode;
  badges?: React.ReactNode[];
  /** The text of the button; without it there is none. */
  actionLabel?: React.ReactNode;
  onAction?: () => void;
  icon?: Icon;
}

const PARTS = new Set(["card-header", "card-content", "card-footer"]);

/** True when a child is one of the card's own parts, which bring their own padding at the sides. */
function isPart(child: React.ReactNode): boolean {
  return React.isValidElement(child) && PARTS.has(((child.type as Loose)?.slot as string) ?? "");
}

/** A card that is clicked is a button to the keyboard and to a screen reader. */
const CLICKABLE = {
  role: "button",
  tabIndex: 0,
  onKeyDown: (event: React.KeyboardEvent<HTMLDivElement>) => {
    if (event.target !== event.currentTarget || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    event.currentTarget.click();
  },
};

/** A framed group. `title` and `description` make a header without writing the parts. */
export function Card(props: CardProps): React.ReactNode;
export function Card({
  padding,
  p,
  title,
  description,
  actions,
  footer,
  className,
  style,
  children,
  onClick,
  ...rest
}: Loose) {
  const around = space(padding ?? p);
  const parts = flat(children).some(isPart);
  const props = dom({ style, ...rest });
  const ownPadding = around !== undefined || /(^|\s)px?-/.test(String(className ?? ""));
  const edge = parts && !ownPadding ? "16px" : "0px";
  return (
    <div
      data-slot="card"
      {...(typeof onClick === "function" && CLICKABLE)}
      {...props}
      onClick={onClick}
      data-parts={parts && !ownPadding ? "" : undefined}
      className={cn(
        "flex min-w-0 flex-col gap-3 rounded-xl border border-border bg-card text-sm text-card-foreground shadow-xs",
        parts ? "py-4" : "p-4",
        typeof onClick === "function" && "cursor-pointer transition-colors hover:bg-surface-2 ui4a-focus",
        className,
      )}
      style={
        { "--card-pad": edge, ...(around !== undefined && { padding: around }), ...props.style } as React.CSSProperties
      }
    >
      {(title || description || actions) && (
        <div data-slot="card-header" className="flex flex-wrap items-start justify-between gap-2">
          <div className="flex min-w-0 flex-col gap-1">
            {title && <h3 className="text-sm font-semibold">{node(title)}</h3>}
            {description && <p className="text-sm text-muted-foreground">{node(description)}</p>}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2">{node(actions)}</div>}
        </div>
      )}
      {wrapped(children)}
      {footer && (
        <div data-slot="card-footer" className="flex flex-wrap items-center gap-2">
          {node(footer)}
        </div>
      )}
    </div>
  );
}

function cardPart(tag: string, slot: string, classes: string) {
  return Object.assign(
    part(tag, slot, (given) => cn(classes, given)),
    { slot },
  );
}

export const CardHeader: Part<"div"> = cardPart("div", "card-header", "flex min-w-0 flex-col gap-1");
export const CardTitle: Part<"h3"> = cardPart("h3", "card-title", "text-sm leading-snug font-semibold");
export const CardDescription: Part<"p"> = cardPart("p", "card-description", "text-sm text-muted-foreground");
export const CardContent: Part<"div"> = cardPart("div", "card-content", "flex min-w-0 flex-1 flex-col gap-3");
export const CardFooter: Part<"div"> = cardPart("div", "card-footer", "flex flex-wrap items-center gap-2");
export const CardAction: Part<"div"> = cardPart("div", "card-action", "flex items-center gap-2 self-start");

/** A card that presents one feature: title, text, badges and an action. */
export function FeatureCard(props: FeatureCardProps): React.ReactNode;
export function FeatureCard({
  title,
  description,
  badges,
  actionLabel,
  onAction,
  icon: mark,
  className,
  children,
  ...rest
}: Loose) {
  return (
    <Card {...rest} className={cn("justify-between", className)}>
      <div className="flex flex-col gap-2">
        {mark && <div className="text-accent">{icon(mark)}</div>}
        {title && <h3 className="text-base font-semibold">{node(title)}</h3>}
        {description && <p className="text-sm text-muted-foreground">{node(description)}</p>}
        {Array.isArray(badges) && badges.length > 0 && (
          <div className="flex flex-wrap gap-1.5">
            {badges.map((badge, at) => (
              <Badge key={at} variant="secondary">
                {node(badge)}
              </Badge>
            ))}
          </div>
        )}
        {wrapped(children)}
      </div>
      {actionLabel && (
        <Button variant="outline" onClick={onAction}>
          {node(actionLabel)}
        </Button>
      )}
    </Card>
  );
}
