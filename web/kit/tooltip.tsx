/** Short explanations on hover and focus. */
import * as React from "react";
import * as Primitive from "@radix-ui/react-tooltip";
import { cn } from "./lib/cn.js";
import { family } from "./lib/family.js";
import { dom, node, single, wrapped, type Loose } from "./lib/node.js";
import { hasParts } from "./dialog.js";
import type { FloatingProps, Html, Side } from "./lib/props.js";
import type { PressableProps } from "./dialog.js";

export interface TooltipProps extends Html<"span", "title" | "content"> {
  /** What is said. */
  content?: React.ReactNode;
  /** The same as `content`. */
  label?: React.ReactNode;
  /** The same as `content`. */
  text?: React.ReactNode;
  /** The same as `content`. */
  title?: React.ReactNode;
  side?: Side;
  /** Milliseconds. */
  delayDuration?: number;
  open?: boolean;
  defaultOpen?: boolean;
  onOpenChange?: (open: boolean) => void;
}

const tooltip = family();

export const TooltipProvider: (props: {
  children?: React.ReactNode;
  delayDuration?: number;
  skipDelayDuration?: number;
  disableHoverableContent?: boolean;
}) => React.ReactNode = ({ children, delayDuration = 200, ...rest }: Loose) => (
  <Primitive.Provider delayDuration={delayDuration} {...rest}>
    {wrapped(children)}
  </Primitive.Provider>
);

/** A tooltip; `content` (or `label`, `text`) around the thing explained does without the parts. */
export function Tooltip(props: TooltipProps): React.ReactNode;
export function Tooltip({ content, label, text, title, side, children, delayDuration = 200, ...rest }: Loose) {
  const said = content ?? label ?? text ?? title;
  const simple = said !== undefined && !hasParts(children, [TooltipTrigger, TooltipContent]);
  return (
    <Primitive.Provider delayDuration={delayDuration}>
      <Primitive.Root {...rest}>
        {tooltip.within(
          simple ? (
            <>
              <TooltipTrigger asChild>{children}</TooltipTrigger>
              <TooltipContent side={side}>{node(said)}</TooltipContent>
            </>
          ) : (
            wrapped(children)
          ),
        )}
      </Primitive.Root>
    </Primitive.Provider>
  );
}

export const TooltipTrigger: (props: PressableProps) => React.ReactNode = tooltip.needs(
  ({ asChild, children, ...rest }: Loose) => {
    const props = dom(rest);
    if (single(asChild, children))
      return (
        <Primitive.Trigger {...props} asChild>
          {children}
        </Primitive.Trigger>
      );
    if (single(true, children))
      return (
        <Primitive.Trigger {...props} asChild>
          <span tabIndex={0}>{children}</span>
        </Primitive.Trigger>
      );
    return (
      <Primitive.Trigger
        data-slot="tooltip-trigger"
        {...props}
        className={cn("cursor-default underline decoration-dotted underline-offset-4", props.className)}
      >
        {wrapped(children)}
      </Primitive.Trigger>
    );
  },
  "span",
);

export const TooltipContent: (props: FloatingProps) => React.ReactNode = tooltip.needs(
  ({ className, children, sideOffset = 6, ...rest }: Loose) => {
    return (
      <Primitive.Portal>
        <Primitive.Content
          data-slot="tooltip-content"
          sideOffset={sideOffset}
          collisionPadding={8}
          {...dom(rest)}
          className={cn(
            "ui4a-pop z-50 max-w-64 rounded-md bg-fg px-2.5 py-1.5 text-xs text-background shadow-md",
            className,
          )}
        >
          {wrapped(children)}
        </Primitive.Content>
      </Primitive.Portal>
    );
  },
  null,
);
