/** A list to choose from by typing. */
import * as React from "react";
import Check from "lucide-react/icons/check";
import ChevronsUpDown from "lucide-react/icons/chevrons-up-down";
import { cn } from "./lib/cn.js";
import { changeEvent, stored, useControlled, useSetterName, wantsEvent } from "./lib/events.js";
import { dom, node, textOf, type Loose } from "./lib/node.js";
import { choices, type Choice } from "./lib/options.js";
import { useFieldProps } from "./lib/field-context.js";
import { inField } from "./field.js";
import { CONTROL } from "./input.js";
import type { Changes, Html, LabelProps, Options } from "./lib/props.js";

export interface ComboboxProps extends LabelProps, Html<"input", Changes | "data"> {
  options?: Options;
  /** The same as `options`. */
  items?: Options;
  /** The same as `options`. */
  data?: Options;
  value?: any;
  defaultValue?: any;
  /** Gets the value of the option that was chosen. */
  onValueChange?: (value: any) => void;
  /** Gets the value, or an event when it reads one. */
  onChange?: (value: any) => void;
  /** The same as `onValueChange`. */
  onSelect?: (value: any) => void;
  /** What is said when no option matches. */
  empty?: React.ReactNode;
  /** The same as `empty`. */
  emptyText?: React.ReactNode;
}

const said = (choice: Choice | undefined) => (choice ? textOf(choice.label) || choice.value : "");

function Control({
  options,
  items,
  data,
  value,
  defaultValue,
  onValueChange,
  onChange,
  onSelect,
  placeholder,
  emptyText,
  empty,
  id,
  className,
  children: _children,
  disabled,
  ...rest
}: Loose) {
  const setter = useSetterName();
  const list = choices(options ?? items ?? data);
  const plain = stored(value);
  const [chosen, setOwn] = useControlled(
    plain === undefined || plain === null ? undefined : String(plain),
    String(defaultValue ?? ""),
    Boolean(onValueChange || onChange || onSelect),
  );
  const [query, setQuery] = React.useState<string | null>(null);
  const [at, setAt] = React.useState(0);
  const listId = React.useId();
  const current = list.find((choice) => choice.value === chosen);
  const wanted = (query ?? "").trim().toLowerCase();
  const found = wanted === "" ? list : list.filter((choice) => said(choice).toLowerCase().includes(wanted));
  const open = query !== null;
  const active = Math.min(at, Math.max(found.length - 1, 0));
  const close = () => {
    setQuery(null);
    setAt(0);
  };
  const pick = (choice: Choice | undefined) => {
    close();
    if (!choice || choice.disabled) return;
    setOwn(choice.value);
    const result = typeof choice.original === "object" ? choice.value : choice.original;
    onValueChange?.(result);
    onSelect?.(result);
    if (typeof onChange === "function") onChange(wantsEvent(onChange, setter) ? changeEvent(result, { id }) : result);
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!open) return setQuery("");
      setAt((active + (event.key === "ArrowDown" ? 1 : -1) + found.length) % Math.max(found.length, 1));
    } else if (event.key === "Enter" && open) {
      event.preventDefault();
      pick(found[active]);
    } else if (event.key === "Escape" && open) {
      event.stopPropagation();
      close();
    }
  };
  return (
    <div data-slot="combobox" className={cn("relative w-full min-w-0", className)}>
      <input
        {...useFieldProps(id)}
        {...dom(rest)}
        role="combobox"
        autoComplete="off"
        aria-expanded={open}
        aria-controls={listId}
        aria-activedescendant={open && found[active] ? `${listId}-${active}` : undefined}
        aria-autocomplete="list"
        disabled={disabled}
        placeholder={String(placeholder ?? "Choose…")}
        value={query ?? said(current)}
        onFocus={(event) => event.target.select()}
        onClick={() => setQuery((now) => now ?? "")}
        onChange={(event) => {
          setQuery(event.target.value);
          setAt(0);
        }}
        onBlur={close}
        onKeyDown={onKeyDown}
        className={cn(CONTROL, "h-9 py-1 pr-8 pl-3")}
      />
      <ChevronsUpDown
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 right-2.5 h-4 w-4 -translate-y-1/2 text-muted-foreground"
      />
      {open && (
        <ul
          id={listId}
          role="listbox"
          className="ui4a-pop ui4a-scroll absolute inset-x-0 top-full z-50 mt-1 max-h-60 overflow-y-auto rounded-md border border-border bg-popover p-1 text-sm text-popover-foreground shadow-md"
        >
          {found.map((choice, index) => (
            <li
              key={`${choice.value} ${index}`}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={choice.value === chosen}
              aria-disabled={choice.disabled || undefined}
              onPointerDown={(event) => {
                event.preventDefault();
                pick(choice);
              }}
              onPointerMove={() => setAt(index)}
              className={cn(
                "flex cursor-pointer items-center justify-between gap-2 rounded-sm px-2 py-1.5 select-none",
                index === active && "bg-surface-3",
                choice.disabled && "opacity-50",
              )}
            >
              {node(choice.label)}
              {choice.value === chosen && <Check aria-hidden="true" className="h-4 w-4 shrink-0" />}
            </li>
          ))}
          {found.length === 0 && (
            <li className="px-2 py-1.5 text-muted-foreground">{node(empty ?? emptyText ?? "Nothing found")}</li>
          )}
        </ul>
      )}
    </div>
  );
}

export function Combobox(props: ComboboxProps): React.ReactNode;
export function Combobox(props: Loose) {
  return inField(props, (rest) => <Control {...rest} />);
}
