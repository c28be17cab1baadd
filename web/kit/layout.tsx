/** Layout: stacks, rows, grids and the lines between them. */
import * as React from "react";
import { cn } from "./lib/cn.js";
import { dom, node, part, wrapped, type Loose } from "./lib/node.js";
import { space } from "./lib/space.js";
import type { Html, Part, Space } from "./lib/props.js";

/** How far apart, and where. */
export interface BoxProps extends Html<"div"> {
  /** Space between children; steps of four pixels, a name, or a CSS length. */
  gap?: Space;
  /** The same as `gap`. */
  spacing?: Space;
  /** Space around the children. */
  padding?: Space;
  /** The same as `padding`. */
  p?: Space;
  align?:
    | "start"
    | "flex-start"
    | "top"
    | "left"
    | "center"
    | "middle"
    | "end"
    | "flex-end"
    | "bottom"
    | "right"
    | "stretch"
    | "baseline";
  justify?:
    | "start"
    | "flex-start"
    | "left"
    | "center"
    | "end"
    | "flex-end"
    | "right"
    | "between"
    | "space-between"
    | "around"
    | "space-around"
    | "evenly"
    | "space-evenly";
}
export interface StackProps extends BoxProps {
  direction?: "column" | "row" | "vertical" | "horizontal";
}
export interface RowProps extends BoxProps {
  /** Whether children that do not fit go to the next line; they do unless it is `false`. */
  wrap?: boolean | "wrap" | "nowrap";
}
export interface GridProps extends BoxProps {
  /** How many columns, a template of CSS, or a count from each width on. */
  cols?: number | string | { base?: number; sm?: number; md?: number; lg?: number; xl?: number };
  /** The same as `cols`. */
  columns?: GridProps["cols"];
}
export interface SeparatorProps extends Html<"div"> {
  orientation?: "horizontal" | "vertical";
  /** Whether it means nothing to a screen reader. */
  decorative?: boolean;
}
export interface SurfaceProps extends Html<"section", "title"> {
  /** A word above the title. */
  kicker?: React.ReactNode;
  title?: React.ReactNode;
  description?: React.ReactNode;
  /** Controls beside the title. */
  actions?: React.ReactNode;
}
export interface PillRowProps extends Html<"div"> {
  items?: (React.ReactNode | { label: React.ReactNode })[];
}

const ALIGN: Record<string, string> = {
  start: "items-start",
  "flex-start": "items-start",
  top: "items-start",
  left: "items-start",
  center: "items-center",
  middle: "items-center",
  end: "items-end",
  "flex-end": "items-end",
  bottom: "items-end",
  right: "items-end",
  stretch: "items-stretch",
  baseline: "items-baseline",
};
const JUSTIFY: Record<string, string> = {
  start: "justify-start",
  "flex-start": "justify-start",
  left: "justify-start",
  center: "justify-center",
  end: "justify-end",
  "flex-end": "justify-end",
  right: "justify-end",
  between: "justify-between",
  "space-between": "justify-between",
  around: "justify-around",
  "space-around": "justify-around",
  evenly: "justify-evenly",
  "space-evenly": "justify-evenly",
};

function spaced(
  style: React.CSSProperties | undefined,
  gap: unknown,
  padding: unknown,
): React.CSSProperties | undefined {
  const [between, around] = [space(gap), space(padding)];
  if (between === undefined && around === undefined) return style;
  return { ...(between && { gap: between }), ...(around && { padding: around }), ...style };
}

/** Children below each other. `direction="row"` makes it a Row, as other kits have it. */
export function Stack(props: StackProps): React.ReactNode;
export function Stack({
  gap,
  spacing,
  padding,
  p,
  align,
  justify,
  direction,
  className,
  style,
  children,
  ...rest
}: Loose) {
  if (direction === "row" || direction === "horizontal") {
    return (
      <Row {...{ gap: gap ?? spacing, padding: padding ?? p, align, justify, className, style, children }} {...rest} />
    );
  }
  const props = dom({ style, ...rest });
  return (
    <div
      data-slot="stack"
      {...props}
      data-padded={(padding ?? p) === undefined ? undefined : ""}
      className={cn("flex min-w-0 flex-col gap-4", ALIGN[align], JUSTIFY[justify], className)}
      style={spaced(props.style, gap ?? spacing, padding ?? p)}
    >
      {wrapped(children)}
    </div>
  );
}

/** Children beside each other; they wrap unless `wrap={false}`. */
export function Row(props: RowProps): React.ReactNode;
export function Row({
  gap,
  spacing,
  padding,
  p,
  align,
  justify,
  wrap = true,
  className,
  style,
  children,
  ...rest
}: Loose) {
  const props = dom({ style, ...rest });
  const wraps = wrap !== false && wrap !== "nowrap" && wrap !== "no-wrap";
  return (
    <div
      data-slot="row"
      {...props}
      data-align={align === undefined ? undefined : ""}
      data-padded={(padding ?? p) === undefined ? undefined : ""}
      className={cn(
        "flex min-w-0 flex-row gap-3",
        wraps && "flex-wrap",
        ALIGN[align ?? "center"],
        JUSTIFY[justify],
        className,
      )}
      style={spaced(props.style, gap ?? spacing, padding ?? p)}
    >
      {wrapped(children)}
    </div>
  );
}

