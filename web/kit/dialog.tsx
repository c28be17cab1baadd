/** Dialogs. `<Dialog open title onClose>` with plain children needs no parts. */
import * as React from "react";
import * as Primitive from "@radix-ui/react-dialog";
import X from "lucide-react/icons/x";
import { cn } from "./lib/cn.js";
import { family } from "./lib/family.js";
import { dom, flat, node, part, single, wrapped, type Loose } from "./lib/node.js";
import { Button } from "./button.js";
import type { Html, Part } from "./lib/props.js";

/** How everything that opens is told so. */
export interface OpenProps {
  open?: boolean;
  /** The same as `open`. */
  isOpen?: boolean;
  /** The same as `open`. */
  visible?: boolean;
  defaultOpen?: boolean;
  /** Gets `true` when it opens, `false` when it closes. */
  onOpenChange?: (open: boolean) => void;
  /** Is called when it closes. */
  onClose?: (...unused: any[]) => void;
  /** Whether the page behind is out of reach meanwhile. */
  modal?: boolean;
}
export interface DialogProps extends OpenProps, Html<"div", "title"> {
  title?: React.ReactNode;
  description?: React.ReactNode;
  footer?: React.ReactNode;
  /** What opens it. */
  trigger?: React.ReactNode;
  showCloseButton?: boolean;
}
export interface DialogContentProps extends Html<"div"> {
  showCloseButton?: boolean;
}
/** A part that opens or closes what it belongs to. */
export interface PressableProps extends Html<"button"> {
  /** The only child takes the part's place. */
  asChild?: boolean;
}

const dialog = family();

/** Whether the content around has a title, so that it is announced by name and only then. */
const Titled = React.createContext<(has: boolean) => void>(() => {});

/** `open` as models say it, and one callback for their many names of closing. */
export function openProps(props: Loose): { root: Loose; others: Loose } {
  const { open, isOpen, visible, defaultOpen, onOpenChange, onClose, onChange, modal, ...others } = props;
  const given = open ?? isOpen ?? visible;
  const root = {
    defaultOpen,
    modal,
    ...(given === undefined ? {} : { open: Boolean(given) }),
    onOpenChange: (next: boolean) => {
      onOpenChange?.(next);
      if (typeof onChange === "function") onChange(next);
      if (!next) onClose?.(false);
    },
  };
  return { root, others };
}

/** True when the children are the parts themselves, not what a dialog should hold. */
export function hasParts(children: React.ReactNode, types: unknown[]): boolean {
  return flat(children).some((child) => React.isValidElement(child) && types.includes(child.type));
}

/** The root of dialogs and sheets: what is inside may use their parts. */
export function DialogRoot({ children, ...root }: Loose) {
  return <Primitive.Root {...root}>{dialog.within(wrapped(children))}</Primitive.Root>;
}

export function Dialog(props: DialogProps): React.ReactNode;
export function Dialog(props: Loose) {
  const { root, others } = openProps(props);
  const { title, description, footer, trigger, children, ...content } = others;
  const simple =
    !hasParts(children, [DialogContent, DialogTrigger]) &&
    (title !== undefined || "onClose" in props || trigger !== undefined);
  if (!simple) return <DialogRoot {...root}>{children}</DialogRoot>;
  return (
    <DialogRoot {...root}>
      {trigger && <DialogTrigger asChild>{trigger}</DialogTrigger>}
      <DialogContent {...content}>
        {(title || description) && (
          <DialogHeader>
            {title && <DialogTitle>{node(title)}</DialogTitle>}
            {description && <DialogDescription>{node(description)}</DialogDescription>}
          </DialogHeader>
        )}
        {wrapped(children)}
        {footer && <DialogFooter>{node(footer)}</DialogFooter>}
      </DialogContent>
    </DialogRoot>
  );
}

/** A trigger or close part: the child itself with `asChild`, or when the child already is a button. */
export function pressable(needs: ReturnType<typeof family>["needs"], Part: React.ElementType, slot: string) {
  return needs(
    function Pressable({ asChild, children, className, ...rest }: Loose) {
      const child = single(true, children) ? (children as React.ReactElement) : undefined;
      const bare = child !== undefined && (child.type === "button" || child.type === Button);
      if (child && (asChild || bare))
        return (
          <Part data-slot={slot} {...dom(rest)} className={className} asChild>
            {child}
          </Part>
        );
      return (
        <Part data-slot={slot} {...dom(rest)} className={cn("cursor-pointer rounded-sm ui4a-focus", className)}>
          {wrapped(children)}
        </Part>
      );
    },
    ({ children, className, onClick }) =>
      single(true, children) ? (
        children
      ) : (
        <button type="button" className={className} onClick={onClick}>
          {wrapped(children)}
        </button>
      ),
  );
}

