/** Menus of commands. */
import * as React from "react";
import * as Primitive from "@radix-ui/react-dropdown-menu";
import Check from "lucide-react/icons/check";
import ChevronRight from "lucide-react/icons/chevron-right";
import { cn } from "./lib/cn.js";
import { family } from "./lib/family.js";
import { dom, icon as asIcon, node, part, wrapped, type Loose } from "./lib/node.js";
import { hasParts, openProps, pressable } from "./dialog.js";
import type { FloatingProps, Html, Icon, Part, Side } from "./lib/props.js";
import type { OpenProps, PressableProps } from "./dialog.js";

export interface MenuItem {
  label?: React.ReactNode;
  icon?: Icon;
  onSelect?: (event: any) => void;
  onClick?: (event: any) => void;
  disabled?: boolean;
  variant?: "default" | "destructive" | "danger";
  [other: string]: any;
}
export interface DropdownMenuProps extends OpenProps {
  /** What opens it. */
  trigger?: React.ReactNode;
  /** The entries, instead of the parts. */
  items?: readonly (MenuItem | string | null | false)[];
  align?: "start" | "center" | "end";
  side?: Side;
  className?: string;
  children?: React.ReactNode;
}
export interface DropdownMenuRadioGroupProps extends Html<"div"> {
  value?: string | number;
  onValueChange?: (value: string) => void;
}
export interface DropdownMenuItemProps extends Html<"div", "onSelect"> {
  variant?: "default" | "destructive" | "danger";
  /** Leaves the room that an icon would take. */
  inset?: boolean;
  disabled?: boolean;
  onSelect?: (event: Event) => void;
  asChild?: boolean;
}
export interface DropdownMenuCheckboxItemProps extends DropdownMenuItemProps {
  checked?: boolean | "indeterminate";
  onCheckedChange?: (checked: boolean) => void;
}
export interface DropdownMenuRadioItemProps extends DropdownMenuItemProps {
  value?: string | number;
}

const menu = family();
const submenu = family();
const choice = family();

const ITEM =
  "relative flex min-h-8 cursor-pointer items-center gap-2 rounded-sm px-2 py-1.5 text-sm ui4a-plain-focus select-none data-[disabled]:pointer-events-none data-[disabled]:opacity-50 data-[highlighted]:bg-surface-3";
const BOX =
  "ui4a-pop ui4a-fit ui4a-scroll z-50 min-w-40 overflow-y-auto rounded-md border border-border bg-popover p-1 text-popover-foreground shadow-md";

/** A menu; `trigger` and `items` ({label, onSelect}) do without the parts. */
export function DropdownMenu(props: DropdownMenuProps): React.ReactNode;
export function DropdownMenu(props: Loose) {
  const { root, others } = openProps(props);
  const { trigger, items, children } = others;
  if (trigger === undefined || hasParts(children, [DropdownMenuTrigger, DropdownMenuContent]))
    return <Primitive.Root {...root}>{menu.within(wrapped(children))}</Primitive.Root>;
  const list: Loose[] = Array.isArray(items) ? items : [];
  return (
    <Primitive.Root {...root}>
      {menu.within(
        <>
          <DropdownMenuTrigger asChild>{trigger}</DropdownMenuTrigger>
          <DropdownMenuContent>
            {list.map((item, at) =>
              item === null || item.separator || item.type === "separator" ? (
                <DropdownMenuSeparator key={at} />
              ) : (
                <DropdownMenuItem
                  key={at}
                  variant={item.variant ?? (item.danger ? "destructive" : undefined)}
                  disabled={item.disabled}
                  onSelect={item.onSelect ?? item.onClick}
                >
                  {asIcon(item.icon)}
                  {node(item.label ?? item)}
                </DropdownMenuItem>
              ),
            )}
            {wrapped(children)}
          </DropdownMenuContent>
        </>,
      )}
    </Primitive.Root>
  );
}

export const DropdownMenuTrigger: (props: PressableProps) => React.ReactNode = pressable(
  menu.needs,
  Primitive.Trigger,
  "dropdown-menu-trigger",
);
export const DropdownMenuGroup: Part<"div"> = part("div", "dropdown-menu-group", (given) => cn(given));
export const DropdownMenuSub: (props: OpenProps & { children?: React.ReactNode }) => React.ReactNode = menu.needs(
  ({ open, defaultOpen, onOpenChange, children }) => (
    <Primitive.Sub {...{ open, defaultOpen, onOpenChange }}>{submenu.within(wrapped(children))}</Primitive.Sub>
  ),
);
export const DropdownMenuRadioGroup: (props: DropdownMenuRadioGroupProps) => React.ReactNode = menu.needs(
  ({ children, value, ...rest }) => (
    <Primitive.RadioGroup {...dom(rest)} value={value === undefined ? undefined : String(value)}>
      {choice.within(wrapped(children))}
    </Primitive.RadioGroup>
  ),
);
export const DropdownMenuPortal: (props: { children?: React.ReactNode }) => React.ReactNode = menu.needs(
  ({ children }) => <>{wrapped(children)}</>,
);

