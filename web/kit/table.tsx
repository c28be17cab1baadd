/** Tables. A wide one scrolls in its own box. */
import * as React from "react";
import { cn } from "./lib/cn.js";
import { dom, flat, node, part, wrapped, type Loose } from "./lib/node.js";
import { asColumns, cellOf } from "./lib/columns.js";
import type { Columns, Html, Other, Part } from "./lib/props.js";

export interface TableProps<Row = any> extends Html<"table"> {
  /** The columns, when there are no children; without them one for each key of the first row. */
  columns?: Columns<Row>;
  /** The same as `columns`. */
  headers?: Columns<Row>;
  data?: readonly Row[];
  /** The same as `data`. */
  rows?: readonly Row[];
  caption?: React.ReactNode;
}
export interface TableCellProps extends Html<"td", "align"> {
  align?: "left" | "center" | "right" | Other;
  /** The same as `align="right"`. */
  numeric?: boolean;
  /** The same as `align="right"`. */
  isNumeric?: boolean;
}
export interface TableHeadProps extends Html<"th", "align"> {
  align?: TableCellProps["align"];
  /** The same as `align="right"`. */
  numeric?: boolean;
  /** The same as `align="right"`. */
  isNumeric?: boolean;
}

const ALIGN: Record<string, string> = {
  left: "text-left",
  center: "text-center",
  right: "text-right",
  end: "text-right",
  start: "text-left",
};

/** A table from its parts, or from `columns` and `data` (or `rows`). */
export function Table<Row = any>(props: TableProps<Row>): React.ReactNode;
export function Table({ columns, headers, data, rows, caption, className, children, ...rest }: Loose) {
  const list = Array.isArray(data) ? data : Array.isArray(rows) ? rows : undefined;
  const filled = list && (columns || headers || flat(children).length === 0);
  return (
    <div data-slot="table-box" className="ui4a-scroll relative w-full min-w-0 overflow-x-auto">
      <table
        data-slot="table"
        {...dom(rest)}
        className={cn("w-full caption-bottom border-collapse text-sm", className)}
      >
        {caption !== undefined && <TableCaption>{node(caption)}</TableCaption>}
        {filled ? <Filled columns={columns ?? headers} rows={list} /> : wrapped(children)}
      </table>
    </div>
  );
}

function Filled({ columns, rows }: { columns: unknown; rows: unknown[] }) {
  const shown = asColumns(columns, rows);
  return (
    <>
      <TableHeader>
        <TableRow>
          {shown.map((column) => (
            <TableHead key={column.key} align={column.align}>
              {column.title}
            </TableHead>
          ))}
        </TableRow>
      </TableHeader>
      <TableBody>
        {rows.map((row, at) => (
          <TableRow key={at}>
            {shown.map((column) => (
              <TableCell key={column.key} align={column.align}>
                {cellOf(column, row, at)}
              </TableCell>
            ))}
          </TableRow>
        ))}
      </TableBody>
    </>
  );
}

export const TableHeader: Part<"thead"> = part("thead", "table-header", (given) => cn("border-b border-border", given));
export const TableBody: Part<"tbody"> = part("tbody", "table-body", (given) => cn("ui4a-tbody", given));
export const TableFooter: Part<"tfoot"> = part("tfoot", "table-footer", (given) =>
  cn("border-t border-border bg-surface-2 font-medium", given),
);
export const TableRow: Part<"tr"> = part("tr", "table-row", (given) =>
  cn("border-b border-border transition-colors hover:bg-surface-2 data-[state=selected]:bg-surface-2", given),
);
export const TableCaption: Part<"caption"> = part("caption", "table-caption", (given) =>
  cn("px-3 pt-3 text-left text-xs text-muted-foreground", given),
);

export function TableHead(props: TableHeadProps): React.ReactNode;
export function TableHead({ align, numeric, isNumeric, className, children, scope, ...rest }: Loose) {
  return (
    <th
      data-slot="table-head"
      scope={scope ?? "col"}
      {...dom(rest)}
      className={cn(
        "h-9 px-3 text-left align-middle text-xs font-medium whitespace-nowrap text-muted-foreground",
        ALIGN[numeric || isNumeric ? "right" : align],
        className,
      )}
    >
      {wrapped(children)}
    </th>
  );
}

export function TableCell(props: TableCellProps): React.ReactNode;
export function TableCell({ align, numeric, isNumeric, className, children, ...rest }: Loose) {
  return (
    <td
      data-slot="table-cell"
      {...dom(rest)}
      className={cn("px-3 py-2 align-middle tabular-nums", ALIGN[numeric || isNumeric ? "right" : align], className)}
    >
      {wrapped(children)}
    </td>
  );
}
