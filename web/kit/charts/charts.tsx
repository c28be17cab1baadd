/**
 * The charts. Each is recharts' own with its children, and needs no container and no size: it fills the width that it has.
 * Without children it draws `data` with axes, grid and tooltip: `<LineChart data={rows} x="day" y="revenue" />`.
 */
import * as React from "react";
import * as R from "recharts";
import type { Loose } from "../lib/node.js";
import { Boxed, cssColor, Themed } from "./container.js";
import { asRows, categoryKey, seriesOf, type Series } from "./data.js";
import {
  Area,
  Bar,
  CartesianGrid,
  Line,
  Pie,
  PolarAngleAxis,
  Radar,
  RadialBar,
  Scatter,
  XAxis,
  YAxis,
} from "./series.js";
import { paint, seriesColor } from "./theme.js";
import { Legend, Tooltip } from "./tooltip.js";
import type { ChartProps, SparklineProps } from "./props.js";

/** The height of a chart that was given none. */
const HEIGHT = 260;

/**
 * Up to this width a chart is a detail in a line of text or a cell, and keeps its size. A wider one is a width out of an
 * example, written without knowing the page: the chart fills the place that it has instead.
 */
const DETAIL = 240;

const pixels = (value: unknown): number | undefined => {
  const number =
    typeof value === "number"
      ? value
      : typeof value === "string" && /^\d+(\.\d+)?(px)?$/.test(value)
        ? Number.parseFloat(value)
        : Number.NaN;
  return Number.isFinite(number) && number > 0 ? number : undefined;
};

/** The props of the simple form, which are none of recharts'. */
const SIMPLE = new Set([
  "x",
  "y",
  "xKey",
  "yKey",
  "yKeys",
  "xAxis",
  "xDataKey",
  "index",
  "categoryKey",
  "labelKey",
  "series",
  "categories",
  "keys",
  "dataKeys",
  "lines",
  "bars",
  "areas",
  "valueKey",
  "color",
  "colors",
  "legend",
  "showLegend",
  "grid",
  "showGrid",
  "stacked",
  "curve",
  "unit",
  "format",
  "valueFormatter",
  "title",
  "horizontal",
  "donut",
  "dots",
  "tooltip",
  "responsive",
  "children",
  "width",
  "height",
  "style",
  "aspect",
]);

function native(props: Loose): Loose {
  return Object.fromEntries(Object.entries(props).filter(([name]) => !SIMPLE.has(name)));
}

/** Draws a chart in the box that there is: the container's, or else one as wide as the place and as high as asked. */
function InBox({
  chart: Chart,
  props,
  children,
}: {
  chart: React.ElementType;
  props: Loose;
  children: React.ReactNode;
}) {
  const inside = React.useContext(Boxed);
  const [foreign, setForeign] = React.useState(false);
  const place = React.useRef<HTMLSpanElement>(null);
  // recharts' own ResponsiveContainer, imported beside this chart, is seen only in the document.
  React.useLayoutEffect(() => setForeign(Boolean(place.current?.closest(".recharts-responsive-container"))), []);
  const rest = native(props);
  if (inside || foreign) {
    return (
      <Themed>
        <Chart {...rest} style={props.style}>
          {children}
        </Chart>
      </Themed>
    );
  }
  const [width, height] = [pixels(props.width), pixels(props.height)];
  const size: React.CSSProperties = {
    width: width !== undefined && width <= DETAIL ? width : "100%",
    ...(props.aspect ? { aspectRatio: String(props.aspect) } : { height: height ?? HEIGHT }),
    ...(props.style !== null && typeof props.style === "object" ? props.style : {}),
  };
  return (
    <Themed>
      <span ref={place} hidden />
      <Chart {...rest} responsive style={size}>
        {children}
      </Chart>
    </Themed>
  );
}

/** Rows that carry their colour, for charts whose every row is a series of its own. */
const colored = (rows: Loose[], props: Loose): Loose[] =>
  rows.map((row, at) => ({
    ...row,
    fill: cssColor(paint(row.fill ?? row.color ?? props.colors?.[at])) ?? seriesColor(at),
  }));

type Draw = (parts: { props: Loose; rows: Loose[]; category: string | undefined; series: Series[] }) => React.ReactNode;