export const DialogTrigger: (props: PressableProps) => React.ReactNode = pressable(
  dialog.needs,
  Primitive.Trigger,
  "dialog-trigger",
);
export const DialogClose: (props: PressableProps) => React.ReactNode = pressable(
  dialog.needs,
  Primitive.Close,
  "dialog-close",
);
export const DialogPortal: (props: { children?: React.ReactNode }) => React.ReactNode = dialog.needs(({ children }) => (
  <Primitive.Portal>{wrapped(children)}</Primitive.Portal>
));

export const DialogOverlay: (props: Html<"div">) => React.ReactNode = dialog.needs(({ className, ...rest }: Loose) => {
  return (
    <Primitive.Overlay
      data-slot="dialog-overlay"
      {...dom(rest)}
      className={cn("ui4a-fade fixed inset-0 z-50 bg-black/50", className)}
    />
  );
}, null);

/** The framed content of a dialog or a sheet, with its close button. */
export const Panel = dialog.needs(({ frame, className, children, showCloseButton = true, ...rest }: Loose) => {
  const [titled, setTitled] = React.useState(false);
  const name = rest["aria-label"] ?? "Dialog";
  return (
    <Primitive.Portal>
      <DialogOverlay />
      <Primitive.Content
        aria-describedby={undefined}
        {...dom(rest)}
        className={cn(
          "fixed z-50 flex flex-col gap-4 border-border bg-popover p-5 text-sm text-popover-foreground shadow-lg ui4a-plain-focus",
          frame,
          className,
        )}
      >
        {!titled && <Primitive.Title className="sr-only">{name}</Primitive.Title>}
        <Titled.Provider value={setTitled}>{wrapped(children)}</Titled.Provider>
        {showCloseButton !== false && (
          <Primitive.Close
            className="absolute top-3 right-3 inline-flex h-8 w-8 cursor-pointer items-center justify-center rounded-md text-muted-foreground transition-colors hover:bg-surface-2 hover:text-fg ui4a-focus"
            aria-label="Close"
          >
            <X className="h-4 w-4" />
          </Primitive.Close>
        )}
      </Primitive.Content>
    </Primitive.Portal>
  );
}, "div");

export function DialogContent(props: DialogContentProps): React.ReactNode;
export function DialogContent(props: Loose) {
  return (
    <Panel
      data-slot="dialog-content"
      frame="ui4a-dialog ui4a-scroll top-1/2 left-1/2 -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-xl border"
      {...props}
    />
  );
}

export const DialogHeader: Part<"div"> = part("div", "dialog-header", (given) => cn("flex flex-col gap-1 pr-8", given));
export const DialogFooter: Part<"div"> = part("div", "dialog-footer", (given) =>
  cn("flex flex-wrap items-center justify-end gap-2", given),
);

export const DialogTitle: (props: Html<"h2">) => React.ReactNode = dialog.needs(
  ({ className, children, ...rest }: Loose) => {
    const setTitled = React.useContext(Titled);
    React.useLayoutEffect(() => {
      setTitled(true);
      return () => setTitled(false);
    }, [setTitled]);
    return (
      <Primitive.Title
        data-slot="dialog-title"
        {...dom(rest)}
        className={cn("text-base leading-snug font-semibold", className)}
      >
        {wrapped(children)}
      </Primitive.Title>
    );
  },
  "div",
);

export const DialogDescription: (props: Html<"p">) => React.ReactNode = dialog.needs(
  ({ className, children, ...rest }: Loose) => {
    return (
      <Primitive.Description
        data-slot="dialog-description"
        {...dom(rest)}
        className={cn("text-sm text-muted-foreground", className)}
      >
        {wrapped(children)}
      </Primitive.Description>
    );
  },
  "div",
);

/* An alert dialog asks a question that must be answered: the same parts, named by their part in the answer. */
export const AlertDialog = Dialog;
export const AlertDialogTrigger = DialogTrigger;
export const AlertDialogHeader = DialogHeader;
export const AlertDialogFooter = DialogFooter;
export const AlertDialogTitle = DialogTitle;
export const AlertDialogDescription = DialogDescription;
export function AlertDialogContent(props: DialogContentProps): React.ReactNode;
export function AlertDialogContent(props: Loose) {
  return <DialogContent role="alertdialog" showCloseButton={false} {...props} />;
}
const ANSWER =
  "inline-flex h-9 cursor-pointer items-center justify-center rounded-md px-4 text-sm font-medium transition-colors ui4a-focus";
export const AlertDialogAction: (props: PressableProps) => React.ReactNode = dialog.needs(
  ({ children, className, ...rest }: Loose) => {
    return (
      <Primitive.Close
        {...dom(rest)}
        className={cn(ANSWER, "bg-primary text-primary-foreground hover:bg-primary/90", className)}
      >
        {wrapped(children)}
      </Primitive.Close>
    );
  },
  "div",
);
export const AlertDialogCancel: (props: PressableProps) => React.ReactNode = dialog.needs(
  ({ children, className, ...rest }: Loose) => {
    return (
      <Primitive.Close
        {...dom(rest)}
        className={cn(ANSWER, "border border-input bg-card text-fg hover:bg-surface-2", className)}
      >
        {wrapped(children)}
      </Primitive.Close>
    );
  },
  "div",
);
