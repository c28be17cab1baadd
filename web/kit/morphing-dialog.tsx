/** The older dialect's dialog that grows out of a card: a dialog whose parts go by other names. */
import * as React from "react";
import { cn } from "./lib/cn.js";
import { dom, part, wrapped, type Loose } from "./lib/node.js";
import { DialogClose, DialogContent, DialogDescription, DialogRoot, DialogTitle, DialogTrigger } from "./dialog.js";
import type { Html, Part } from "./lib/props.js";
import type { DialogContentProps, PressableProps } from "./dialog.js";

export interface MorphingDialogProps {
  children?: React.ReactNode;
  open?: boolean;
  defaultOpen?: boolean;
  onOpenChange?: (open: boolean) => void;
  transition?: object;
}

export function MorphingDialog(props: MorphingDialogProps): React.ReactNode;
export function MorphingDialog({ children, open, defaultOpen, onOpenChange, transition: _transition }: Loose) {
  return <DialogRoot {...{ open, defaultOpen, onOpenChange }}>{children}</DialogRoot>;
}

export function MorphingDialogTrigger(props: PressableProps): React.ReactNode;
export function MorphingDialogTrigger({ className, children, ...rest }: Loose) {
  return (
    <DialogTrigger {...rest} className={cn("w-fit text-left", className)}>
      {wrapped(children)}
    </DialogTrigger>
  );
}

export function MorphingDialogContainer(props: { children?: React.ReactNode }): React.ReactNode;
export function MorphingDialogContainer({ children }: Loose) {
  return <>{wrapped(children)}</>;
}

export function MorphingDialogContent(props: DialogContentProps): React.ReactNode;
export function MorphingDialogContent(props: Loose) {
  return <DialogContent showCloseButton={false} {...props} />;
}

export const MorphingDialogTitle: (props: Html<"span">) => React.ReactNode = titled(DialogTitle);
export const MorphingDialogDescription: (props: Html<"span">) => React.ReactNode = titled(DialogDescription);
export const MorphingDialogSubtitle: Part<"p"> = part("p", "morphing-dialog-subtitle", (given) =>
  cn("text-sm text-muted-foreground", given),
);
export const MorphingDialogClose: (props: PressableProps) => React.ReactNode = ({
  className,
  children,
  ...rest
}: Loose) => (
  <DialogClose aria-label="Close" {...rest} className={cn("absolute top-3 right-3 h-8 w-8", className)}>
    {children === undefined ? "×" : wrapped(children)}
  </DialogClose>
);

export function MorphingDialogImage(props: Html<"img">): React.ReactNode;
export function MorphingDialogImage({ src, alt, className, children: _children, ...rest }: Loose) {
  return (
    <img
      src={typeof src === "string" ? src : undefined}
      alt={String(alt ?? "")}
      {...dom(rest)}
      className={cn("max-w-full rounded-md", className)}
    />
  );
}

/** Titles stand in the trigger too, where there is no dialog to name. */
function titled(Part: React.ElementType) {
  return function Titled({ className, children, ...rest }: Loose) {
    const place = React.useRef<HTMLSpanElement>(null);
    const [inside, setInside] = React.useState(false);
    React.useLayoutEffect(() => setInside(Boolean(place.current?.closest('[role="dialog"]'))), []);
    return inside ? (
      <Part {...rest} className={className}>
        {children}
      </Part>
    ) : (
      <span ref={place} {...dom(rest)} className={cn("block font-medium", className)}>
        {wrapped(children)}
      </span>
    );
  };
}