function chart(
  Chart: React.ElementType,
  name: string,
  draw: Draw,
  prepare: (rows: Loose[], props: Loose) => Loose[] = (rows) => rows,
) {
  const Wrapped = (props: Loose) => {
    const rows = asRows(props.data, categoryKey(props, []), seriesOf(props, [], undefined)[0]?.key);
    if (React.Children.toArray(props.children).length > 0) {
      return (
        <InBox chart={Chart} props={props.data === undefined ? props : { ...props, data: rows }}>
          {props.children}
        </InBox>
      );
    }
    const category = categoryKey(props, rows);
    const series = seriesOf(props, rows, category);
    return (
      <InBox
        chart={Chart}
        props={{ ...props, data: prepare(rows, props), ...(props.horizontal ? { layout: "vertical" } : {}) }}
      >
        {draw({ props, rows, category, series })}
      </InBox>
    );
  };
  Wrapped.displayName = name;
  return Wrapped;
}

const color = (series: Series, at: number) => cssColor(paint(series.color)) ?? seriesColor(at);

/** Axes, grid, tooltip, and a legend when there is more than one series. */
function frame({ props, category, series }: Parameters<Draw>[0], more: Loose = {}): React.ReactNode {
  const format = props.valueFormatter ?? props.format;
  const tick = typeof format === "function" ? { tickFormatter: (value: unknown) => String(format(value)) } : {};
  const flat = Boolean(props.horizontal);
  return (
    <>
      {props.grid !== false && props.showGrid !== false && <CartesianGrid vertical={flat} horizontal={!flat} />}
      {flat ? <XAxis type="number" {...tick} /> : <XAxis dataKey={category} {...more} />}
      {flat ? <YAxis type="category" dataKey={category} /> : <YAxis unit={props.unit} {...tick} />}
      {props.tooltip !== false && (
        <Tooltip
          {...(typeof format === "function" ? { formatter: (value: unknown) => format(value) } : {})}
          unit={props.unit}
        />
      )}
      {(props.legend ?? props.showLegend ?? series.length > 1) && <Legend />}
    </>
  );
}

export const LineChart: (props: ChartProps) => React.ReactNode = chart(R.LineChart, "LineChart", (parts) => (
  <>
    {frame(parts)}
    {parts.series.map((series, at) => (
      <Line
        key={series.key}
        dataKey={series.key}
        name={series.name}
        stroke={color(series, at)}
        type={parts.props.curve ?? "monotone"}
        dot={parts.props.dots ?? parts.rows.length <= 2}
      />
    ))}
  </>
));

export const AreaChart: (props: ChartProps) => React.ReactNode = chart(R.AreaChart, "AreaChart", (parts) => (
  <>
    {frame(parts)}
    {parts.series.map((series, at) => (
      <Area
        key={series.key}
        dataKey={series.key}
        name={series.name}
        stroke={color(series, at)}
        type={parts.props.curve ?? "monotone"}
        stackId={parts.props.stacked ? "all" : undefined}
      />
    ))}
  </>
));

export const BarChart: (props: ChartProps) => React.ReactNode = chart(R.BarChart, "BarChart", (parts) => (
  <>
    {frame(parts)}
    {parts.series.map((series, at) => (
      <Bar
        key={series.key}
        dataKey={series.key}
        name={series.name}
        fill={color(series, at)}
        radius={parts.props.horizontal ? [0, 3, 3, 0] : parts.props.stacked ? 0 : [3, 3, 0, 0]}
        stackId={parts.props.stacked ? "all" : undefined}
      />
    ))}
  </>
));

const KINDS: Record<string, React.ElementType> = { bar: Bar, area: Area, line: Line };

export const ComposedChart: (props: ChartProps) => React.ReactNode = chart(
  R.ComposedChart,
  "ComposedChart",
  (parts) => (
    <>
      {frame(parts)}
      {parts.series.map((series, at) => {
        const kind = series.kind && series.kind in KINDS ? series.kind : at === 0 ? "bar" : "line";
        const Drawn = KINDS[kind]!;
        return (
          <Drawn
            key={series.key}
            dataKey={series.key}
            name={series.name}
            {...(kind === "bar" ? { fill: color(series, at) } : { stroke: color(series, at) })}
          />
        );
      })}
    </>
  ),
);