export const DropdownMenuContent: (props: FloatingProps) => React.ReactNode = menu.needs(
  ({ className, children, sideOffset = 4, align = "start", ...rest }: Loose) => {
    return (
      <Primitive.Portal>
        <Primitive.Content
          data-slot="dropdown-menu-content"
          sideOffset={sideOffset}
          align={align}
          collisionPadding={8}
          {...dom(rest)}
          className={cn(BOX, className)}
        >
          {wrapped(children)}
        </Primitive.Content>
      </Primitive.Portal>
    );
  },
  "div",
);

export const DropdownMenuItem: (props: DropdownMenuItemProps) => React.ReactNode = menu.needs(
  ({ className, variant, inset, children, ...rest }: Loose) => {
    return (
      <Primitive.Item
        data-slot="dropdown-menu-item"
        {...dom(rest)}
        className={cn(ITEM, variant === "destructive" && "text-danger", inset && "pl-8", className)}
      >
        {wrapped(children)}
      </Primitive.Item>
    );
  },
  "div",
);

function Ticked() {
  return (
    <Primitive.ItemIndicator className="absolute left-2 flex items-center">
      <Check className="h-4 w-4" />
    </Primitive.ItemIndicator>
  );
}

export const DropdownMenuCheckboxItem: (props: DropdownMenuCheckboxItemProps) => React.ReactNode = menu.needs(
  ({ className, checked, children, ...rest }: Loose) => {
    return (
      <Primitive.CheckboxItem
        {...dom(rest)}
        checked={checked === "indeterminate" ? checked : Boolean(checked)}
        className={cn(ITEM, "pl-8", className)}
      >
        <Ticked />
        {wrapped(children)}
      </Primitive.CheckboxItem>
    );
  },
  "div",
);

export const DropdownMenuRadioItem: (props: DropdownMenuRadioItemProps) => React.ReactNode = choice.needs(
  ({ className, value, children, ...rest }: Loose) => {
    return (
      <Primitive.RadioItem {...dom(rest)} value={String(value ?? "")} className={cn(ITEM, "pl-8", className)}>
        <Ticked />
        {wrapped(children)}
      </Primitive.RadioItem>
    );
  },
  "div",
);

export function DropdownMenuLabel(props: Html<"div"> & { inset?: boolean }): React.ReactNode;
export function DropdownMenuLabel({ className, children, ...rest }: Loose) {
  return (
    <Primitive.Label {...dom(rest)} className={cn("px-2 py-1.5 text-xs font-medium text-muted-foreground", className)}>
      {wrapped(children)}
    </Primitive.Label>
  );
}

export function DropdownMenuSeparator(props: Html<"div">): React.ReactNode;
export function DropdownMenuSeparator({ className, children: _children, ...rest }: Loose) {
  return <Primitive.Separator {...dom(rest)} className={cn("-mx-1 my-1 h-px bg-border", className)} />;
}

export const DropdownMenuShortcut: Part<"span"> = part("span", "dropdown-menu-shortcut", (given) =>
  cn("ml-auto pl-4 text-xs text-muted-foreground", given),
);

export const DropdownMenuSubTrigger: (props: DropdownMenuItemProps) => React.ReactNode = submenu.needs(
  ({ className, children, ...rest }: Loose) => {
    return (
      <Primitive.SubTrigger {...dom(rest)} className={cn(ITEM, className)}>
        {wrapped(children)}
        <ChevronRight className="ml-auto h-4 w-4" />
      </Primitive.SubTrigger>
    );
  },
  "div",
);

export const DropdownMenuSubContent: (props: FloatingProps) => React.ReactNode = submenu.needs(
  ({ className, children, ...rest }: Loose) => {
    return (
      <Primitive.Portal>
        <Primitive.SubContent collisionPadding={8} {...dom(rest)} className={cn(BOX, className)}>
          {wrapped(children)}
        </Primitive.SubContent>
      </Primitive.Portal>
    );
  },
  "div",
);
