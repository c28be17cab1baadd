/** `$ui4a/ui/charts`: recharts' parts, those below in their quieter form, and the container with its tooltip and legend. */
export * from "recharts";
export { ChartContainer, ChartStyle, ResponsiveContainer, useChart, type ChartConfig } from "./container.js";
export { ChartLegend, ChartLegendContent, ChartTooltip, ChartTooltipContent, Legend, Tooltip } from "./tooltip.js";
export {
  Area,
  Bar,
  CartesianGrid,
  Cell,
  Line,
  Pie,
  PolarAngleAxis,
  PolarRadiusAxis,
  Radar,
  RadialBar,
  Scatter,
  XAxis,
  YAxis,
} from "./series.js";
export {
  AreaChart,
  BarChart,
  ComposedChart,
  LineChart,
  PieChart,
  RadarChart,
  RadialBarChart,
  ScatterChart,
  Sparkline,
} from "./charts.js";
