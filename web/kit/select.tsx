/**
 * One of a list. With `options` (or native `<option>` children) it is the browser's own select, which opens outside a
 * small frame and needs no help on phones; with SelectTrigger and SelectContent it is a styled listbox.
 */
import * as React from "react";
import * as Primitive from "@radix-ui/react-select";
import Check from "lucide-react/icons/check";
import ChevronDown from "lucide-react/icons/chevron-down";
import { cn } from "./lib/cn.js";
import { family } from "./lib/family.js";
import { dom, flat, node, textOf, wrapped, type Loose } from "./lib/node.js";
import { changeEvent, stored, useControlled, useSetterName, wantsEvent } from "./lib/events.js";
import { choices, hasElement, type Choice } from "./lib/options.js";
import { useFieldProps } from "./lib/field-context.js";
import { inField } from "./field.js";
import { CONTROL } from "./input.js";
import type { Changes, FloatingProps, Html, LabelProps, Options } from "./lib/props.js";

export interface SelectProps extends LabelProps, Html<"select", Changes | "size"> {
  options?: Options;
  /** The same as `options`. */
  items?: Options;
  value?: any;
  defaultValue?: any;
  /** Gets the value of the option that was chosen. */
  onValueChange?: (value: any) => void;
  /** Gets the event, or the value when it does not read one. */
  onChange?: (event: any) => void;
  placeholder?: string;
  size?: any;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
}
export interface SelectValueProps extends Html<"span"> {
  placeholder?: React.ReactNode;
}
export interface SelectContentProps extends FloatingProps {
  position?: string;
}
export interface SelectItemProps extends Html<"div"> {
  value?: any;
  label?: React.ReactNode;
  disabled?: boolean;
}

const select = family();
const group = family();

/** Radix keeps the empty string for "nothing chosen", so an item whose value is empty goes by this one. */
const EMPTY = "\u0000";

const encode = (value: unknown) => (value === "" || value === null ? EMPTY : String(value));

/** The value in the type that the model holds it in: an option's own, else a number where the state is one. */
function typed(text: string, list: Choice[], state: unknown): unknown {
  const choice = list.find((entry) => entry.value === text);
  if (choice && typeof choice.original !== "object" && choice.original !== undefined) return choice.original;
  return typeof state === "number" && text !== "" && !Number.isNaN(Number(text)) ? Number(text) : text;
}

/** True for the parts that make a Select a compound one. */
function isCompound(children: React.ReactNode): boolean {
  return flat(children).some((child) => React.isValidElement(child) && typeof child.type !== "string");
}

/** The choices named by SelectItem children written without a trigger and content around them. */
function bareItems(children: React.ReactNode): Choice[] | undefined {
  const list = flat(children);
  if (list.length === 0 || !list.every((child) => React.isValidElement(child) && child.type === SelectItem))
    return undefined;
  return list.flatMap((child) => {
    const props = (child as React.ReactElement<Loose>).props;
    return choices([
      { value: props.value, label: props.children ?? props.label ?? props.value, disabled: props.disabled },
    ]);
  });
}

/** Classes that place the control (widths, margins, its part of a row or grid) and those that dress it. */
function divided(className: unknown): [string, string] {
  const words = cn(className as string).split(" ");
  const places = (word: string) =>
    /^(?:[a-z]+:)*(?:-?m[xytrbl]?-|(?:min-|max-)?w-|flex-|grow|shrink|basis-|self-|col-|row-)/.test(word);
  return [words.filter(places).join(" "), words.filter((word) => !places(word)).join(" ")];
}

function Native({
  list,
  value,
  defaultValue,
  onChange,
  onValueChange,
  placeholder,
  className,
  children,
  id,
  size,
  ...rest
}: Loose) {
  const setter = useSetterName();
  const state = stored(value);
  const handled = Boolean(onChange || onValueChange);
  const first = defaultValue ?? (placeholder === undefined ? undefined : "");
  const text = state === undefined || !handled ? undefined : String(state ?? "");
  const change = (event: React.ChangeEvent<HTMLSelectElement>) => {
    const next = rest.multiple
      ? [...event.target.selectedOptions].map((option) => option.value)
      : typed(event.target.value, list, state);
    onValueChange?.(next);
    if (typeof onChange === "function") onChange(wantsEvent(onChange, setter) ? event : next);
  };
  const [place, look] = divided(className);
  const groups = [...new Set((list as Choice[]).map((choice) => choice.group))];
  const option = (choice: Choice, at: number) => (
    <option key={`${choice.value} ${at}`} value={choice.value} disabled={choice.disabled}>
      {typeof choice.label === "string" ? choice.label : textOf(choice.label) || choice.value}
    </option>
  );
  return (
    <span data-slot="select-box" className={cn("relative block w-full min-w-0", place)}>
      <select
        data-slot="select"
        {...useFieldProps(id)}
        {...dom(rest)}
        {...(text === undefined ? { defaultValue: (state ?? first) as string } : { value: text })}
        onChange={change}
        className={cn(CONTROL, "h-9 cursor-pointer appearance-none py-1 pr-8 pl-3", rest.multiple && "h-auto", look)}
      >
        {placeholder !== undefined && (
          <option value="" disabled hidden>
            {String(placeholder)}
          </option>
        )}
        {groups.map((group) => {
          const inside = (list as Choice[]).filter((choice) => choice.group === group).map(option);
          return group === undefined ? (
            <React.Fragment key="">{inside}</React.Fragment>
          ) : (
            <optgroup key={group} label={group}>
              {inside}
            </optgroup>
          );
        })}
        {children}
      </select>
      {!rest.multiple && (
        <ChevronDown
          aria-hidden="true"
          className="pointer-events-none absolute top-1/2 right-2.5 h-4 w-4 -translate-y-1/2 text-muted-foreground"
        />
      )}
    </span>
  );
}

