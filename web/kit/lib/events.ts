/**
 * Calls a model's handler with what that handler reads.
 *
 * Models mix three habits for every control: `onValueChange={setX}`, `onChange={(e) => setX(e.target.value)}` and
 * `onChange={(value) => setX(value)}`. The habit is visible: React's state setters share one function name, and the
 * text of any other handler says whether it reads `target` or takes the value apart.
 */
import * as React from "react";
import type { Loose } from "./node.js";

export type Handler = ((...args: any[]) => unknown) | undefined;

/** The name that React gives its own state setters: "bound dispatchSetState", or shorter in a minified build. */
export function useSetterName(): string {
  return React.useState(0)[1].name;
}

const READS_EVENT = /\b(target|currentTarget|nativeEvent|preventDefault|stopPropagation|persist)\b/;
const EVENT_PARAMETER = /^(?:async\s+)?(?:function\b[^(]*)?\(?\s*(?:e|ev|evt|event|_e|_event)\s*[,):=]/;
const NO_PARAMETER = /^(?:async\s+)?(?:function\b[^(]*)?\(\s*\)/;
const TAKES_APART = /^(?:async\s+)?(?:function\b[^(]*)?\(?\s*\[|\[\s*0\s*\]|\.at\(\s*0\s*\)/;

function source(handler: Handler): string {
  return typeof handler === "function" ? Function.prototype.toString.call(handler) : "";
}

/** True when the handler expects an event, as far as its text says; bound and native functions expect one. */
export function wantsEvent(handler: Handler, setterName: string): boolean {
  if (typeof handler !== "function") return false;
  if (setterName.startsWith("bound ") && handler.name === setterName) return false;
  const text = source(handler);
  return (
    text.includes("[native code]") || READS_EVENT.test(text) || EVENT_PARAMETER.test(text) || NO_PARAMETER.test(text)
  );
}

/** True when the handler takes its argument apart as a list, or reads an event from it. */
export function wantsList(handler: Handler): boolean {
  const text = source(handler);
  return TAKES_APART.test(text) || READS_EVENT.test(text);
}

/** Something like a change event, for controls that have no native one. It converts to its value. */
export function changeEvent(value: unknown, more: Loose = {}): Loose {
  const target = { value, ...more };
  return {
    type: "change",
    target,
    currentTarget: target,
    preventDefault() {},
    stopPropagation() {},
    persist() {},
    valueOf: () => value,
    toString: () => String(value),
  };
}

/** Undoes `changeEvent` where a model stored the whole event as its state. */
export function stored(value: unknown): unknown {
  const target = value !== null && typeof value === "object" ? (value as Loose).target : undefined;
  if (target === undefined || target === null) return value;
  return "checked" in target && typeof target.checked === "boolean" && target.value === target.checked
    ? target.checked
    : (target as Loose).value;
}

/**
 * A state that the caller owns when it gives both a value and a handler. A value without a handler is only where to
 * start: a control that ignores its user helps nobody.
 */
export function useControlled<T>(given: T | undefined, first: T, handled: boolean): [T, (next: T) => void] {
  const [own, setOwn] = React.useState<T>(given ?? first);
  const controlled = given !== undefined && handled;
  return [controlled ? given : own, setOwn];
}
