/** Text, headings and code. */
import * as React from "react";
import { Slot } from "@radix-ui/react-slot";
import { cn } from "./lib/cn.js";
import { dom, flat, single, wrapped, type Loose } from "./lib/node.js";
import type { Html, Other, Tone } from "./lib/props.js";

export interface TextProps extends Html<"p", "color" | "ref"> {
  tone?: Tone;
  /** The same as `tone`, or any colour. */
  color?: Tone | Other;
  variant?: Other;
  size?: "xs" | "sm" | "md" | "base" | "lg" | "xl" | "2xl" | "3xl" | "4xl";
  weight?: "light" | "normal" | "regular" | "medium" | "semibold" | "bold" | "400" | "500" | "600" | "700" | number;
  align?: "left" | "center" | "right";
  /** The element to be; `p` unless said. */
  as?: React.ElementType | Other;
  asChild?: boolean;
  /** Cuts a line that is too long. */
  truncate?: boolean;
  htmlFor?: string;
}
export interface HeadingProps extends Html<"h2"> {
  level?: 1 | 2 | 3 | 4 | 5 | 6 | "1" | "2" | "3" | "4" | "5" | "6";
  as?: "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | Other;
  size?: TextProps["size"];
  tone?: Tone;
  align?: "left" | "center" | "right";
}
export interface CodeProps extends Html<"code"> {
  /** A block with lines of its own, not a word in a line. */
  block?: boolean;
  language?: string;
  /** The same as `language`. */
  lang?: string;
  /** The code, when it is not the children. */
  code?: string;
}

const TONE: Record<string, string> = {
  default: "",
  muted: "text-muted-foreground",
  secondary: "text-muted-foreground",
  subtle: "text-muted-foreground",
  accent: "text-accent",
  primary: "text-accent",
  info: "text-accent",
  blue: "text-accent",
  success: "text-success",
  positive: "text-success",
  green: "text-success",
  danger: "text-danger",
  destructive: "text-danger",
  error: "text-danger",
  negative: "text-danger",
  red: "text-danger",
  warn: "text-warn",
  warning: "text-warn",
  orange: "text-warn",
  yellow: "text-warn",
};
const SIZE: Record<string, string> = {
  xs: "text-xs",
  sm: "text-sm",
  md: "text-base",
  base: "text-base",
  lg: "text-lg",
  xl: "text-xl",
  "2xl": "text-2xl",
  "3xl": "text-3xl",
  "4xl": "text-4xl",
};
const WEIGHT: Record<string, string> = {
  light: "font-light",
  normal: "font-normal",
  regular: "font-normal",
  medium: "font-medium",
  semibold: "font-semibold",
  bold: "font-bold",
  "400": "font-normal",
  "500": "font-medium",
  "600": "font-semibold",
  "700": "font-bold",
};
const ALIGN: Record<string, string> = { left: "text-left", center: "text-center", right: "text-right" };
const TAGS = new Set([
  "p",
  "span",
  "div",
  "strong",
  "em",
  "small",
  "label",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "li",
  "code",
  "b",
  "i",
]);

/** A paragraph, or with `as` another element. */
export function Text(props: TextProps): React.ReactNode;
export function Text({
  tone,
  color,
  variant,
  size,
  weight,
  align,
  as,
  asChild,
  truncate,
  className,
  children,
  ...rest
}: Loose) {
  const classes = cn(
    "min-w-0 text-sm leading-normal",
    TONE[tone ?? color ?? variant],
    SIZE[size],
    WEIGHT[String(weight)],
    ALIGN[align],
    truncate && "truncate",
    className,
  );
  const tag = single(asChild, children)
    ? Slot
    : typeof as === "string" && TAGS.has(as)
      ? as
      : hasBlocks(children)
        ? "div"
        : "p";
  return React.createElement(
    tag as React.ElementType,
    { "data-slot": "text", ...dom(rest), className: classes },
    tag === Slot ? children : wrapped(children),
  );
}

/** True when a paragraph would be closed early by what it holds. */
function hasBlocks(children: React.ReactNode): boolean {
  return flat(children).some(
    (child) =>
      React.isValidElement(child) &&
      typeof child.type === "string" &&
      /^(div|p|ul|ol|table|h[1-6]|section|pre)$/.test(child.type),
  );
}

const LEVEL = [
  "text-2xl font-semibold tracking-tight",
  "text-xl font-semibold tracking-tight",
  "text-lg font-semibold tracking-tight",
  "text-base font-semibold",
  "text-sm font-semibold",
  "text-sm font-medium",
];

/** A heading of `level` 1 to 6 (2 unless said). */
export function Heading(props: HeadingProps): React.ReactNode;
export function Heading({ level, as, size, tone, align, className, children, ...rest }: Loose) {
  const asked = Number(level ?? (/^h[1-6]$/.test(String(as)) ? String(as)[1] : 2));
  const depth = asked >= 1 && asked <= 6 ? Math.trunc(asked) : 2;
  return React.createElement(
    `h${depth}`,
    {
      "data-slot": "heading",
      ...dom(rest),
      className: cn("min-w-0 text-balance", LEVEL[depth - 1], SIZE[size], TONE[tone], ALIGN[align], className),
    },
    wrapped(children),
  );
}

/** Code in a line, or a block when it has several lines, `block` or a `language`. */
export function Code(props: CodeProps): React.ReactNode;
export function Code({ block, language, lang, code, className, children, ...rest }: Loose) {
  const text = code ?? children;
  const isBlock = block ?? (Boolean(language ?? lang) || (typeof text === "string" && text.includes("\n")));
  if (!isBlock) {
    return (
      <code
        data-slot="code"
        {...dom(rest)}
        className={cn("rounded-sm bg-surface-2 px-1 py-0.5 font-mono text-xs", className)}
      >
        {wrapped(text)}
      </code>
    );
  }
  return (
    <pre
      data-slot="code"
      tabIndex={0}
      {...dom(rest)}
      className={cn(
        "overflow-x-auto rounded-lg border border-border bg-surface-2 p-3 font-mono text-xs leading-relaxed",
        className,
      )}
    >
      <code data-language={language ?? lang}>{wrapped(text)}</code>
    </pre>
  );
}
