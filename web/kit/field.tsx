/** Labels, and the field that ties a label, a control, a hint and an error together. */
import * as React from "react";
import * as Primitive from "@radix-ui/react-label";
import { cn } from "./lib/cn.js";
import { dom, node, wrapped, type Loose } from "./lib/node.js";
import { FieldContext } from "./lib/field-context.js";
import type { Html } from "./lib/props.js";

export interface FieldProps extends Html<"div"> {
  label?: React.ReactNode;
  /** A line of help below. */
  hint?: React.ReactNode;
  /** The same as `hint`. */
  description?: React.ReactNode;
  /** The same as `hint`. */
  helperText?: React.ReactNode;
  /** What is wrong; it replaces the hint. `true` marks the control alone. */
  error?: React.ReactNode;
  required?: boolean;
  /** The id of the control, which is found without it too. */
  htmlFor?: string;
}

export function Label(props: Html<"label">): React.ReactNode;
export function Label({ className, children, ...rest }: React.LabelHTMLAttributes<HTMLLabelElement> & Loose) {
  const field = React.useContext(FieldContext);
  return (
    <Primitive.Root
      data-slot="label"
      htmlFor={field?.control}
      {...dom(rest)}
      className={cn("inline-flex items-center gap-2 text-sm leading-snug font-medium select-none", className)}
    >
      {wrapped(children)}
    </Primitive.Root>
  );
}

/** A labelled control. The control inside finds its id, hint and error by itself. */
export function Field(props: FieldProps): React.ReactNode;
export function Field({
  label,
  hint,
  description,
  helperText,
  error,
  required,
  htmlFor,
  className,
  children,
  ...rest
}: Loose) {
  const id = React.useId();
  const note = hint ?? description ?? helperText;
  const invalid = Boolean(error);
  const noted = (invalid && error !== true) || (note !== undefined && note !== null);
  const ids = React.useMemo(
    () => ({
      control: htmlFor ?? `${id}c`,
      described: noted ? `${id}d` : undefined,
      invalid,
      required: Boolean(required),
    }),
    [id, htmlFor, noted, invalid, required],
  );
  return (
    <div data-slot="field" {...dom(rest)} className={cn("flex min-w-0 flex-col gap-1.5", className)}>
      <FieldContext.Provider value={ids}>
        {label !== undefined && (
          <Label>
            <span>
              {node(label)}
              {required && (
                <span aria-hidden="true" className="text-danger">
                  {" "}
                  *
                </span>
              )}
            </span>
          </Label>
        )}
        {wrapped(children)}
      </FieldContext.Provider>
      {invalid && error !== true ? (
        <p id={ids.described} role="alert" className="text-xs text-danger">
          {node(error)}
        </p>
      ) : (
        noted && (
          <p id={ids.described} className="text-xs text-muted-foreground">
            {node(note)}
          </p>
        )
      )}
    </div>
  );
}

/** The control in a Field when it was given a label, hint or error of its own; the bare control otherwise. */
export function inField(props: Loose, control: (rest: Loose) => React.ReactElement): React.ReactElement {
  const { label, hint, description, helperText, error, fieldClassName, ...rest } = props;
  if (label === undefined && hint === undefined && description === undefined && helperText === undefined && !error)
    return control(rest);
  return (
    <Field
      {...{
        label,
        hint: hint ?? description ?? helperText,
        error,
        required: rest.required,
        htmlFor: rest.id,
        className: fieldClassName,
      }}
    >
      {control(rest)}
    </Field>
  );
}
