/** A code in single boxes. One real input lies over them, so that paste, autofill and screen readers work. */
import * as React from "react";
import { cn } from "./lib/cn.js";
import { dom, flat, part, wrapped, type Loose } from "./lib/node.js";
import type { Html, Part } from "./lib/props.js";

export interface InputOTPProps extends Html<"input", "onChange" | "value" | "defaultValue" | "pattern"> {
  /** Characters; 6 unless said. */
  maxLength?: number;
  /** The same as `maxLength`. */
  length?: number;
  value?: string;
  defaultValue?: string;
  onChange?: (code: any) => void;
  onValueChange?: (code: string) => void;
  /** Gets the whole code once all characters are there. */
  onComplete?: (code: string) => void;
  /** Which characters count, such as REGEXP_ONLY_DIGITS. */
  pattern?: string | RegExp;
  containerClassName?: string;
  render?: unknown;
}
export interface InputOTPSlotProps extends Html<"div"> {
  /** The place of its character, from 0. */
  index: number;
}

export const REGEXP_ONLY_DIGITS = "^\\d+$";
export const REGEXP_ONLY_CHARS = "^[a-zA-Z]+$";
export const REGEXP_ONLY_DIGITS_AND_CHARS = "^[a-zA-Z0-9]+$";

const Code = React.createContext<{ text: string; focused: boolean }>({ text: "", focused: false });

function matches(pattern: unknown, text: string): boolean {
  if (text === "" || pattern === undefined || pattern === null) return true;
  try {
    return new RegExp(pattern as string | RegExp).test(text);
  } catch {
    return true;
  }
}

export function InputOTP(props: InputOTPProps): React.ReactNode;
export function InputOTP({
  maxLength,
  length,
  value,
  defaultValue,
  onChange,
  onValueChange,
  onComplete,
  pattern,
  className,
  containerClassName,
  children,
  render: _render,
  ...rest
}: Loose) {
  const [own, setOwn] = React.useState(String(defaultValue ?? ""));
  const [focused, setFocused] = React.useState(false);
  const most = Math.min(Math.max(Number(maxLength ?? length) || 6, 1), 32);
  const text = value === undefined || value === null ? own : String(value);
  const change = (event: React.ChangeEvent<HTMLInputElement>) => {
    const next = event.target.value.replace(/\s/g, "").slice(0, most);
    if (!matches(pattern, next)) return;
    setOwn(next);
    onChange?.(next);
    onValueChange?.(next);
    if (next.length === most) onComplete?.(next);
  };
  const boxes =
    flat(children).length > 0 ? (
      wrapped(children)
    ) : (
      <InputOTPGroup>
        {Array.from({ length: most }, (_, at) => (
          <InputOTPSlot key={at} index={at} />
        ))}
      </InputOTPGroup>
    );
  return (
    <Code.Provider value={{ text, focused }}>
      <div
        data-slot="input-otp"
        className={cn("relative flex w-fit items-center gap-2", containerClassName, className)}
      >
        {boxes}
        <input
          inputMode={pattern === undefined || pattern === REGEXP_ONLY_DIGITS ? "numeric" : "text"}
          autoComplete="one-time-code"
          aria-label="Code"
          {...dom(rest)}
          maxLength={most}
          value={text}
          onChange={change}
          onFocus={() => setFocused(true)}
          onBlur={() => setFocused(false)}
          className="absolute inset-0 h-full w-full cursor-text opacity-0"
        />
      </div>
    </Code.Provider>
  );
}

export const InputOTPGroup: Part<"div"> = part("div", "input-otp-group", (given) =>
  cn("flex items-center gap-1.5", given),
);

export function InputOTPSlot(props: InputOTPSlotProps): React.ReactNode;
export function InputOTPSlot({ index, className, ...rest }: Loose) {
  const { text, focused } = React.useContext(Code);
  const at = Number(index) || 0;
  const active = focused && at === text.length;
  return (
    <div
      aria-hidden="true"
      data-slot="input-otp-slot"
      {...dom(rest)}
      className={cn(
        "flex h-10 w-9 items-center justify-center rounded-md border border-input bg-card text-base tabular-nums",
        active && "border-primary ring-2 ring-ring/40",
        className,
      )}
    >
      {text[at] ?? ""}
    </div>
  );
}

export function InputOTPSeparator(props: Html<"div">): React.ReactNode;
export function InputOTPSeparator({ className, children: _children, ...rest }: Loose) {
  return <div role="separator" {...dom(rest)} className={cn("h-px w-3 bg-border", className)} />;
}
