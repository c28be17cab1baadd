/** Text entry. */
import * as React from "react";
import { cn } from "./lib/cn.js";
import { dom, type Loose } from "./lib/node.js";
import { stored, useSetterName, wantsEvent } from "./lib/events.js";
import { useFieldProps } from "./lib/field-context.js";
import { inField } from "./field.js";
import type { Html, Icon, LabelProps } from "./lib/props.js";

export interface InputProps extends LabelProps, Html<"input", "value" | "defaultValue" | "onChange"> {
  value?: any;
  defaultValue?: any;
  /** Gets the event, or the text when it does not read one. */
  onChange?: (event: any) => void;
  /** Gets the text. */
  onValueChange?: (text: any) => void;
  icon?: Icon;
}
export interface TextareaProps extends LabelProps, Html<"textarea", "value" | "defaultValue" | "onChange"> {
  value?: any;
  defaultValue?: any;
  /** Gets the event, or the text when it does not read one. */
  onChange?: (event: any) => void;
  /** Gets the text. */
  onValueChange?: (text: any) => void;
}

export const CONTROL =
  "w-full min-w-0 rounded-md border border-input bg-card text-base text-fg shadow-xs transition-colors placeholder:text-muted-foreground ui4a-control disabled:cursor-not-allowed disabled:opacity-50 sm:text-sm";

/** A value that an input can show; the rest (NaN, null, a stored event) becomes text. */
function shown(value: unknown): string | number | undefined {
  const plain = stored(value);
  if (plain === undefined) return undefined;
  if (plain === null || (typeof plain === "number" && Number.isNaN(plain))) return "";
  if (plain instanceof Date) return Number.isNaN(plain.getTime()) ? "" : plain.toISOString().slice(0, 10);
  return typeof plain === "number" ? plain : String(plain);
}

/** The change handler: `onValueChange` gets the value, `onChange` an event or, if it reads none, the value. */
function useChange(props: Loose) {
  const setter = useSetterName();
  return (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
    const text = event.target.value;
    const value =
      typeof stored(props.value) === "number" && text !== "" && !Number.isNaN(Number(text)) ? Number(text) : text;
    props.onValueChange?.(value);
    if (typeof props.onChange === "function") props.onChange(wantsEvent(props.onChange, setter) ? event : value);
  };
}

function InputControl({
  className,
  children: _children,
  value,
  defaultValue,
  onChange,
  onValueChange,
  id,
  type,
  icon: _icon,
  ...rest
}: Loose) {
  const change = useChange({ value, onChange, onValueChange });
  const field = useFieldProps(id);
  const isFile = type === "file";
  const checks = type === "checkbox" || type === "radio";
  const content = isFile
    ? {}
    : { value: shown(value), defaultValue: value === undefined ? shown(defaultValue) : undefined };
  return (
    <input
      data-slot="input"
      type={type ?? "text"}
      {...field}
      {...dom(rest)}
      {...content}
      onChange={checks || isFile ? onChange : change}
      className={
        checks
          ? cn("h-4 w-4 accent-accent", className)
          : type === "range"
            ? cn("ui4a-range w-full", className)
            : type === "color"
              ? cn("h-9 w-12 cursor-pointer rounded-md border border-input bg-card p-1", className)
              : cn(CONTROL, "h-9 px-3 py-1", className)
      }
    />
  );
}

/** A one-line entry of any HTML type. `label`, `hint` and `error` put it in a Field. */
export function Input(props: InputProps): React.ReactNode;
export function Input(props: React.InputHTMLAttributes<HTMLInputElement> & Loose) {
  return inField(props, (rest) => <InputControl {...rest} />);
}

function TextareaControl({
  className,
  children,
  value,
  defaultValue,
  onChange,
  onValueChange,
  id,
  rows,
  ...rest
}: Loose) {
  const change = useChange({ value, onChange, onValueChange });
  const first =
    value === undefined ? (shown(defaultValue) ?? (typeof children === "string" ? children : undefined)) : undefined;
  return (
    <textarea
      data-slot="textarea"
      {...useFieldProps(id)}
      {...dom(rest)}
      rows={Number(rows) > 0 ? Number(rows) : 3}
      value={shown(value)}
      defaultValue={first}
      onChange={change}
      className={cn(CONTROL, "min-h-16 px-3 py-2", className)}
    />
  );
}

/** Text of several lines. */
export function Textarea(props: TextareaProps): React.ReactNode;
export function Textarea(props: React.TextareaHTMLAttributes<HTMLTextAreaElement> & Loose) {
  return inField(props, (rest) => <TextareaControl {...rest} />);
}
