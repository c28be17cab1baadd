/** Tabs, from `items` or from parts. The first tab shows unless another is named. */
import * as React from "react";
import * as Primitive from "@radix-ui/react-tabs";
import { cn } from "./lib/cn.js";
import { family } from "./lib/family.js";
import { dom, icon as asIcon, node, wrapped, type Loose } from "./lib/node.js";
import { changeEvent, stored, useSetterName, wantsEvent } from "./lib/events.js";
import type { Changes, Html, PanelItem } from "./lib/props.js";

export interface TabsProps extends Html<"div", Changes> {
  /** Tabs with their contents, instead of the parts. */
  items?: PanelItem[];
  /** The same as `items`. */
  tabs?: PanelItem[];
  value?: any;
  /** The same as `value`. */
  activeTab?: any;
  defaultValue?: string | number;
  /** Gets the value of the tab that was chosen. */
  onValueChange?: (value: any) => void;
  /** The same as `onValueChange`. */
  onChange?: (value: any) => void;
  /** The same as `onValueChange`. */
  onTabChange?: (value: any) => void;
  orientation?: "horizontal" | "vertical";
}
export interface TabsTriggerProps extends Html<"button", "value"> {
  value?: string | number;
  label?: React.ReactNode;
}
export interface TabsContentProps extends Html<"div"> {
  value?: string | number;
}

const root = family();

/** Tells the Tabs around a trigger that the trigger is there, so that the first of them can be chosen. */
const Register = React.createContext<(value: string) => void>(() => {});

type Item = { value: string; label: React.ReactNode; content: React.ReactNode; disabled: boolean; icon?: unknown };

function asItems(list: unknown): Item[] {
  if (!Array.isArray(list)) return [];
  return list
    .filter((item) => item !== null && item !== undefined)
    .map((item, at) => {
      if (typeof item !== "object")
        return { value: String(item), label: String(item), content: undefined, disabled: false };
      const label = item.label ?? item.title ?? item.name ?? item.value ?? item.id;
      return {
        value: String(item.value ?? item.id ?? item.key ?? (typeof label === "string" ? label : at)),
        label,
        content: item.content ?? item.children ?? item.panel ?? item.body,
        disabled: Boolean(item.disabled),
        icon: item.icon,
      };
    });
}

export function Tabs(props: TabsProps): React.ReactNode;
export function Tabs({
  items,
  tabs,
  value,
  defaultValue,
  activeTab,
  onValueChange,
  onChange,
  onTabChange,
  orientation,
  className,
  children,
  ...rest
}: Loose) {
  const setter = useSetterName();
  const list = asItems(items ?? tabs);
  const plain = stored(value ?? activeTab);
  const handled = Boolean(onValueChange || onChange || onTabChange);
  const [own, setOwn] = React.useState<string | undefined>(() => {
    const first = plain ?? defaultValue ?? list[0]?.value;
    return first === undefined ? undefined : String(first);
  });
  const chosen = plain !== undefined && plain !== null && handled ? String(plain) : (own ?? list[0]?.value);
  const register = React.useCallback((first: string) => setOwn((current) => current ?? first), []);
  const change = (next: string) => {
    setOwn(next);
    const result = typeof plain === "number" && !Number.isNaN(Number(next)) ? Number(next) : next;
    onValueChange?.(result);
    onTabChange?.(result);
    if (typeof onChange === "function")
      onChange(wantsEvent(onChange, setter) && onChange.length < 2 ? changeEvent(result) : result, result);
  };
  const upright = orientation === "vertical";
  return (
    <Register.Provider value={register}>
      <Primitive.Root
        data-slot="tabs"
        {...dom(rest)}
        value={chosen ?? ""}
        onValueChange={change}
        orientation={upright ? "vertical" : "horizontal"}
        className={cn("flex min-w-0 gap-3", upright ? "flex-row" : "flex-col", className)}
      >
        {root.within(
          <>
            {list.length > 0 && (
              <TabsList>
                {list.map((item) => (
                  <TabsTrigger key={item.value} value={item.value} disabled={item.disabled}>
                    {asIcon(item.icon)}
                    {node(item.label)}
                  </TabsTrigger>
                ))}
              </TabsList>
            )}
            {list
              .filter((item) => item.content !== undefined)
              .map((item) => (
                <TabsContent key={item.value} value={item.value}>
                  {node(item.content)}
                </TabsContent>
              ))}
            {wrapped(children)}
          </>,
        )}
      </Primitive.Root>
    </Register.Provider>
  );
}

export const TabsList: (props: Html<"div">) => React.ReactNode = root.needs(
  ({ className, children, ...rest }: Loose) => {
    return (
      <Primitive.List
        data-slot="tabs-list"
        {...dom(rest)}
        className={cn(
          "ui4a-scroll inline-flex w-fit max-w-full items-center gap-1 overflow-x-auto rounded-lg bg-surface-2 p-1 data-[orientation=vertical]:flex-col data-[orientation=vertical]:items-stretch",
          className,
        )}
      >
        {wrapped(children)}
      </Primitive.List>
    );
  },
  "div",
);

export const TabsTrigger: (props: TabsTriggerProps) => React.ReactNode = root.needs(
  ({ value, className, children, label, ...rest }: Loose) => {
    const name = String(value ?? (typeof children === "string" ? children : ""));
    const register = React.useContext(Register);
    React.useLayoutEffect(() => register(name), [register, name]);
    return (
      <Primitive.Trigger
        data-slot="tabs-trigger"
        {...dom(rest)}
        value={name}
        className={cn(
          "inline-flex h-7 shrink-0 cursor-pointer items-center justify-center gap-1.5 rounded-md border border-transparent px-3 text-sm font-medium whitespace-nowrap text-muted-foreground transition-colors hover:text-fg ui4a-focus disabled:pointer-events-none disabled:opacity-50 data-[state=active]:border-border data-[state=active]:bg-card data-[state=active]:text-fg data-[state=active]:shadow-xs",
          className,
        )}
      >
        {wrapped(children ?? label)}
      </Primitive.Trigger>
    );
  },
  "button",
);

export const TabsContent: (props: TabsContentProps) => React.ReactNode = root.needs(
  ({ value, className, children, ...rest }: Loose) => {
    return (
      <Primitive.Content
        data-slot="tabs-content"
        {...dom(rest)}
        value={String(value ?? "")}
        className={cn("min-w-0 flex-1 rounded-md text-sm ui4a-focus", className)}
      >
        {wrapped(children)}
      </Primitive.Content>
    );
  },
  "div",
);
