/**
 * Sliders. A list as `value` calls back with a list, as Radix does. A single number calls back with a number, unless the
 * handler takes its argument apart (`([v]) => …`, `v[0]`) or reads an event (`e.target.value`): then with a value that
 * answers all three.
 */
import * as React from "react";
import * as Primitive from "@radix-ui/react-slider";
import { cn } from "./lib/cn.js";
import { dom, node, textOf, type Loose } from "./lib/node.js";
import { stored, useControlled, wantsList, type Handler } from "./lib/events.js";
import { useFieldProps } from "./lib/field-context.js";
import { Field } from "./field.js";
import type { Changes, Html, LabelProps } from "./lib/props.js";

export interface SliderProps extends LabelProps, Html<"div", Changes> {
  min?: number;
  max?: number;
  step?: number;
  /** A number, or a list for several thumbs. */
  value?: any;
  defaultValue?: any;
  /** Gets a number, or a list when it was given one or takes one apart. */
  onValueChange?: (value: any) => void;
  onChange?: (value: any) => void;
  /** Gets the value when the thumb is let go. */
  onValueCommit?: (value: any) => void;
  /** Shows the value beside the label. */
  showValue?: boolean;
  /** What follows the value that is shown. */
  unit?: string;
  formatValue?: (value: any) => React.ReactNode;
  disabled?: boolean;
  name?: string;
  orientation?: "horizontal" | "vertical";
}

/** A one-element list that is also a number in arithmetic, and has the `target` of a change event. */
class Position extends Array<number> {
  target!: { value: number; valueAsNumber: number; name?: string };
  static of1(value: number, name?: string): Position {
    const position = new Position();
    position.push(value);
    const target = { value, valueAsNumber: value, name };
    for (const key of ["target", "currentTarget"]) Object.defineProperty(position, key, { value: target });
    return position;
  }
  static get [Symbol.species]() {
    return Array;
  }
  [Symbol.toPrimitive](hint: string) {
    return hint === "string" ? String(this[0]) : this[0];
  }
  toFixed(digits?: number) {
    return (this[0] ?? 0).toFixed(digits);
  }
  override toLocaleString(...given: unknown[]) {
    return (this[0] ?? 0).toLocaleString(...(given as []));
  }
  preventDefault() {}
  stopPropagation() {}
}

const finite = (value: unknown, fallback: number) => {
  const number =
    typeof value === "number" || (typeof value === "string" && value.trim() !== "") ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : fallback;
};

/** What a handler is called with for these thumbs. */
function answer(handler: Handler, next: number[], list: boolean, name?: string): unknown {
  if (list) return next.length === 1 ? Position.of1(next[0]!, name) : next;
  return wantsList(handler) ? Position.of1(next[0]!, name) : next[0];
}

function Track({
  value,
  defaultValue,
  min,
  max,
  step,
  onValueChange,
  onChange,
  onValueCommit,
  className,
  id,
  ticks,
  ...rest
}: Loose) {
  const low = finite(min, 0);
  const high = Math.max(finite(max, 100), low);
  const state = value instanceof Position ? value[0] : stored(value);
  const list = Array.isArray(state) || (state === undefined && Array.isArray(defaultValue));
  const thumbs = (given: unknown): number[] | undefined =>
    given === undefined
      ? undefined
      : (Array.isArray(given) ? given : [given]).map((one) => Math.min(high, Math.max(low, finite(one, low))));
  const first = thumbs(defaultValue) ?? [low];
  const [current, setOwn] = useControlled(thumbs(state), first, Boolean(onValueChange || onChange));
  const call = (handler: Handler, next: number[]) => handler?.(answer(handler, next, list, rest.name));
  const change = (next: number[]) => {
    setOwn(next);
    call(onValueChange, next);
    call(onChange, next);
  };
  const field = useFieldProps(id);
  const { ["aria-label"]: label, ["aria-labelledby"]: labelledBy, children: _children, ...others } = rest;
  return (
    <Primitive.Root
      data-slot="slider"
      {...dom(others)}
      min={low}
      max={high}
      step={finite(step, high - low <= 1 ? 0.01 : 1) || 1}
      value={current.length > 0 ? current : [low]}
      onValueChange={change}
      onValueCommit={(next) => call(onValueCommit, next)}
      className={cn(
        "relative flex h-5 w-full min-w-24 touch-none items-center select-none data-[disabled]:opacity-50",
        className,
      )}
    >
      <Primitive.Track className="relative h-1.5 w-full grow overflow-hidden rounded-full bg-surface-3">
        <Primitive.Range className="absolute h-full bg-primary" />
      </Primitive.Track>
      {current.map((_, at) => (
        <Primitive.Thumb
          key={at}
          {...(at === 0 ? field : {})}
          aria-label={label ?? (labelledBy ? undefined : current.length > 1 ? (at === 0 ? "From" : "To") : undefined)}
          aria-labelledby={labelledBy}
          className="ui4a-thumb ui4a-hit block h-4 w-4 cursor-grab rounded-full border-2 border-primary"
        />
      ))}
      {ticks}
    </Primitive.Root>
  );
}

/** A slider of one or more thumbs; `label` names it, `showValue` shows the number beside the label. */
export function Slider(props: SliderProps): React.ReactNode;
export function Slider({ label, hint, description, error, showValue, unit, formatValue, ...props }: Loose) {
  const id = React.useId();
  const named = { "aria-labelledby": label === undefined ? props["aria-labelledby"] : id, ...props };
  if (label === undefined && hint === undefined && description === undefined && !error) return <Track {...named} />;
  const shown = stored(props.value ?? props.defaultValue);
  const figure =
    typeof formatValue === "function"
      ? formatValue(shown)
      : `${Array.isArray(shown) ? shown.join(" – ") : String(shown)}${unit ?? ""}`;
  return (
    <Field hint={hint ?? description} error={error}>
      <span className="flex items-baseline justify-between gap-2 text-sm">
        <span id={id} className="font-medium">
          {node(label)}
        </span>
        {showValue && shown !== undefined && <span className="text-muted-foreground tabular-nums">{node(figure)}</span>}
      </span>
      <Track {...named} aria-label={textOf(label) || undefined} />
    </Field>
  );
}

/** A slider with a mark at every step, while the marks have room. */
export function TickSlider(props: SliderProps): React.ReactNode;
export function TickSlider(props: Loose) {
  const low = finite(props.min, 0);
  const high = finite(props.max, 100);
  const step = finite(props.step, 1) || 1;
  const count = Math.floor((high - low) / step);
  const every = Math.max(1, Math.ceil(count / 40));
  const marks = count > 0 && count < 10_000 ? Array.from({ length: Math.floor(count / every) + 1 }, (_, at) => at) : [];
  return (
    <div data-slot="tick-slider" className="flex w-full flex-col gap-1">
      <Slider {...props} />
      <div aria-hidden="true" className="flex justify-between px-2">
        {marks.map((at) => (
          <span key={at} className="h-1.5 w-px bg-border" />
        ))}
      </div>
    </div>
  );
}
