/** Panels that open beside what opened them. */
import * as React from "react";
import * as Primitive from "@radix-ui/react-popover";
import { cn } from "./lib/cn.js";
import { family } from "./lib/family.js";
import { dom, node, part, single, wrapped, type Loose } from "./lib/node.js";
import { hasParts, openProps, pressable } from "./dialog.js";
import type { FloatingProps, Html, Part } from "./lib/props.js";
import type { OpenProps, PressableProps } from "./dialog.js";

export interface PopoverProps extends OpenProps, FloatingProps {
  /** What opens it. */
  trigger?: React.ReactNode;
  /** What it shows, when that is not the children. */
  content?: React.ReactNode;
}

const popover = family();

/** A popover; `trigger` with plain children does without the parts. */
export function Popover(props: PopoverProps): React.ReactNode;
export function Popover(props: Loose) {
  const { root, others } = openProps(props);
  const { trigger, content, children, ...rest } = others;
  if (trigger === undefined || hasParts(children, [PopoverTrigger, PopoverContent]))
    return <Primitive.Root {...root}>{popover.within(wrapped(children))}</Primitive.Root>;
  return (
    <Primitive.Root {...root}>
      {popover.within(
        <>
          <PopoverTrigger asChild>{trigger}</PopoverTrigger>
          <PopoverContent {...rest}>{content === undefined ? wrapped(children) : node(content)}</PopoverContent>
        </>,
      )}
    </Primitive.Root>
  );
}

export const PopoverTrigger: (props: PressableProps) => React.ReactNode = pressable(
  popover.needs,
  Primitive.Trigger,
  "popover-trigger",
);
export const PopoverClose: (props: PressableProps) => React.ReactNode = pressable(
  popover.needs,
  Primitive.Close,
  "popover-close",
);
export const PopoverAnchor: (props: Html<"div"> & { asChild?: boolean }) => React.ReactNode = popover.needs(
  ({ asChild, children, ...rest }) => (
    <Primitive.Anchor {...dom(rest)} asChild={single(asChild, children)}>
      {wrapped(children)}
    </Primitive.Anchor>
  ),
);

export const PopoverContent: (props: FloatingProps) => React.ReactNode = popover.needs(
  ({ className, children, sideOffset = 6, ...rest }: Loose) => {
    return (
      <Primitive.Portal>
        <Primitive.Content
          data-slot="popover-content"
          sideOffset={sideOffset}
          collisionPadding={8}
          {...dom(rest)}
          className={cn(
            "ui4a-pop z-50 flex w-72 max-w-full flex-col gap-3 rounded-lg border border-border bg-popover p-4 text-sm text-popover-foreground shadow-md ui4a-plain-focus",
            className,
          )}
        >
          {wrapped(children)}
        </Primitive.Content>
      </Primitive.Portal>
    );
  },
  "div",
);

export const PopoverHeader: Part<"div"> = part("div", "popover-header", (given) => cn("flex flex-col gap-1", given));
export const PopoverTitle: Part<"div"> = part("div", "popover-title", (given) => cn("font-medium", given));
export const PopoverDescription: Part<"p"> = part("p", "popover-description", (given) =>
  cn("text-sm text-muted-foreground", given),
);
/* A hover card holds what a popover does; it opens by a press here, so that touch and keyboard reach it. */
export const HoverCard = Popover;
export const HoverCardTrigger = PopoverTrigger;
export const HoverCardContent = PopoverContent;
