/** A number that counts to its new value. Readers and tests see the value at once, in the label. */
import * as React from "react";
import { cn } from "./lib/cn.js";
import { dom, node, type Loose } from "./lib/node.js";
import type { Html } from "./lib/props.js";

export interface NumberFlowProps extends Html<"span", "prefix"> {
  value?: number | string;
  prefix?: string;
  suffix?: string;
  format?: Intl.NumberFormatOptions;
  locales?: string | string[];
  /** Whether a change is counted through. */
  animated?: boolean;
  trend?: unknown;
  plugins?: unknown[];
}

/** Milliseconds from one value to the next. */
const COUNT = 500;

const still = () => typeof matchMedia === "function" && matchMedia("(prefers-reduced-motion: reduce)").matches;

function format(value: number, options: unknown, locales: unknown): string {
  try {
    return value.toLocaleString(locales as string, options as Intl.NumberFormatOptions);
  } catch {
    return String(value);
  }
}

export function NumberFlow(props: NumberFlowProps): React.ReactNode;
export function NumberFlow({
  value,
  prefix,
  suffix,
  format: options,
  locales,
  className,
  trend: _trend,
  plugins: _plugins,
  animated = true,
  children,
  ...rest
}: Loose) {
  const target = Number(value ?? children ?? 0);
  const [shown, setShown] = React.useState(target);
  const from = React.useRef(target);
  React.useEffect(() => {
    if (!Number.isFinite(target) || from.current === target) return;
    if (!animated || still()) {
      from.current = target;
      return setShown(target);
    }
    const [begin, start] = [from.current, performance.now()];
    let request = 0;
    const tick = (now: number) => {
      const done = Math.min((now - start) / COUNT, 1);
      const eased = 1 - (1 - done) ** 3;
      from.current = done === 1 ? target : begin + (target - begin) * eased;
      setShown(from.current);
      if (done < 1) request = requestAnimationFrame(tick);
    };
    request = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(request);
  }, [target, animated]);
  // On the way, no more digits than the ends have.
  const digits = Math.max(0, (String(target).split(".")[1] ?? "").length);
  const text = Number.isFinite(target)
    ? format(Number(shown.toFixed(Math.min(digits, 20))), options, locales)
    : String(value ?? "");
  return (
    <span
      data-slot="number-flow"
      role="img"
      aria-label={`${prefix ?? ""}${Number.isFinite(target) ? format(target, options, locales) : text}${suffix ?? ""}`}
      {...dom(rest)}
      className={cn("tabular-nums", className)}
    >
      {node(prefix)}
      {text}
      {node(suffix)}
    </span>
  );
}

/** A plugin of the older dialect; counting is continuous here anyway. */
export const numberFlowContinuous = {};
