/** Panels that slide in from an edge. */
import * as React from "react";
import { node, wrapped, type Loose } from "./lib/node.js";
import {
  DialogClose,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogRoot,
  DialogTitle,
  DialogTrigger,
  Panel,
  hasParts,
  openProps,
} from "./dialog.js";
import type { Side } from "./lib/props.js";
import type { DialogContentProps, DialogProps } from "./dialog.js";

export interface SheetProps extends DialogProps {
  /** The edge that it comes from; the right one unless said. */
  side?: Side;
}
export interface SheetContentProps extends DialogContentProps {
  side?: Side;
}

const SIDE: Record<string, string> = {
  right: "ui4a-sheet-right inset-y-0 right-0 w-80 max-w-full border-l",
  left: "ui4a-sheet-left inset-y-0 left-0 w-80 max-w-full border-r",
  top: "ui4a-sheet-top inset-x-0 top-0 max-h-full border-b",
  bottom: "ui4a-sheet-bottom inset-x-0 bottom-0 max-h-full border-t",
};

export function Sheet(props: SheetProps): React.ReactNode;
export function Sheet(props: Loose) {
  const { root, others } = openProps(props);
  const { title, description, children, ...content } = others;
  if (hasParts(children, [SheetContent, DialogTrigger]) || (title === undefined && !("onClose" in props))) {
    return <DialogRoot {...root}>{children}</DialogRoot>;
  }
  return (
    <DialogRoot {...root}>
      <SheetContent {...content}>
        <SheetHeader>
          {title && <SheetTitle>{node(title)}</SheetTitle>}
          {description && <SheetDescription>{node(description)}</SheetDescription>}
        </SheetHeader>
        {wrapped(children)}
      </SheetContent>
    </DialogRoot>
  );
}

export function SheetContent(props: SheetContentProps): React.ReactNode;
export function SheetContent({ side, ...rest }: Loose) {
  return (
    <Panel data-slot="sheet-content" {...rest} frame={`ui4a-scroll overflow-y-auto ${SIDE[side] ?? SIDE.right}`} />
  );
}

export const SheetTrigger = DialogTrigger;
export const SheetClose = DialogClose;
export const SheetHeader = DialogHeader;
export const SheetFooter = DialogFooter;
export const SheetTitle = DialogTitle;
export const SheetDescription = DialogDescription;
/* A drawer is a sheet, from below unless it says otherwise. */
export const Drawer = Sheet;
export const DrawerTrigger = SheetTrigger;
export const DrawerClose = SheetClose;
export const DrawerHeader = SheetHeader;
export const DrawerFooter = SheetFooter;
export const DrawerTitle = SheetTitle;
export const DrawerDescription = SheetDescription;
export function DrawerContent(props: SheetContentProps): React.ReactNode;
export function DrawerContent(props: Loose) {
  return <SheetContent side="bottom" {...props} />;
}
