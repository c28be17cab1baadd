/** One of several: radio groups and selectable tiles. */
import * as React from "react";
import * as Primitive from "@radix-ui/react-radio-group";
import { cn } from "./lib/cn.js";
import { family } from "./lib/family.js";
import { dom, icon as asIcon, node, wrapped, type Loose } from "./lib/node.js";
import { changeEvent, stored, useControlled, useSetterName, wantsEvent } from "./lib/events.js";
import { choices, type Choice } from "./lib/options.js";
import { useFieldProps } from "./lib/field-context.js";
import { inField } from "./field.js";
import { Grid } from "./layout.js";
import type { Changes, Html, LabelProps, Options } from "./lib/props.js";

export interface RadioGroupProps extends LabelProps, Html<"div", Changes> {
  options?: Options;
  /** The same as `options`. */
  items?: Options;
  value?: any;
  defaultValue?: any;
  /** Gets the value of the option that was chosen. */
  onValueChange?: (value: any) => void;
  /** Gets the value, or an event when it reads one. */
  onChange?: (value: any) => void;
  /** The same as `onValueChange`. */
  onSelect?: (value: any) => void;
  orientation?: "horizontal" | "vertical";
  name?: string;
  disabled?: boolean;
  required?: boolean;
}
export interface RadioGroupItemProps extends Html<"button", "value"> {
  value?: any;
  label?: React.ReactNode;
  hint?: React.ReactNode;
  /** The same as `hint`. */
  description?: React.ReactNode;
}
export interface SelectionGridProps extends RadioGroupProps {
  /** How many tiles side by side. */
  cols?: number;
  /** The same as `cols`. */
  columns?: number;
}

const group = family();

/** The chosen value of a group, and what choosing calls with the value in the type that it was given. */
function useChoice(props: Loose, list: Choice[]): [string, (next: string) => void] {
  const setter = useSetterName();
  const { onValueChange, onChange, onSelect } = props;
  const plain = stored(props.value);
  const given = plain === undefined ? undefined : String(plain ?? "");
  const [value, setOwn] = useControlled(
    given,
    props.defaultValue === undefined ? "" : String(props.defaultValue),
    Boolean(onValueChange || onChange || onSelect),
  );
  const choose = (next: string) => {
    setOwn(next);
    const match = list.find((choice) => choice.value === next)?.original;
    const result =
      typeof match === "number" || (typeof plain === "number" && !Number.isNaN(Number(next))) ? Number(next) : next;
    onValueChange?.(result);
    onSelect?.(result);
    if (typeof onChange === "function")
      onChange(wantsEvent(onChange, setter) ? changeEvent(result, { name: props.name, checked: true }) : result);
  };
  return [value, choose];
}

function Group({
  className,
  children,
  options,
  items,
  value,
  defaultValue,
  onValueChange,
  onChange,
  onSelect,
  orientation,
  id,
  ...rest
}: Loose) {
  const list = choices(options ?? items);
  const [chosen, choose] = useChoice({ value, defaultValue, onValueChange, onChange, onSelect, name: rest.name }, list);
  return (
    <Primitive.Root
      data-slot="radio-group"
      {...useFieldProps(id)}
      {...dom(rest)}
      value={chosen}
      onValueChange={choose}
      className={cn(
        "flex gap-2.5",
        orientation === "horizontal" ? "flex-row flex-wrap gap-x-5" : "flex-col",
        className,
      )}
    >
      {group.within(
        <>
          {list.map((choice) => (
            <RadioGroupItem
              key={choice.value}
              value={choice.value}
              disabled={choice.disabled}
              label={choice.label}
              hint={choice.more.description ?? choice.more.hint}
            />
          ))}
          {wrapped(children)}
        </>,
      )}
    </Primitive.Root>
  );
}

/** Radio buttons, from RadioGroupItem children or from `options`. */
export function RadioGroup(props: RadioGroupProps): React.ReactNode;
export function RadioGroup(props: Loose) {
  return inField(props, (rest) => <Group {...rest} />);
}

export const RadioGroupItem: (props: RadioGroupItemProps) => React.ReactNode = group.needs(
  ({ value, label, hint, description, id, className, children, ...rest }: Loose) => {
    const own = React.useId();
    const text = label ?? children;
    const note = hint ?? description;
    const control = (
      <Primitive.Item
        data-slot="radio-group-item"
        {...dom(rest)}
        id={id ?? own}
        value={String(value ?? "")}
        className={cn(
          "ui4a-hit inline-flex h-4 w-4 shrink-0 cursor-pointer items-center justify-center rounded-full border border-input bg-card shadow-xs transition-colors ui4a-focus disabled:cursor-not-allowed disabled:opacity-50 data-[state=checked]:border-primary",
          className,
        )}
      >
        <Primitive.Indicator className="block h-2 w-2 rounded-full bg-primary" />
      </Primitive.Item>
    );
    if (text === undefined) return control;
    return (
      <div className="flex min-w-0 items-start gap-2.5">
        <span className="flex h-5 items-center">{control}</span>
        <label htmlFor={id ?? own} className="min-w-0 cursor-pointer text-sm leading-5 select-none">
          {wrapped(text)}
          {note !== undefined && <span className="block text-xs text-muted-foreground">{node(note)}</span>}
        </label>
      </div>
    );
  },
  ({ value, label, children, name }) => (
    <label className="flex items-center gap-2 text-sm">
      <input type="radio" name={name} value={String(value ?? "")} />
      {wrapped(label ?? children)}
    </label>
  ),
);

function Tiles({
  className,
  children,
  options,
  items,
  value,
  defaultValue,
  onValueChange,
  onChange,
  onSelect,
  cols,
  columns,
  id,
  ...rest
}: Loose) {
  const list = choices(items ?? options);
  const [chosen, choose] = useChoice({ value, defaultValue, onValueChange, onChange, onSelect, name: rest.name }, list);
  return (
    <Primitive.Root
      data-slot="selection-grid"
      {...useFieldProps(id)}
      {...dom(rest)}
      value={chosen}
      onValueChange={choose}
      className={className}
    >
      <Grid cols={columns ?? cols ?? Math.min(Math.max(list.length, 1), 3)} gap={2}>
        {list.map((choice) => (
          <Primitive.Item
            key={choice.value}
            value={choice.value}
            disabled={choice.disabled}
            className="flex min-h-11 cursor-pointer flex-col items-start justify-center gap-0.5 rounded-lg border border-input bg-card px-3 py-2 text-left text-sm font-medium transition-colors hover:bg-surface-2 ui4a-focus disabled:cursor-not-allowed disabled:opacity-50 data-[state=checked]:border-primary data-[state=checked]:bg-primary/10"
          >
            {choice.more.icon && asIcon(choice.more.icon)}
            <span>{node(choice.label)}</span>
            {choice.more.description && (
              <span className="text-xs font-normal text-muted-foreground">{node(choice.more.description)}</span>
            )}
          </Primitive.Item>
        ))}
      </Grid>
      {wrapped(children)}
    </Primitive.Root>
  );
}

/** Tiles of which one is chosen. */
export function SelectionGrid(props: SelectionGridProps): React.ReactNode;
export function SelectionGrid(props: Loose) {
  return inField(props, (rest) => <Tiles {...rest} />);
}