function Compound({
  value,
  defaultValue,
  onChange,
  onValueChange,
  children,
  placeholder: _p,
  className: _c,
  id,
  ...rest
}: Loose) {
  const setter = useSetterName();
  const state = stored(value);
  const given = state === undefined ? undefined : state === null || state === "" ? "" : String(state);
  const [chosen, setOwn] = useControlled(
    given,
    defaultValue === undefined ? "" : encode(defaultValue),
    Boolean(onChange || onValueChange),
  );
  const change = (next: string) => {
    setOwn(next);
    const result = typed(next === EMPTY ? "" : next, [], state ?? defaultValue);
    onValueChange?.(result);
    if (typeof onChange === "function")
      onChange(wantsEvent(onChange, setter) ? changeEvent(result, { name: rest.name, id }) : result);
  };
  return (
    <Primitive.Root {...rest} value={chosen} onValueChange={change}>
      {select.within(wrapped(children))}
    </Primitive.Root>
  );
}

export function Select(props: SelectProps): React.ReactNode;
export function Select(props: Loose) {
  const { options, items, children, data, ...others } = props;
  const list = choices(options ?? items ?? (Array.isArray(data) ? data : undefined));
  const bare = bareItems(children);
  if (list.length === 0 && !bare && isCompound(children) && !hasElement(children, "option", "optgroup")) {
    return inField(others, (rest) => <Compound {...rest}>{children}</Compound>);
  }
  return inField(others, (rest) => (
    <Native {...rest} list={bare ?? list}>
      {bare ? null : wrapped(children)}
    </Native>
  ));
}

export const SelectTrigger: (props: Html<"button"> & { size?: string }) => React.ReactNode = select.needs(
  ({ className, children, id, size: _size, ...rest }: Loose) => {
    return (
      <Primitive.Trigger
        data-slot="select-trigger"
        {...useFieldProps(id)}
        {...dom(rest)}
        className={cn(
          CONTROL,
          "flex h-9 cursor-pointer items-center justify-between gap-2 px-3 py-1 text-left data-[placeholder]:text-muted-foreground",
          className,
        )}
      >
        <span className="min-w-0 truncate">{children === undefined ? <Primitive.Value /> : wrapped(children)}</span>
        <Primitive.Icon>
          <ChevronDown className="h-4 w-4 text-muted-foreground" />
        </Primitive.Icon>
      </Primitive.Trigger>
    );
  },
  "div",
);

export const SelectValue: (props: SelectValueProps) => React.ReactNode = select.needs(
  ({ placeholder, children, className: _c, ...rest }: Loose) => {
    return (
      <Primitive.Value placeholder={node(placeholder)} {...rest}>
        {node(children)}
      </Primitive.Value>
    );
  },
  ({ placeholder, children }) => node(children ?? placeholder),
);

export const SelectContent: (props: SelectContentProps) => React.ReactNode = select.needs(
  ({ className, children, position: _position, ...rest }: Loose) => {
    return (
      <Primitive.Portal>
        <Primitive.Content
          data-slot="select-content"
          sideOffset={4}
          collisionPadding={8}
          {...dom(rest)}
          position="popper"
          className={cn(
            "ui4a-pop ui4a-fit z-50 min-w-32 overflow-hidden rounded-md border border-border bg-popover text-popover-foreground shadow-md",
            className,
          )}
        >
          <Primitive.Viewport className="p-1">{wrapped(children)}</Primitive.Viewport>
        </Primitive.Content>
      </Primitive.Portal>
    );
  },
  "div",
);

export const SelectItem: (props: SelectItemProps) => React.ReactNode = select.needs(
  ({ className, children, value, label, ...rest }: Loose) => {
    return (
      <Primitive.Item
        data-slot="select-item"
        {...dom(rest)}
        value={encode(value ?? "")}
        className={cn(
          "relative flex cursor-pointer items-center rounded-sm py-1.5 pr-8 pl-2 text-sm ui4a-plain-focus select-none data-[disabled]:pointer-events-none data-[disabled]:opacity-50 data-[highlighted]:bg-surface-3",
          className,
        )}
      >
        <Primitive.ItemText>{wrapped(children ?? label ?? (value as React.ReactNode))}</Primitive.ItemText>
        <Primitive.ItemIndicator className="absolute right-2 flex items-center">
          <Check className="h-4 w-4" />
        </Primitive.ItemIndicator>
      </Primitive.Item>
    );
  },
  "div",
);

export const SelectGroup: (props: Html<"div">) => React.ReactNode = select.needs(({ children, className }) => (
  <Primitive.Group className={cn(className)}>{group.within(wrapped(children))}</Primitive.Group>
));

const LABEL = "px-2 py-1.5 text-xs font-medium text-muted-foreground";

export const SelectLabel: (props: Html<"div">) => React.ReactNode = group.needs(
  ({ className, children, ...rest }) => (
    <Primitive.Label {...dom(rest)} className={cn(LABEL, className)}>
      {wrapped(children)}
    </Primitive.Label>
  ),
  ({ className, children }) => <div className={cn(LABEL, className)}>{wrapped(children)}</div>,
);

export function SelectSeparator(props: Html<"div">): React.ReactNode;
export function SelectSeparator({ className, children: _children, ...rest }: Loose) {
  return <Primitive.Separator {...dom(rest)} className={cn("-mx-1 my-1 h-px bg-border", className)} />;
}
