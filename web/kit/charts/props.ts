/** What charts and their parts are told. Types alone: nothing of this file is left when it is compiled. */
import type * as React from "react";

export interface ChartSeries {
  /** The key of its value in a row. */
  key?: string;
  /** The same as `key`. */
  dataKey?: string;
  name?: string;
  label?: string;
  color?: string;
  /** How a ComposedChart draws it. */
  type?: "bar" | "line" | "area" | (string & {});
  [other: string]: any;
}

type Keys = string | readonly (string | ChartSeries)[];

/** The simple form of a chart; with children it takes recharts' own props instead, which are all accepted. */
export interface ChartProps {
  /** Rows; numbers, `[name, value]` pairs, a record of name → value, or Chart.js' `{labels, datasets}`. */
  data?: any;
  /** The key of the category. */
  x?: string;
  /** The keys of the values: one, or a list. Without it every key that holds numbers is a series. */
  y?: Keys | ChartSeries;
  /** The series with their names and colours. */
  series?: Keys;
  /** Pixels. */
  height?: number | string;
  /** Pixels. A chart fills its place; only a small width, as a cell needs it, is kept. */
  width?: number | string;
  color?: string;
  colors?: readonly string[];
  /** Puts the series on top of each other. */
  stacked?: boolean;
  /** Bars that lie. */
  horizontal?: boolean;
  /** A pie with a hole. */
  donut?: boolean;
  /** The shape of a line between its points, such as `monotone`, `linear` or `step`. */
  curve?: any;
  dots?: boolean;
  grid?: boolean;
  legend?: boolean;
  tooltip?: boolean;
  /** What follows each value. */
  unit?: string;
  valueFormatter?: (value: any) => React.ReactNode;
  children?: React.ReactNode;
  className?: string;
  style?: React.CSSProperties;
  [recharts: string]: any;
}

export interface SparklineProps {
  /** Numbers, or rows. */
  data?: any;
  /** The same as `data`. */
  values?: readonly number[];
  /** The key of the value, when `data` are rows. */
  y?: string;
  /** The same as `y`. */
  dataKey?: string;
  color?: string;
  tone?: "success" | "danger" | "warn" | "muted" | (string & {});
  /** Pixels; 32 unless said. */
  height?: number | string;
  width?: number | string;
  /** Whether the area below is tinted. */
  area?: boolean;
  className?: string;
  "aria-label"?: string;
}

/** An axis, a grid, a series or another part: recharts' own props, all of them. */
export interface PartProps {
  /** The key of its value in a row. */
  dataKey?: any;
  name?: string;
  stroke?: string;
  fill?: string;
  children?: React.ReactNode;
  [recharts: string]: any;
}

export interface ChartTooltipContentProps {
  hideLabel?: boolean;
  hideIndicator?: boolean;
  indicator?: "dot" | "line" | "dashed";
  nameKey?: string;
  labelKey?: string;
  labelClassName?: string;
  className?: string;
  color?: string;
  unit?: string;
  labelFormatter?: (label: any, items: any[]) => React.ReactNode;
  formatter?: (value: any, name: any, item: any, index: number, items: any[]) => any;
  [recharts: string]: any;
}

export interface ChartLegendContentProps {
  nameKey?: string;
  hideIcon?: boolean;
  className?: string;
  [recharts: string]: any;
}
