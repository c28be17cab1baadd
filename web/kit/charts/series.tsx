/** recharts' axes, grid and series with quieter defaults; every prop of theirs still counts. */
import * as R from "recharts";
import type { Loose } from "../lib/node.js";
import { cssColor } from "./container.js";
import { paint } from "./theme.js";
import type { PartProps } from "./props.js";

/** Milliseconds. A chart is drawn again with each frame of a stream, and a long animation would never end. */
const QUICK = { animationDuration: 300 };

const TICK = { fontSize: 12, fill: "var(--muted)" };

/** Only the colours that were asked for: a missing one is the theme's to choose. */
function colors(props: Loose): Loose {
  const out: Loose = {};
  for (const key of ["stroke", "fill"]) {
    const color = cssColor(paint(props[key]));
    if (color !== undefined) out[key] = color;
  }
  return out;
}

/** Figures on an axis: grouped, and short once they are long. */
function figure(value: unknown): string {
  if (typeof value !== "number") return String(value);
  return Math.abs(value) >= 10_000 ? value.toLocaleString(undefined, { notation: "compact" }) : value.toLocaleString();
}

const isDate = (props: Loose) => props.type === "number" && props.scale === "time";

export function XAxis(props: PartProps): React.ReactNode;
export function XAxis(props: Loose) {
  return (
    <R.XAxis
      tickLine={false}
      axisLine={false}
      tickMargin={8}
      minTickGap={8}
      tick={TICK}
      {...(props.type === "number" && !isDate(props) ? { tickFormatter: figure } : {})}
      {...props}
    />
  );
}

export function YAxis(props: PartProps): React.ReactNode;
export function YAxis(props: Loose) {
  return (
    <R.YAxis
      tickLine={false}
      axisLine={false}
      tickMargin={6}
      width="auto"
      tick={TICK}
      {...(props.type === "category" ? {} : { tickFormatter: figure })}
      {...props}
    />
  );
}

export function CartesianGrid(props: PartProps): React.ReactNode;
export function CartesianGrid(props: Loose) {
  return (
    <R.CartesianGrid
      vertical={false}
      {...props}
      {...colors(props)}
      {...(props.stroke === "#ccc" || props.stroke === "#eee" ? { stroke: "var(--border)" } : {})}
    />
  );
}

export function Line(props: PartProps): React.ReactNode;
export function Line(props: Loose) {
  return (
    <R.Line
      {...QUICK}
      type="monotone"
      strokeWidth={2}
      dot={false}
      {...(props as { dataKey: string })}
      {...colors(props)}
    />
  );
}

export function Area(props: PartProps): React.ReactNode;
export function Area(props: Loose) {
  const asked = colors(props);
  const fill = asked.fill ?? asked.stroke;
  return (
    <R.Area
      {...QUICK}
      type="monotone"
      strokeWidth={2}
      fillOpacity={0.15}
      {...(props as { dataKey: string })}
      {...asked}
      {...(fill ? { fill, stroke: asked.stroke ?? fill } : {})}
    />
  );
}

export function Bar(props: PartProps): React.ReactNode;
export function Bar(props: Loose) {
  return (
    <R.Bar
      {...QUICK}
      radius={props.stackId === undefined ? [3, 3, 0, 0] : undefined}
      maxBarSize={56}
      {...(props as { dataKey: string })}
      {...colors(props)}
    />
  );
}

export function Scatter(props: PartProps): React.ReactNode;
export function Scatter(props: Loose) {
  return <R.Scatter {...QUICK} {...props} {...colors(props)} />;
}

export function Radar(props: PartProps): React.ReactNode;
export function Radar(props: Loose) {
  const asked = colors(props);
  const fill = asked.fill ?? asked.stroke;
  return (
    <R.Radar
      {...QUICK}
      fillOpacity={0.2}
      strokeWidth={2}
      {...(props as { dataKey: string })}
      {...asked}
      {...(fill ? { fill, stroke: asked.stroke ?? fill } : {})}
    />
  );
}

export function RadialBar(props: PartProps): React.ReactNode;
export function RadialBar(props: Loose) {
  return <R.RadialBar {...QUICK} background cornerRadius={4} {...(props as { dataKey: string })} {...colors(props)} />;
}

/** Sectors take the palette in turn; the documents' single example colour for all of them is left out. */
export function Pie(props: PartProps): React.ReactNode;
export function Pie(props: Loose) {
  const { fill, ...rest } = props;
  const asked = typeof fill === "string" && paint(fill) === fill ? { fill } : {};
  return (
    <R.Pie
      {...QUICK}
      dataKey="value"
      nameKey="name"
      outerRadius="80%"
      stroke="var(--card)"
      strokeWidth={2}
      {...rest}
      {...asked}
    />
  );
}

export function Cell(props: PartProps): React.ReactNode;
export function Cell(props: Loose) {
  return <R.Cell {...props} {...colors(props)} />;
}

export function PolarAngleAxis(props: PartProps): React.ReactNode;
export function PolarAngleAxis(props: Loose) {
  return <R.PolarAngleAxis tick={TICK} tickLine={false} axisLine={{ stroke: "var(--border)" }} {...props} />;
}

export function PolarRadiusAxis(props: PartProps): React.ReactNode;
export function PolarRadiusAxis(props: Loose) {
  return <R.PolarRadiusAxis tick={TICK} axisLine={false} {...props} />;
}
