/** Switches and checkboxes. */
import * as React from "react";
import * as SwitchPrimitive from "@radix-ui/react-switch";
import * as CheckboxPrimitive from "@radix-ui/react-checkbox";
import Check from "lucide-react/icons/check";
import Minus from "lucide-react/icons/minus";
import { cn } from "./lib/cn.js";
import { dom, node, wrapped, type Loose } from "./lib/node.js";
import { changeEvent, stored, useControlled, useSetterName, wantsEvent } from "./lib/events.js";
import { useFieldProps } from "./lib/field-context.js";
import type { Html } from "./lib/props.js";

export interface SwitchProps extends Html<"button", "onChange" | "value"> {
  label?: React.ReactNode;
  /** A line of help below. */
  hint?: React.ReactNode;
  /** The same as `hint`. */
  description?: React.ReactNode;
  checked?: boolean;
  /** The same as `checked`. */
  isChecked?: boolean;
  defaultChecked?: boolean;
  value?: any;
  /** Gets whether it is on. */
  onCheckedChange?: (checked: any) => void;
  /** Gets an event, or whether it is on when it does not read one. */
  onChange?: (event: any) => void;
  /** The same as `onCheckedChange`. */
  onValueChange?: (checked: any) => void;
  required?: boolean;
}
export interface CheckboxProps extends Omit<SwitchProps, "checked" | "defaultChecked"> {
  /** `"indeterminate"` shows a dash. */
  checked?: boolean | "indeterminate";
  defaultChecked?: boolean | "indeterminate";
}

type State = boolean | "indeterminate";

function asState(value: unknown): State | undefined {
  const plain = stored(value);
  if (plain === undefined || plain === null) return undefined;
  return plain === "indeterminate" ? plain : plain === "false" ? false : Boolean(plain);
}

/** The state of a switch or checkbox and what its change calls. */
function useChecked(props: Loose): [State, (next: State) => void] {
  const setter = useSetterName();
  const { onCheckedChange, onChange, onValueChange } = props;
  const given = asState(
    props.checked ?? props.isChecked ?? (typeof props.value === "boolean" ? props.value : undefined),
  );
  const handled = Boolean(onCheckedChange || onChange || onValueChange || props.onClick);
  const [state, setOwn] = useControlled<State>(given, asState(props.defaultChecked) ?? false, handled);
  const change = (next: State) => {
    setOwn(next);
    onCheckedChange?.(next);
    onValueChange?.(next);
    if (typeof onChange !== "function") return;
    const on = next === true;
    onChange(
      wantsEvent(onChange, setter)
        ? changeEvent(on, { checked: on, type: "checkbox", name: props.name, id: props.id })
        : on,
    );
  };
  return [state, change];
}

/** Puts a label (from `label` or children) beside a control; the control's own id names it. */
function Labelled({
  text,
  hint,
  id,
  control,
}: {
  text: unknown;
  hint?: unknown;
  id: string;
  control: React.ReactElement;
}) {
  return (
    <div className="flex min-w-0 items-start gap-2.5">
      <span className="flex h-5 items-center">{control}</span>
      <label htmlFor={id} className="min-w-0 cursor-pointer text-sm leading-5 select-none">
        {wrapped(text as React.ReactNode)}
        {hint !== undefined && hint !== null && (
          <span className="block text-xs text-muted-foreground">{node(hint)}</span>
        )}
      </label>
    </div>
  );
}

function rest(props: Loose): Loose {
  const {
    checked: _c,
    isChecked: _i,
    defaultChecked: _d,
    onCheckedChange: _o,
    onChange: _h,
    onValueChange: _v,
    label: _l,
    children: _k,
    hint: _t,
    description: _e,
    className: _n,
    id: _id,
    size: _s,
    tone: _tone,
    value,
    ...others
  } = props;
  return dom({ ...others, ...(typeof value === "string" ? { value } : {}) });
}

/** An on-off switch. */
export function Switch(props: SwitchProps): React.ReactNode;
export function Switch(props: Loose) {
  const own = React.useId();
  const [state, change] = useChecked(props);
  const field = useFieldProps(props.id);
  const text = props.label ?? props.children;
  const id = String(field.id ?? own);
  const control = (
    <SwitchPrimitive.Root
      data-slot="switch"
      {...field}
      {...rest(props)}
      id={id}
      checked={state === true}
      onCheckedChange={change}
      className={cn(
        "ui4a-switch ui4a-hit inline-flex h-5 w-9 shrink-0 cursor-pointer items-center rounded-full transition-colors ui4a-focus disabled:cursor-not-allowed disabled:opacity-50",
        props.className,
      )}
    >
      <SwitchPrimitive.Thumb />
    </SwitchPrimitive.Root>
  );
  return text === undefined ? (
    control
  ) : (
    <Labelled text={text} hint={props.hint ?? props.description} id={id} control={control} />
  );
}

/** A checkbox; `checked="indeterminate"` shows a dash. */
export function Checkbox(props: CheckboxProps): React.ReactNode;
export function Checkbox(props: Loose) {
  const own = React.useId();
  const [state, change] = useChecked(props);
  const field = useFieldProps(props.id);
  const text = props.label ?? props.children;
  const id = String(field.id ?? own);
  const control = (
    <CheckboxPrimitive.Root
      data-slot="checkbox"
      {...field}
      {...rest(props)}
      id={id}
      checked={state}
      onCheckedChange={change}
      className={cn(
        "ui4a-hit inline-flex h-4 w-4 shrink-0 cursor-pointer items-center justify-center rounded-sm border border-input bg-card text-primary-foreground shadow-xs transition-colors ui4a-focus disabled:cursor-not-allowed disabled:opacity-50 data-[state=checked]:border-primary data-[state=checked]:bg-primary data-[state=indeterminate]:border-primary data-[state=indeterminate]:bg-primary",
        props.className,
      )}
    >
      <CheckboxPrimitive.Indicator className="flex items-center justify-center">
        {state === "indeterminate" ? (
          <Minus className="h-3 w-3" strokeWidth={3} />
        ) : (
          <Check className="h-3 w-3" strokeWidth={3} />
        )}
      </CheckboxPrimitive.Indicator>
    </CheckboxPrimitive.Root>
  );
  return text === undefined ? (
    control
  ) : (
    <Labelled text={text} hint={props.hint ?? props.description} id={id} control={control} />
  );
}
