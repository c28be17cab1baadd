/** How charts look: every colour is a token, so a change of theme needs no new render. */
import type { RechartsTheme } from "recharts";

/** The colours of series, in order. */
export const SERIES = [
  "var(--series-1)",
  "var(--series-2)",
  "var(--series-3)",
  "var(--series-4)",
  "var(--series-5)",
  "var(--series-6)",
];

export const seriesColor = (at: number): string => SERIES[((at % SERIES.length) + SERIES.length) % SERIES.length]!;

/** The colours of the examples in recharts' own documents: copied by models without a thought, pale on white. */
const EXAMPLE = [
  "#8884d8",
  "#82ca9d",
  "#ffc658",
  "#ff7300",
  "#413ea0",
  "#ff8042",
  "#0088fe",
  "#00c49f",
  "#ffbb28",
  "#3182bd",
  "#8dd1e1",
  "#a4de6c",
  "#d0ed57",
];

/** The colour to draw with: what was asked for, or the token that stands for a colour out of an example. */
export function paint(asked: unknown): string | undefined {
  if (typeof asked !== "string") return undefined;
  const at = EXAMPLE.indexOf(asked.trim().toLowerCase());
  return at < 0 ? asked : seriesColor(at);
}

export const theme: RechartsTheme = {
  graphicalItems: SERIES.map((color) => ({
    fill: color,
    stroke: color,
    fillOpacity: 1,
    active: { fill: "var(--card)", stroke: color, strokeWidth: 2 },
  })),
  pageBackground: "var(--card)",
  barBackground: { fill: "var(--surface-2)" },
  brush: { fill: "var(--surface-2)", stroke: "var(--muted)" },
  axis: { stroke: "var(--muted)" },
  errorBar: { stroke: "var(--muted)", strokeWidth: 1.5 },
  grid: { stroke: "var(--border)", fill: "none" },
  reference: { stroke: "var(--muted)", strokeWidth: 1, fill: "var(--surface-3)", fillOpacity: 0.7 },
  cursor: { stroke: "var(--border)", fill: "var(--surface-3)", fillOpacity: 0.5 },
  legend: { labelStyle: { color: "var(--muted)", fontSize: 12 } },
  typography: { color: "var(--fg)", fontSize: 12 },
};