/** The narrowest a column may get before the grid drops one, by how many columns were asked for. */
function narrowest(columns: number): string {
  if (columns <= 2) return "15rem";
  if (columns === 3) return "12rem";
  return columns === 4 ? "9rem" : "7rem";
}

const SIZES = ["base", "sm", "md", "lg", "xl"] as const;

/** `grid-template-columns` for what was asked: a count that collapses, a template, or one count a breakpoint. */
function template(columns: unknown): { style: Loose; stepped: boolean } {
  if (columns !== null && typeof columns === "object") {
    const given = columns as Loose;
    let last = given.base ?? given.default ?? given.xs ?? 1;
    const style: Loose = {};
    for (const size of SIZES) {
      const count = Number(size === "base" ? last : (given[size] ?? last));
      last = Number.isInteger(count) && count > 0 ? count : last;
      style[`--cols-${size}`] = String(last);
    }
    return { style, stepped: true };
  }
  const count = Number(columns);
  if (Number.isInteger(count) && count > 0) {
    const widest = `(100% - ${count - 1} * var(--grid-gap)) / ${count}`;
    const style = {
      gridTemplateColumns:
        count === 1
          ? "minmax(0, 1fr)"
          : `repeat(auto-fill, minmax(min(100%, max(${narrowest(count)}, ${widest} - 0.1px)), 1fr))`,
    };
    return { style, stepped: false };
  }
  return typeof columns === "string" && columns.trim()
    ? { style: { "--cols-template": columns }, stepped: true }
    : { style: {}, stepped: false };
}

/** A grid of `cols` equal columns; it shows fewer where they would get too narrow. */
export function Grid(props: GridProps): React.ReactNode;
export function Grid({ cols, columns, gap, spacing, padding, p, align, className, style, children, ...rest }: Loose) {
  const { style: tracks, stepped } = template(cols ?? columns ?? 2);
  const props = dom({ style, ...rest });
  return (
    <div
      data-slot="grid"
      {...props}
      data-stepped={stepped ? "" : undefined}
      data-padded={(padding ?? p) === undefined ? undefined : ""}
      className={cn("grid min-w-0", ALIGN[align], className)}
      style={
        {
          "--grid-gap": space(gap ?? spacing) ?? "16px",
          gap: "var(--grid-gap)",
          ...tracks,
          ...spaced(props.style, undefined, padding ?? p),
        } as React.CSSProperties
      }
    >
      {wrapped(children)}
    </div>
  );
}

/** Two equal columns, one where space is short. */
export function TwoColumnGrid(props: BoxProps): React.ReactNode;
export function TwoColumnGrid(props: Loose) {
  return <Grid {...props} cols={2} />;
}

/** A line between groups, across or (with `orientation="vertical"`) upright. */
export function Separator(props: SeparatorProps): React.ReactNode;
export function Separator({ orientation, decorative = true, className, children: _children, ...rest }: Loose) {
  const upright = orientation === "vertical";
  return (
    <div
      data-slot="separator"
      role={decorative ? "none" : "separator"}
      aria-orientation={decorative || !upright ? undefined : "vertical"}
      {...dom(rest)}
      className={cn("shrink-0 bg-border", upright ? "min-h-4 w-px self-stretch" : "h-px w-full", className)}
    />
  );
}

/** A titled region of the page: kicker, title, description, actions, then what it holds. */
export function Surface(props: SurfaceProps): React.ReactNode;
export function Surface({ kicker, title, description, actions, className, children, ...rest }: Loose) {
  return (
    <section
      data-slot="surface"
      {...dom(rest)}
      className={cn(
        "flex min-w-0 flex-col gap-5 rounded-xl border border-border bg-card p-5 text-card-foreground",
        className,
      )}
    >
      {(kicker || title || description || actions) && (
        <header className="flex flex-wrap items-start justify-between gap-3">
          <div className="flex min-w-0 flex-col gap-1">
            {kicker && (
              <p className="text-xs font-medium tracking-wide text-muted-foreground uppercase">{node(kicker)}</p>
            )}
            {title && <h2 className="text-lg font-semibold tracking-tight">{node(title)}</h2>}
            {description && <p className="text-sm text-muted-foreground">{node(description)}</p>}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2">{node(actions)}</div>}
        </header>
      )}
      {wrapped(children)}
    </section>
  );
}

/** A wrapping row of small rounded labels. */
export function PillRow(props: PillRowProps): React.ReactNode;
export function PillRow({ items, className, children, ...rest }: Loose) {
  return (
    <div data-slot="pill-row" {...dom(rest)} className={cn("flex flex-wrap gap-2", className)}>
      {(Array.isArray(items) ? items : []).map((item, at) => (
        <span
          key={at}
          className="inline-flex items-center rounded-full border border-border bg-surface-2 px-2.5 py-0.5 text-xs font-medium"
        >
          {node(item !== null && typeof item === "object" && "label" in item ? item.label : item)}
        </span>
      ))}
      {wrapped(children)}
    </div>
  );
}

/** A centred column no wider than a page. */
export const Container: Part<"div"> = part("div", "container", (given) => cn("mx-auto w-full max-w-5xl p-4", given));
