/** A table that sorts, filters and pages its rows. */
import * as React from "react";
import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import ChevronsUpDown from "lucide-react/icons/chevrons-up-down";
import { cn } from "./lib/cn.js";
import { asColumns, cellOf, type Column } from "./lib/columns.js";
import { dom, node, type Loose } from "./lib/node.js";
import { Button } from "./button.js";
import { Input } from "./input.js";
import { Table, TableBody, TableCaption, TableCell, TableHead, TableHeader, TableRow } from "./table.js";
import type { Columns, Html } from "./lib/props.js";

export interface DataTableProps<Row = any> extends Html<"div"> {
  /** The columns; without them one for each key of the first row. */
  columns?: Columns<Row>;
  data?: readonly Row[];
  /** The same as `data`. */
  rows?: readonly Row[];
  caption?: React.ReactNode;
  /** Whether there is a field to filter by; text is its placeholder. Without it there is one above ten rows. */
  filter?: boolean | string;
  /** The same as `filter`. */
  searchable?: boolean | string;
  /** Whether a click on a heading sorts. */
  sort?: boolean;
  /** The same as `sort`. */
  sortable?: boolean;
  /** Rows a page, or `false` for all at once. */
  page?: number | boolean;
  /** Rows a page; 10 unless said. */
  pageSize?: number;
  pagination?: boolean | { pageSize?: number };
  onRowClick?: (row: Row, index: number) => void;
  /** What is said when there are no rows. */
  empty?: React.ReactNode;
  /** The same as `empty`. */
  emptyMessage?: React.ReactNode;
}

type Sorting = { key: string; down: boolean } | null;

function compare(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a === null || a === undefined || a === "") return 1;
  if (b === null || b === undefined || b === "") return -1;
  const [x, y] = [numeric(a), numeric(b)];
  return Number.isNaN(x) || Number.isNaN(y) ? String(a).localeCompare(String(b), undefined, { numeric: true }) : x - y;
}

/** The number that "$1,200" or "12%" stands for; NaN for text. */
function numeric(value: unknown): number {
  if (typeof value === "number") return value;
  if (value instanceof Date) return value.getTime();
  const text = String(value).replace(/[$€£¥,%\s]/g, "");
  return /^[-+]?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
}

function searchable(column: Column, row: unknown): string {
  try {
    const value = column.read(row);
    return value === null || value === undefined || typeof value === "object" ? "" : String(value).toLowerCase();
  } catch {
    return "";
  }
}

export function DataTable<Row = any>(props: DataTableProps<Row>): React.ReactNode;
export function DataTable({
  columns,
  data,
  rows,
  caption,
  filter,
  searchable: search,
  sort = true,
  sortable,
  page,
  pageSize,
  pagination,
  onRowClick,
  empty,
  emptyMessage,
  className,
  ...rest
}: Loose) {
  const all: unknown[] = Array.isArray(data) ? data : Array.isArray(rows) ? rows : [];
  const [sorting, setSorting] = React.useState<Sorting>(null);
  const [query, setQuery] = React.useState("");
  const [at, setAt] = React.useState(0);
  const shown = asColumns(columns, all);
  const filters = filter ?? search ?? all.length > 10;
  const sorts = sort !== false && sortable !== false;
  const size =
    page === false || pagination === false
      ? all.length
      : Number(pageSize ?? (typeof page === "number" ? page : pagination?.pageSize)) || 10;

  const wanted = query.trim().toLowerCase();
  const matching =
    wanted === "" ? all : all.filter((row) => shown.some((column) => searchable(column, row).includes(wanted)));
  const by = sorting && shown.find((column) => column.key === sorting.key);
  const sorted = by
    ? [...matching].sort((a, b) => compare(by.read(a), by.read(b)) * (sorting!.down ? -1 : 1))
    : matching;
  const pages = Math.max(1, Math.ceil(sorted.length / Math.max(size, 1)));
  const current = Math.min(at, pages - 1);
  const visible = sorted.slice(current * size, current * size + size);
  const toggle = (key: string) =>
    setSorting((now) => (now?.key !== key ? { key, down: false } : now.down ? null : { key, down: true }));

  return (
    <div data-slot="data-table" {...dom(rest)} className={cn("flex min-w-0 flex-col gap-3", className)}>
      {filters && (
        <Input
          type="search"
          aria-label="Filter rows"
          placeholder={typeof filter === "string" ? filter : "Filter…"}
          value={query}
          onValueChange={(text: string) => {
            setQuery(String(text));
            setAt(0);
          }}
          className="max-w-64"
        />
      )}
      <Table>
        {caption !== undefined && <TableCaption>{node(caption)}</TableCaption>}
        <TableHeader>
          <TableRow>
            {shown.map((column) => {
              const order = sorting?.key === column.key ? (sorting.down ? "descending" : "ascending") : undefined;
              return (
                <TableHead key={column.key} align={column.align} aria-sort={order}>
                  {sorts && column.sortable ? (
                    <button
                      type="button"
                      onClick={() => toggle(column.key)}
                      className="ui4a-sort inline-flex h-8 cursor-pointer items-center gap-1 rounded-sm font-medium hover:text-fg ui4a-focus"
                    >
                      {column.title}
                      {order === "ascending" ? (
                        <ArrowUp className="h-3 w-3" />
                      ) : order === "descending" ? (
                        <ArrowDown className="h-3 w-3" />
                      ) : (
                        <ChevronsUpDown className="h-3 w-3 opacity-50" />
                      )}
                    </button>
                  ) : (
                    column.title
                  )}
                </TableHead>
              );
            })}
          </TableRow>
        </TableHeader>
        <TableBody>
          {visible.map((row, index) => (
            <TableRow
              key={all.indexOf(row)}
              onClick={onRowClick && (() => onRowClick(row, index))}
              className={onRowClick && "cursor-pointer"}
            >
              {shown.map((column) => (
                <TableCell key={column.key} align={column.align}>
                  {cellOf(column, row, index)}
                </TableCell>
              ))}
            </TableRow>
          ))}
          {visible.length === 0 && (
            <TableRow>
              <TableCell colSpan={Math.max(shown.length, 1)} className="py-6 text-center text-muted-foreground">
                {node(empty ?? emptyMessage ?? "No rows")}
              </TableCell>
            </TableRow>
          )}
        </TableBody>
      </Table>
      {pages > 1 && (
        <div className="flex flex-wrap items-center justify-between gap-2 text-xs text-muted-foreground">
          <span
            aria-live="polite"
            className="tabular-nums"
          >{`${current * size + 1}–${Math.min((current + 1) * size, sorted.length)} of ${sorted.length}`}</span>
          <span className="flex items-center gap-2">
            <Button variant="outline" size="sm" disabled={current === 0} onClick={() => setAt(current - 1)}>
              Previous
            </Button>
            <Button variant="outline" size="sm" disabled={current >= pages - 1} onClick={() => setAt(current + 1)}>
              Next
            </Button>
          </span>
        </div>
      )}
    </div>
  );
}
