/** What the tooltip and the legend of a chart show. */
import * as React from "react";
import * as R from "recharts";
import { cn } from "../lib/cn.js";
import { node, type Loose } from "../lib/node.js";
import { cssColor, useChart, type ChartConfig } from "./container.js";
import type { ChartLegendContentProps, ChartTooltipContentProps, PartProps } from "./props.js";

const keyOf = (item: Loose, from: unknown): string => {
  if (typeof from === "string") return String(item?.payload?.[from] ?? item?.[from] ?? from);
  return String(item?.dataKey ?? item?.name ?? item?.value ?? "value");
};

function entryOf(config: ChartConfig, item: Loose, from: unknown) {
  return config[keyOf(item, from)] ?? config[String(item?.name)] ?? config[String(item?.dataKey)];
}

function shown(value: unknown): React.ReactNode {
  if (Array.isArray(value)) return value.map((one) => shown(one)).join(" – ");
  return typeof value === "number" ? value.toLocaleString(undefined, { maximumFractionDigits: 2 }) : node(value);
}

/** What a formatter said: a node, or recharts' pair of value and name. */
function formatted(format: unknown, item: Loose, at: number, all: Loose[]): [React.ReactNode, React.ReactNode?] {
  if (typeof format !== "function") return [shown(item.value)];
  try {
    const said = format(item.value, item.name, item, at, all);
    return Array.isArray(said) ? [node(said[0]), said[1] === undefined ? undefined : node(said[1])] : [node(said)];
  } catch {
    return [shown(item.value)];
  }
}

const MARK: Record<string, string> = {
  dot: "h-2 w-2 rounded-xs",
  line: "w-1 self-stretch rounded-xs",
  dashed: "w-0 self-stretch border-l-2 border-dashed",
};

/** The panel of a tooltip: the label, then a line for each series with its colour, name and value. */
export function ChartTooltipContent(props: ChartTooltipContentProps): React.ReactNode;
export function ChartTooltipContent({
  active,
  payload,
  label,
  labelFormatter,
  formatter,
  hideLabel,
  hideIndicator,
  indicator = "dot",
  nameKey,
  labelKey,
  labelClassName,
  className,
  color,
  unit,
}: Loose) {
  const { config } = useChart();
  const items: Loose[] = Array.isArray(payload)
    ? payload.filter((item) => item && item.type !== "none" && item.value !== undefined && item.value !== null)
    : [];
  if (!active || items.length === 0) return null;
  const first = items[0]!;
  const named = labelKey
    ? (entryOf(config, first, labelKey)?.label ?? first.payload?.[labelKey])
    : (config[String(label)]?.label ?? label);
  const heading = typeof labelFormatter === "function" ? labelFormatter(named, items) : named;
  return (
    <div
      data-slot="chart-tooltip"
      className={cn(
        "grid min-w-32 gap-1.5 rounded-lg border border-border bg-popover px-3 py-2 text-xs text-popover-foreground shadow-md",
        className,
      )}
    >
      {!hideLabel && heading !== undefined && heading !== "" && (
        <div className={cn("font-medium", labelClassName)}>{node(heading)}</div>
      )}
      {items.map((item, at) => {
        const entry = entryOf(config, item, nameKey);
        const [value, name] = formatted(formatter, item, at, items);
        const tint = cssColor(color ?? item.payload?.fill ?? item.color ?? item.stroke ?? item.fill);
        return (
          <div key={at} className="flex items-center gap-2">
            {!hideIndicator && (
              <span
                aria-hidden="true"
                className={cn("shrink-0", MARK[indicator] ?? MARK.dot)}
                style={indicator === "dashed" ? { borderColor: tint } : { background: tint }}
              />
            )}
            <span className="flex-1 text-muted-foreground">
              {node(name ?? entry?.label ?? item.name ?? item.dataKey)}
            </span>
            <span className="pl-3 font-medium tabular-nums">
              {value}
              {item.unit ?? unit}
            </span>
          </div>
        );
      })}
    </div>
  );
}

/** The tooltip of a chart; without `content` it shows ChartTooltipContent. */
export function Tooltip(props: PartProps): React.ReactNode;
export function Tooltip({ content, wrapperStyle, ...rest }: Loose) {
  return (
    <R.Tooltip
      {...rest}
      wrapperStyle={{ outline: "none", zIndex: 10, ...wrapperStyle }}
      content={content ?? ((props: Loose) => <ChartTooltipContent {...props} />)}
    />
  );
}

export const ChartTooltip = Tooltip;

/** The legend's entries, named by the config. */
export function ChartLegendContent(props: ChartLegendContentProps): React.ReactNode;
export function ChartLegendContent({ payload, nameKey, hideIcon, verticalAlign, className }: Loose) {
  const { config } = useChart();
  const items: Loose[] = Array.isArray(payload) ? payload.filter((item) => item && item.type !== "none") : [];
  if (items.length === 0) return null;
  return (
    <ul
      data-slot="chart-legend"
      className={cn(
        "flex list-none flex-wrap items-center justify-center gap-x-4 gap-y-1 text-xs text-muted-foreground",
        verticalAlign === "top" ? "pb-3" : "pt-3",
        className,
      )}
    >
      {items.map((item, at) => {
        const entry = nameKey
          ? entryOf(config, item, nameKey)
          : (entryOf(config, item, undefined) ?? config[String(item.value)]);
        const Icon = entry?.icon;
        return (
          <li key={at} className="flex items-center gap-1.5">
            {Icon && !hideIcon ? (
              <Icon />
            ) : (
              <span
                aria-hidden="true"
                className="h-2 w-2 shrink-0 rounded-xs"
                style={{ background: cssColor(item.color) }}
              />
            )}
            {node(entry?.label ?? item.value)}
          </li>
        );
      })}
    </ul>
  );
}

/** The legend of a chart; without `content` it shows ChartLegendContent. */
export function Legend(props: PartProps): React.ReactNode;
export function Legend({ content, ...rest }: Loose) {
  return (
    <R.Legend itemSorter={null} {...rest} content={content ?? ((props: Loose) => <ChartLegendContent {...props} />)} />
  );
}

export const ChartLegend = Legend;
