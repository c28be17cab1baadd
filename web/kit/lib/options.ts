/** Choices as models write them: plain values, `{value, label}` objects, or a record. */
import * as React from "react";
import { flat, type Loose } from "./node.js";

export type Choice = {
  value: string;
  label: React.ReactNode;
  disabled: boolean;
  original: unknown;
  group?: string;
  more: Loose;
};

function one(item: unknown, group?: string): Choice[] {
  if (item === null || item === undefined || typeof item === "boolean") return [];
  if (typeof item !== "object" || React.isValidElement(item)) {
    const text = React.isValidElement(item) ? String(item.key ?? "") : String(item);
    return [{ value: text, label: item as React.ReactNode, disabled: false, original: item, group, more: {} }];
  }
  const entry = item as Loose;
  const nested = entry.options ?? (Array.isArray(entry.items) ? entry.items : undefined);
  if (Array.isArray(nested)) return nested.flatMap((inner) => one(inner, String(entry.label ?? entry.group ?? "")));
  const original = entry.value ?? entry.id ?? entry.key ?? entry.name ?? entry.label ?? entry.title;
  return [
    {
      value: String(original ?? ""),
      label: entry.label ?? entry.title ?? entry.name ?? entry.text ?? String(original ?? ""),
      disabled: Boolean(entry.disabled),
      original,
      group,
      more: entry,
    },
  ];
}

/** The choices in a list, a list of groups, or an object of value → label. */
export function choices(list: unknown): Choice[] {
  if (Array.isArray(list)) return list.flatMap((item) => one(item));
  if (list !== null && typeof list === "object" && !React.isValidElement(list)) {
    return Object.entries(list).map(([value, label]) => ({
      value,
      label: label as React.ReactNode,
      disabled: false,
      original: value,
      more: {},
    }));
  }
  return [];
}

/** True when one of the children is a native element of one of these names. */
export function hasElement(children: React.ReactNode, ...names: string[]): boolean {
  return flat(children).some((child) => React.isValidElement(child) && names.includes(child.type as string));
}
