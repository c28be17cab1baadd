/** `$ui4a/ui/charts`: recharts' parts, those below in their quieter form, and the container with its tooltip and legend. */
// Written by generate.mjs from the kit's sources.

import type * as React from "react";

export {
  AnimationControllerProvider,
  AreaRevealShape,
  BarStack,
  Brush,
  CSSTransitionAnimation,
  CartesianAxis,
  Cross,
  Curve,
  Customized,
  DefaultLegendContent,
  DefaultTooltipContent,
  DefaultZIndexes,
  Dot,
  ErrorBar,
  Funnel,
  FunnelChart,
  Global,
  JavascriptAnimation,
  Label,
  LabelList,
  Layer,
  LineDrawShape,
  PolarGrid,
  Polygon,
  RechartsThemeProvider,
  Rectangle,
  ReferenceArea,
  ReferenceDot,
  ReferenceLine,
  Sankey,
  Sector,
  SunburstChart,
  Surface,
  Symbols,
  Text,
  Trapezoid,
  Treemap,
  ZAxis,
  ZIndexLayer,
  autoPalette,
  autoTheme,
  createCentricChart,
  createHorizontalChart,
  createRadialChart,
  createVerticalChart,
  darkPalette,
  darkTheme,
  emptyTheme,
  getNiceTickValues,
  getRelativeCoordinate,
  gradients,
  interpolate,
  lightPalette,
  lightTheme,
  linearGradient,
  matchAppend,
  matchByDataKey,
  matchByIndex,
  pattern,
  patterns,
  useActiveTooltipCoordinate,
  useActiveTooltipDataPoints,
  useActiveTooltipLabel,
  useCartesianChartLayout,
  useCartesianScale,
  useChartHeight,
  useChartLayout,
  useChartWidth,
  useIsTooltipActive,
  useMargin,
  useOffset,
  usePlotArea,
  usePolarChartLayout,
  useRechartsTheme,
  useXAxisDomain,
  useXAxisInverseDataSnapScale,
  useXAxisInverseScale,
  useXAxisInverseTickSnapScale,
  useXAxisScale,
  useXAxisTicks,
  useYAxisDomain,
  useYAxisInverseDataSnapScale,
  useYAxisInverseScale,
  useYAxisInverseTickSnapScale,
  useYAxisScale,
  useYAxisTicks,
} from "recharts";

interface ChartContainerProps extends Html<"div"> {
  /** The name and the colour of each series. */
  config?: ChartConfig;
  width?: number | string;
  height?: number | string;
  initialDimension?: {
    width: number;
    height: number;
  };
}

/** The props of an HTML element, without those to which a component gives another meaning. */
type Html<Tag extends keyof React.JSX.IntrinsicElements, Without extends string = never> = Omit<
  React.ComponentProps<Tag>,
  Without
>;

export type ChartConfig = Record<
  string,
  {
    label?: React.ReactNode;
    color?: string;
    icon?: React.ComponentType;
    theme?: Record<string, string>;
  }
>;

interface ResponsiveContainerProps extends Html<"div"> {
  width?: number | string;
  height?: number | string;
  aspect?: number;
  minWidth?: number | string;
  minHeight?: number | string;
  maxHeight?: number;
  debounce?: number;
  initialDimension?: {
    width: number;
    height: number;
  };
  onResize?: any;
}

/** An axis, a grid, a series or another part: recharts' own props, all of them. */
interface PartProps {
  /** The key of its value in a row. */
  dataKey?: any;
  name?: string;
  stroke?: string;
  fill?: string;
  children?: React.ReactNode;
  [recharts: string]: any;
}

interface ChartLegendContentProps {
  nameKey?: string;
  hideIcon?: boolean;
  className?: string;
  [recharts: string]: any;
}

interface ChartTooltipContentProps {
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

/** The simple form of a chart; with children it takes recharts' own props instead, which are all accepted. */
interface ChartProps {
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

type Keys = string | readonly (string | ChartSeries)[];

interface ChartSeries {
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

interface SparklineProps {
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

/** The box of a chart, with `config` naming its series; the height is `h-64` unless a class says otherwise. */
export declare function ChartContainer(props: ChartContainerProps): React.ReactNode;

/** Custom properties from `config` are set inline, so there is no style element to render; kept for those who import it. */
export declare function ChartStyle(): null;

/** recharts' own container, which here also tells the chart inside that its size is decided. */
export declare function ResponsiveContainer(props: ResponsiveContainerProps): React.ReactNode;

/** The names and colours that the container around was given. */
export declare const useChart: () => {
  config: ChartConfig;
};

export declare const ChartLegend: typeof Legend;

/** The legend of a chart; without `content` it shows ChartLegendContent. */
export declare function Legend(props: PartProps): React.ReactNode;

/** The legend's entries, named by the config. */
export declare function ChartLegendContent(props: ChartLegendContentProps): React.ReactNode;

export declare const ChartTooltip: typeof Tooltip;

/** The tooltip of a chart; without `content` it shows ChartTooltipContent. */
export declare function Tooltip(props: PartProps): React.ReactNode;

/** The panel of a tooltip: the label, then a line for each series with its colour, name and value. */
export declare function ChartTooltipContent(props: ChartTooltipContentProps): React.ReactNode;

export declare function Area(props: PartProps): React.ReactNode;

export declare function Bar(props: PartProps): React.ReactNode;

export declare function CartesianGrid(props: PartProps): React.ReactNode;

export declare function Cell(props: PartProps): React.ReactNode;

export declare function Line(props: PartProps): React.ReactNode;

/** Sectors take the palette in turn; the documents' single example colour for all of them is left out. */
export declare function Pie(props: PartProps): React.ReactNode;

export declare function PolarAngleAxis(props: PartProps): React.ReactNode;

export declare function PolarRadiusAxis(props: PartProps): React.ReactNode;

export declare function Radar(props: PartProps): React.ReactNode;

export declare function RadialBar(props: PartProps): React.ReactNode;

export declare function Scatter(props: PartProps): React.ReactNode;

export declare function XAxis(props: PartProps): React.ReactNode;

export declare function YAxis(props: PartProps): React.ReactNode;

export declare const AreaChart: (props: ChartProps) => React.ReactNode;

export declare const BarChart: (props: ChartProps) => React.ReactNode;

export declare const ComposedChart: (props: ChartProps) => React.ReactNode;

export declare const LineChart: (props: ChartProps) => React.ReactNode;

export declare const PieChart: (props: ChartProps) => React.ReactNode;

export declare const RadarChart: (props: ChartProps) => React.ReactNode;

export declare const RadialBarChart: (props: ChartProps) => React.ReactNode;

export declare const ScatterChart: (props: ChartProps) => React.ReactNode;

/** A line without axes, for a cell or beside a figure. `data` may be plain numbers. */
export declare function Sparkline(props: SparklineProps): React.ReactNode;

export {};
