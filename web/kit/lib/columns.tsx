/** Columns and cells as models describe them: strings, `{key, header}`, TanStack's `{accessorKey, cell}`, antd's `{dataIndex, render}`. */
import * as React from "react";
import { node, type Loose } from "./node.js";

export type Column = {
  key: string;
  title: React.ReactNode;
  align: "left" | "right" | "center";
  sortable: boolean;
  read: (row: any) => unknown;
  draw?: (value: unknown, row: any, at: number) => unknown;
};

function human(key: string): string {
  const spaced = key
    .replace(/[_-]+/g, " ")
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .trim();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

const looksNumeric = (value: unknown) =>
  typeof value === "number" ||
  (typeof value === "string" && /^[-+−]?[$€£¥]?\s?\d[\d,.\s]*\s?(%|[kKmMbB])?$/.test(value.trim()));

function aligned(given: unknown, rows: unknown[], read: (row: any) => unknown): Column["align"] {
  if (given === "right" || given === "end") return "right";
  if (given === "center") return "center";
  if (given === "left" || given === "start") return "left";
  const sample = rows
    .slice(0, 20)
    .map(read)
    .filter((value) => value !== null && value !== undefined && value !== "");
  return sample.length > 0 && sample.every(looksNumeric) ? "right" : "left";
}

function from(entry: unknown, at: number, rows: unknown[]): Column {
  const column: Loose =
    entry !== null && typeof entry === "object" && !React.isValidElement(entry)
      ? entry
      : { key: String(entry), index: at };
  const label = column.header ?? column.label ?? column.title ?? column.name;
  const path =
    column.accessorKey ??
    column.dataIndex ??
    (typeof column.accessor === "string" ? column.accessor : undefined) ??
    column.key ??
    column.field ??
    column.id ??
    (typeof label === "string" ? label : at);
  const key = Array.isArray(path) ? path.join(".") : String(path);
  const accessor = column.accessorFn ?? (typeof column.accessor === "function" ? column.accessor : undefined);
  const read = (row: any): unknown => {
    if (typeof accessor === "function") return accessor(row);
    if (Array.isArray(row)) return row[at];
    if (row === null || typeof row !== "object") return at === 0 ? row : undefined;
    if (key in row) return row[key];
    const found = Object.keys(row).find((name) => name.toLowerCase() === key.toLowerCase().replace(/\s+/g, ""));
    return found === undefined ? key.split(".").reduce((inner: any, name) => inner?.[name], row) : row[found];
  };
  const own = column.cell ?? column.render ?? column.Cell ?? column.format ?? column.renderCell;
  const tanstack = typeof (column.cell ?? column.Cell ?? column.renderCell) === "function";
  return {
    key: `${key} ${at}`,
    title:
      typeof label === "function"
        ? node(label({ column: { id: key, toggleSorting() {}, getIsSorted: () => false } }))
        : node(label ?? human(key)),
    align: aligned(column.align ?? (column.numeric || column.isNumeric ? "right" : undefined), rows, read),
    sortable: column.sortable !== false && column.enableSorting !== false,
    read,
    draw:
      typeof own !== "function"
        ? undefined
        : tanstack
          ? (value, row, index) => own(context(value, row, index, key), row)
          : (value, row, index) => own(value, row, index),
  };
}

/** TanStack's cell context, which also works as a row: `({ row }) => row.original.x`, `(info) => info.getValue()`, `(row) => row.x`. */
function context(value: unknown, row: any, index: number, key: string): Loose {
  const whole = row !== null && typeof row === "object" ? row : {};
  return {
    ...whole,
    value,
    getValue: () => value,
    row: { ...whole, original: row, index, id: String(index), getValue: (name: string) => whole[name] },
    column: { id: key },
  };
}

/** The columns asked for, or else one for each key of the first row. */
export function asColumns(columns: unknown, rows: unknown[]): Column[] {
  const list = Array.isArray(columns)
    ? columns
    : columns !== null && typeof columns === "object"
      ? Object.entries(columns).map(([key, label]) =>
          label !== null && typeof label === "object" ? { key, ...label } : { key, label },
        )
      : undefined;
  if (list)
    return list.filter((entry) => entry !== null && entry !== undefined).map((entry, at) => from(entry, at, rows));
  const first = rows[0];
  if (Array.isArray(first)) return first.map((_, at) => from({ key: String(at), label: "" }, at, rows));
  return first !== null && typeof first === "object" ? Object.keys(first).map((key, at) => from(key, at, rows)) : [];
}

/** What a cell shows. A drawing function that throws costs its own cell only. */
export function cellOf(column: Column, row: unknown, at: number): React.ReactNode {
  let value: unknown;
  try {
    value = column.read(row);
    if (column.draw) return node(column.draw(value, row, at));
  } catch {
    return node(value ?? "–");
  }
  if (typeof value === "boolean") return value ? "Yes" : "No";
  return typeof value === "number" ? value.toLocaleString() : node(value);
}
