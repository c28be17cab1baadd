/** Reads the data of a simple chart: which key is the category, which are the series. */
import type { Loose } from "../lib/node.js";

export type Series = { key: string; name?: string; color?: string; kind?: string };

/**
 * Rows from a list of rows, a list of numbers, an object of name → value, or Chart.js' labels and datasets. Numbers have no
 * keys of their own: they get those that the chart asks for.
 */
export function asRows(data: unknown, x = "name", y = "value"): Loose[] {
  if (Array.isArray(data)) {
    return data
      .filter((row) => row !== null && row !== undefined)
      .map((row, at) => {
        if (typeof row === "number") return { [x]: String(at + 1), [y]: row };
        if (Array.isArray(row)) return { [x]: row[0], [y]: row[1] };
        return row as Loose;
      });
  }
  if (data === null || typeof data !== "object") return [];
  const object = data as Loose;
  if (Array.isArray(object.labels) && Array.isArray(object.datasets)) {
    return object.labels.map((label: unknown, at: number) => {
      const row: Loose = { name: label };
      object.datasets.forEach(
        (set: Loose, index: number) => (row[String(set?.label ?? `Series ${index + 1}`)] = set?.data?.[at]),
      );
      return row;
    });
  }
  return Object.entries(object)
    .filter(([, value]) => typeof value === "number")
    .map(([name, value]) => ({ [x]: name, [y]: value }));
}

const number = (value: unknown) =>
  typeof value === "number" || (typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value)));

const USUAL = ["name", "label", "date", "day", "month", "week", "year", "time", "hour", "category", "x"];

/** The key for the x axis: what was asked for, a usual name, or the first that holds no numbers. */
export function categoryKey(props: Loose, rows: Loose[]): string | undefined {
  const asked =
    props.x ??
    props.xKey ??
    props.xAxis ??
    props.xDataKey ??
    props.index ??
    props.nameKey ??
    props.categoryKey ??
    props.labelKey;
  if (typeof asked === "string") return asked;
  if (typeof asked?.dataKey === "string") return asked.dataKey;
  const keys = Object.keys(rows[0] ?? {});
  return USUAL.find((name) => keys.includes(name)) ?? keys.find((key) => !number(rows[0]?.[key])) ?? keys[0];
}

function one(item: unknown): Series[] {
  if (typeof item === "string") return [{ key: item }];
  if (item === null || typeof item !== "object") return [];
  const entry = item as Loose;
  const key = entry.key ?? entry.dataKey ?? entry.y ?? entry.field ?? entry.name;
  return typeof key === "string"
    ? [
        {
          key,
          name: entry.label ?? entry.name,
          color: entry.color ?? entry.stroke ?? entry.fill,
          kind: entry.type ?? entry.kind,
        },
      ]
    : [];
}

/** The series to draw: what was asked for, or every key with numbers but the category's. */
export function seriesOf(props: Loose, rows: Loose[], category: string | undefined): Series[] {
  const asked =
    props.y ??
    props.yKey ??
    props.yKeys ??
    props.series ??
    props.categories ??
    props.keys ??
    props.dataKeys ??
    props.dataKey ??
    props.lines ??
    props.bars ??
    props.areas ??
    props.valueKey;
  const list = (Array.isArray(asked) ? asked : asked === undefined ? [] : [asked]).flatMap(one);
  const colors: unknown[] = Array.isArray(props.colors) ? props.colors : props.color === undefined ? [] : [props.color];
  const found =
    list.length > 0
      ? list
      : [...new Set(rows.slice(0, 50).flatMap((row) => Object.keys(row)))]
          .filter(
            (key) =>
              key !== category &&
              key !== "id" &&
              rows.some((row) => number(row[key])) &&
              rows.every((row) => row[key] === undefined || row[key] === null || number(row[key])),
          )
          .map((key) => ({ key }));
  return found.map((series: Series, at) => ({
    ...series,
    color: series.color ?? (typeof colors[at] === "string" ? (colors[at] as string) : undefined),
  }));
}
