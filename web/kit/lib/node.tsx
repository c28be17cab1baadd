/** Makes what a model passed as children, style or value safe to hand to React. */
import * as React from "react";

export type Loose = Record<string, any>;

/** Turns a value that React refuses as a child (a date, a plain object) into text; everything else is itself. */
export function node(value: unknown): React.ReactNode {
  if (value === null || value === undefined || typeof value !== "object") {
    return typeof value === "bigint" ? String(value) : (value as React.ReactNode);
  }
  if (React.isValidElement(value)) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "" : value.toLocaleDateString();
  if (Array.isArray(value)) return value.every(isPlain) ? value.join(", ") : (value as React.ReactNode);
  const icon = component(value);
  if (icon) return React.createElement(icon);
  if ("$$typeof" in value || Symbol.iterator in value || "then" in value) return value as React.ReactNode;
  try {
    return JSON.stringify(value);
  } catch {
    return String(value);
  }
}

function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number";
}

/** A forwardRef or memo component given where an element was meant, as in `icon={TrendingUp}`. */
function component(value: object): React.ElementType | undefined {
  const kind = (value as Loose).$$typeof;
  return kind === Symbol.for("react.forward_ref") || kind === Symbol.for("react.memo") ? (value as any) : undefined;
}

/** An icon as an element, whether the model passed `<Star />` or `Star`. */
export function icon(value: unknown): React.ReactNode {
  return typeof value === "function" ? React.createElement(value as React.ElementType) : node(value);
}

/** Props for a DOM element: `asChild` is gone, and a style written as text is an object, since React throws on text. */
export function dom<P extends Loose>(given: P): P {
  // Whoever can honour `asChild` has taken it out before.
  const { asChild: _asChild, ...rest } = given;
  const props = rest as unknown as P;
  if (typeof props.style !== "string") return props;
  const style: Record<string, string> = {};
  for (const rule of (props.style as string).split(";")) {
    const at = rule.indexOf(":");
    if (at < 0) continue;
    const name = rule.slice(0, at).trim();
    const key = name.startsWith("--") ? name : name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
    style[key] = rule.slice(at + 1).trim();
  }
  return { ...props, style };
}

/** True when `asChild` can be honoured: exactly one element to take the props. */
export function single(asChild: unknown, children: unknown): boolean {
  return Boolean(asChild) && React.isValidElement(children) && children.type !== React.Fragment;
}

/** The children as a flat list, fragments opened, empty ones left out. */
export function flat(children: React.ReactNode): React.ReactNode[] {
  return React.Children.toArray(wrapped(children)).flatMap((child) =>
    React.isValidElement(child) && child.type === React.Fragment ? flat((child.props as Loose).children) : [child],
  );
}

/** The visible text of a node, for labels that need a string. */
export function textOf(value: React.ReactNode): string {
  if (typeof value === "string" || typeof value === "number") return String(value);
  if (Array.isArray(value)) return value.map(textOf).join("");
  return React.isValidElement(value) ? textOf((value.props as Loose).children) : "";
}

type PartProps = React.HTMLAttributes<HTMLElement> & Loose;

/** A component that is one element with its own classes: most parts of a card, a table or a dialog. */
export function part(tag: string, slot: string, classes: (given: any) => string) {
  const Part = ({ className, children, ...rest }: PartProps) =>
    React.createElement(tag, { "data-slot": slot, ...dom(rest), className: classes(className) }, wrapped(children));
  Part.displayName = slot.replace(/(^|-)([a-z])/g, (_, _dash, letter) => letter.toUpperCase());
  return Part;
}

/** Children with every value that React would refuse turned into text. */
export function wrapped(children: React.ReactNode): React.ReactNode {
  if (Array.isArray(children)) return children.every(isPlain) ? children : children.map(loose);
  // A list of one: while children are still being written, the first keeps its state when the second comes.
  return React.isValidElement(children) ? [children] : node(children);
}

function loose(child: React.ReactNode): React.ReactNode {
  return Array.isArray(child) ? child : node(child);
}