export const ScatterChart: (props: ChartProps) => React.ReactNode = chart(
  R.ScatterChart,
  "ScatterChart",
  ({ props, rows, category, series }) => (
    <>
      {props.grid !== false && <CartesianGrid vertical />}
      <XAxis
        type={rows.every((row) => typeof row[category ?? ""] === "number") ? "number" : "category"}
        dataKey={category}
        name={category}
      />
      <YAxis type="number" dataKey={series[0]?.key} name={series[0]?.name ?? series[0]?.key} />
      <Tooltip hideLabel />
      <Scatter data={rows} fill={color(series[0] ?? { key: "" }, 0)} />
    </>
  ),
);

export const PieChart: (props: ChartProps) => React.ReactNode = chart(
  R.PieChart,
  "PieChart",
  ({ props, rows, category, series }) => (
    <>
      <Tooltip
        hideLabel
        {...(typeof (props.valueFormatter ?? props.format) === "function"
          ? { formatter: (value: unknown) => (props.valueFormatter ?? props.format)(value) }
          : {})}
      />
      <Pie
        data={colored(rows, props)}
        dataKey={series[0]?.key ?? "value"}
        nameKey={category ?? "name"}
        innerRadius={props.donut || props.innerRadius ? (props.innerRadius ?? "55%") : 0}
        paddingAngle={rows.length > 1 && props.donut ? 1 : 0}
      />
      {props.legend !== false && props.showLegend !== false && <Legend />}
    </>
  ),
);

export const RadarChart: (props: ChartProps) => React.ReactNode = chart(
  R.RadarChart,
  "RadarChart",
  ({ props, category, series }) => (
    <>
      <R.PolarGrid />
      <PolarAngleAxis dataKey={category} />
      <Tooltip />
      {series.map((one, at) => (
        <Radar key={one.key} dataKey={one.key} name={one.name ?? one.key} stroke={color(one, at)} />
      ))}
      {(props.legend ?? series.length > 1) && <Legend />}
    </>
  ),
);

const RadialChart = (props: Loose) => (
  <R.RadialBarChart innerRadius="30%" outerRadius="95%" startAngle={90} endAngle={-270} {...props} />
);

export const RadialBarChart: (props: ChartProps) => React.ReactNode = chart(
  RadialChart,
  "RadialBarChart",
  ({ props, category, series }) => (
    <>
      <Tooltip nameKey={category} hideLabel />
      <RadialBar dataKey={series[0]?.key ?? "value"} name={category} />
      {props.legend !== false && <Legend />}
    </>
  ),
  colored,
);

/** A line without axes, for a cell or beside a figure. `data` may be plain numbers. */
export function Sparkline(props: SparklineProps): React.ReactNode;
export function Sparkline({
  data,
  values,
  y,
  dataKey,
  color: asked,
  tone,
  height = 32,
  width,
  area = true,
  className,
  ...rest
}: Loose) {
  const rows = asRows(data ?? values);
  const key = seriesOf({ y: y ?? dataKey }, rows, rows[0] && "name" in rows[0] ? "name" : undefined)[0]?.key ?? "value";
  const tints: Loose = {
    success: "var(--success)",
    danger: "var(--danger)",
    warn: "var(--warn)",
    muted: "var(--muted)",
  };
  const stroke = cssColor(paint(asked)) ?? tints[tone] ?? "var(--series-1)";
  const bounds = <R.YAxis hide domain={["dataMin", "dataMax"]} />;
  const margin = { top: 2, right: 2, bottom: 2, left: 2 };
  return (
    <div
      data-slot="sparkline"
      role="img"
      aria-label={rest["aria-label"] ?? "Trend"}
      className={className}
      style={{ width: width ?? "100%", height, minWidth: 0 }}
    >
      <Boxed.Provider value={true}>
        <R.ResponsiveContainer width="100%" height="100%">
          {area ? (
            <R.AreaChart data={rows} margin={margin} accessibilityLayer={false}>
              {bounds}
              <R.Area
                dataKey={key}
                type="monotone"
                stroke={stroke}
                strokeWidth={1.5}
                fill={stroke}
                fillOpacity={0.12}
                dot={false}
                isAnimationActive={false}
              />
            </R.AreaChart>
          ) : (
            <R.LineChart data={rows} margin={margin} accessibilityLayer={false}>
              {bounds}
              <R.Line
                dataKey={key}
                type="monotone"
                stroke={stroke}
                strokeWidth={1.5}
                dot={false}
                isAnimationActive={false}
              />
            </R.LineChart>
          )}
        </R.ResponsiveContainer>
      </Boxed.Provider>
    </div>
  );
}
