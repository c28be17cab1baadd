/** Connects a control with the label, hint and error of the Field around it. */
import * as React from "react";

export type FieldIds = { control: string; described?: string; invalid: boolean; required: boolean };

export const FieldContext = React.createContext<FieldIds | null>(null);

/** The id and ARIA attributes that a control inside a Field needs; what the control says itself goes first. */
export function useFieldProps(id?: string): Record<string, unknown> {
  const field = React.useContext(FieldContext);
  if (!field) return id ? { id } : {};
  return {
    id: id ?? field.control,
    ...(field.described ? { "aria-describedby": field.described } : {}),
    ...(field.invalid ? { "aria-invalid": true } : {}),
  };
}
