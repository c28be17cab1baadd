/** Tables. A wide one scrolls in its own box. */
import * as React from "react";
import { cn } from "./lib/cn.js";
import { dom, flat, node, part, wrapped, type Loose } from "./lib/node.js";
import { asColumns, cellOf } from "./lib/columns.js";

const ALIGN: Record<string, string> = {
  left: "text-left",
  center: "text-center",
  right: "text-right",
  end: "text-right",
  start: "text-left",
};

/** A table from its parts, or from `columns` and `data` (or `rows`). */
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

export const TableHeader = part("thead", "table-header", (given) => cn("border-b border-border", given));
export const TableBody = part("tbody", "table-body", (given) => cn("ui4a-tbody", given));
export const TableFooter = part("tfoot", "table-footer", (given) =>
  cn("border-t border-border bg-surface-2 font-medium", given),
);
export const TableRow = part("tr", "table-row", (given) =>
  cn("border-b border-border transition-colors hover:bg-surface-2 data-[state=selected]:bg-surface-2", given),
);
export const TableCaption = part("caption", "table-caption", (given) =>
  cn("px-3 pt-3 text-left text-xs text-muted-foreground", given),
);

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
