/** A list in an order of the user's: drag an item by its handle, or move it with the arrow keys. */
import * as React from "react";
import GripVertical from "lucide-react/icons/grip-vertical";
import { cn } from "./lib/cn.js";
import { dom, flat, icon, node, wrapped, type Loose } from "./lib/node.js";
import type { Html } from "./lib/props.js";

export interface SortableProps extends Html<"div", "onChange" | "value" | "defaultValue"> {
  /** The things in their order. */
  value?: readonly any[];
  /** The same as `value`. */
  items?: readonly any[];
  defaultValue?: readonly any[];
  /** Gets the things in their new order. */
  onValueChange?: (value: any[]) => void;
  /** The same as `onValueChange`. */
  onChange?: (value: any[]) => void;
  onReorder?: (value: any[]) => void;
  /** What tells one thing from another. */
  getItemValue?: (item: any) => string | number;
  /** Draws a thing, instead of SortableItem children. */
  renderItem?: (item: any, index: number) => React.ReactNode;
  orientation?: string;
}
export interface SortableItemProps extends Html<"div"> {
  value?: any;
  asHandle?: boolean;
}

type Order = {
  dragged: string | null;
  start: (key: string, event: React.PointerEvent) => void;
  step: (key: string, by: number) => void;
};
const List = React.createContext<Order>({ dragged: null, start() {}, step() {} });
const Own = React.createContext("");

/** A sortable list of `value`; children are SortableItems, or a function of an item. `onValueChange` gets the new list. */
export function Sortable(props: SortableProps): React.ReactNode;
export function Sortable({
  value,
  items,
  defaultValue,
  onValueChange,
  onChange,
  onReorder,
  getItemValue,
  renderItem,
  orientation: _orientation,
  className,
  children,
  ...rest
}: Loose) {
  const given: unknown[] | undefined = Array.isArray(value) ? value : Array.isArray(items) ? items : undefined;
  const [own, setOwn] = React.useState<unknown[]>(() => given ?? (Array.isArray(defaultValue) ? defaultValue : []));
  const handled = Boolean(onValueChange || onChange || onReorder);
  const list = given && handled ? given : own;
  const [dragged, setDragged] = React.useState<string | null>(null);
  const box = React.useRef<HTMLDivElement>(null);
  const keyOf = (item: unknown): string =>
    String(
      typeof getItemValue === "function"
        ? getItemValue(item)
        : item !== null && typeof item === "object"
          ? ((item as Loose).id ?? (item as Loose).value ?? (item as Loose).label)
          : item,
    );
  const latest = React.useRef({ list, keyOf });
  latest.current = { list, keyOf };

  const put = (next: unknown[]) => {
    latest.current = { list: next, keyOf };
    setOwn(next);
    onValueChange?.(next);
    onReorder?.(next);
    onChange?.(next);
  };
  const move = (key: string, to: number) => {
    const now = latest.current.list;
    const from = now.findIndex((item) => latest.current.keyOf(item) === key);
    if (from < 0 || to < 0 || to >= now.length || from === to) return;
    const next = [...now];
    next.splice(to, 0, ...next.splice(from, 1));
    put(next);
  };
  const step = (key: string, by: number) =>
    move(key, latest.current.list.findIndex((item) => latest.current.keyOf(item) === key) + by);
  const start = (key: string, event: React.PointerEvent) => {
    if (event.button !== 0) return;
    event.preventDefault();
    setDragged(key);
    const onMove = (moved: PointerEvent) => {
      const rows = [...(box.current?.querySelectorAll<HTMLElement>("[data-sortable]") ?? [])];
      const to = rows.findIndex((row) => {
        const { top, bottom, left, right } = row.getBoundingClientRect();
        return moved.clientY >= top && moved.clientY <= bottom && moved.clientX >= left && moved.clientX <= right;
      });
      if (to >= 0 && rows[to]?.dataset.sortable !== key) move(key, to);
    };
    const onEnd = () => {
      setDragged(null);
      window.removeEventListener("pointermove", onMove);
      window.removeEventListener("pointerup", onEnd);
      window.removeEventListener("pointercancel", onEnd);
    };
    window.addEventListener("pointermove", onMove);
    window.addEventListener("pointerup", onEnd);
    window.addEventListener("pointercancel", onEnd);
  };
  const draw = typeof children === "function" ? children : renderItem;
  const content =
    typeof draw === "function" || flat(typeof children === "function" ? null : children).length === 0
      ? list.map((item, at) => {
          const key = keyOf(item);
          const drawn =
            typeof draw === "function"
              ? draw(item, at)
              : node(
                  item !== null && typeof item === "object"
                    ? ((item as Loose).label ?? (item as Loose).title ?? key)
                    : item,
                );
          return React.isValidElement(drawn) && drawn.type === SortableItem ? (
            React.cloneElement(drawn, { key })
          ) : (
            <SortableItem key={key} value={key}>
              <SortableItemHandle />
              {drawn}
            </SortableItem>
          );
        })
      : wrapped(children);
  return (
    <List.Provider value={{ dragged, start, step }}>
      <div
        ref={box}
        role="list"
        data-slot="sortable"
        {...dom(rest)}
        className={cn("flex min-w-0 flex-col gap-2", className)}
      >
        {content}
      </div>
    </List.Provider>
  );
}

export function SortableItem(props: SortableItemProps): React.ReactNode;
export function SortableItem({ value, id, className, children, asHandle: _asHandle, ...rest }: Loose) {
  const key = String(value ?? id ?? "");
  const { dragged } = React.useContext(List);
  return (
    <Own.Provider value={key}>
      <div
        role="listitem"
        data-slot="sortable-item"
        data-sortable={key}
        {...dom(rest)}
        className={cn(
          "flex min-w-0 items-center gap-2 rounded-md border border-border bg-card px-2 py-2 text-sm",
          dragged === key && "border-primary shadow-md",
          className,
        )}
      >
        {wrapped(children)}
      </div>
    </Own.Provider>
  );
}

export function SortableItemHandle(props: Html<"button">): React.ReactNode;
export function SortableItemHandle({ className, children, ...rest }: Loose) {
  const { start, step } = React.useContext(List);
  const key = React.useContext(Own);
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    step(key, event.key === "ArrowUp" ? -1 : 1);
  };
  return (
    <button
      type="button"
      aria-label="Move with the arrow keys"
      data-slot="sortable-item-handle"
      onPointerDown={(event) => start(key, event)}
      onKeyDown={onKeyDown}
      {...dom(rest)}
      className={cn(
        "ui4a-focus inline-flex h-7 w-6 shrink-0 cursor-grab touch-none items-center justify-center rounded-sm text-muted-foreground hover:text-fg",
        className,
      )}
    >
      {children === undefined ? <GripVertical className="h-4 w-4" /> : icon(children)}
    </button>
  );
}

/** The item moves in place, so there is nothing to draw over the list. */
export function SortableOverlay(props: { children?: React.ReactNode; [other: string]: any }): React.ReactNode;
export function SortableOverlay(_props: Loose): null {
  return null;
}
