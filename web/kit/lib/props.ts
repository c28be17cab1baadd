/** The words that the components' props are written in. Types alone: nothing of this file is left when it is compiled. */
import type * as React from "react";

/** The props of an HTML element, without those to which a component gives another meaning. */
export type Html<Tag extends keyof React.JSX.IntrinsicElements, Without extends string = never> = Omit<
  React.ComponentProps<Tag>,
  Without
>;

/** A component that is one element with its own classes. */
export type Part<Tag extends keyof React.JSX.IntrinsicElements> = (props: Html<Tag>) => React.ReactNode;

/** Any other text: components know more spellings than their types list. */
export type Other = string & {};

/** A meaning, or the colour that stands for it. Every component knows all of these words, or looks as usual. */
export type Tone =
  | "default"
  | "neutral"
  | "muted"
  | "secondary"
  | "subtle"
  | "gray"
  | "grey"
  | "accent"
  | "primary"
  | "info"
  | "blue"
  | "success"
  | "positive"
  | "green"
  | "warn"
  | "warning"
  | "orange"
  | "yellow"
  | "amber"
  | "danger"
  | "destructive"
  | "error"
  | "negative"
  | "red"
  | "purple"
  | "violet";

/** A step of four pixels (more than 12: pixels), a name, or any CSS length. */
export type Space = number | "none" | "xs" | "sm" | "md" | "lg" | "xl" | "2xl" | boolean | Other;

/** An element, or the component of an icon. */
export type Icon = React.ReactNode | React.ComponentType<any>;

export type Side = "top" | "right" | "bottom" | "left";

/** The props in which controls differ from HTML's. */
export type Changes = "value" | "defaultValue" | "onChange" | "onSelect";

/** What a control needs to stand in a Field of its own. */
export interface LabelProps {
  label?: React.ReactNode;
  /** A line of help below. */
  hint?: React.ReactNode;
  /** The same as `hint`. */
  description?: React.ReactNode;
  /** The same as `hint`. */
  helperText?: React.ReactNode;
  /** What is wrong; it replaces the hint. `true` marks the control alone. */
  error?: React.ReactNode;
  fieldClassName?: string;
}

export interface Option {
  value?: any;
  label?: React.ReactNode;
  description?: React.ReactNode;
  disabled?: boolean;
  /** The options of a group, of which `label` is the name. */
  options?: readonly any[];
  [other: string]: any;
}

/** What can be chosen: plain values, objects, or a record of value → label. */
export type Options =
  readonly (string | number | Option | null | undefined | false)[] | Record<string, React.ReactNode>;

/** A panel of tabs or of an accordion. */
export interface PanelItem {
  value?: string | number;
  label?: React.ReactNode;
  title?: React.ReactNode;
  content?: React.ReactNode;
  disabled?: boolean;
  [other: string]: any;
}

/** A column of a table. */
export interface ColumnDefinition<Row = any> {
  /** The key of the row's value; `a.b` reads a value in a value. */
  key?: string | number;
  header?: React.ReactNode | ((context: any) => React.ReactNode);
  align?: "left" | "center" | "right" | Other;
  sortable?: boolean;
  /** Draws a cell from its row; TanStack's context, `({ row }) => row.original`, works as well. */
  cell?: (row: Row & Record<string, any>, whole: Row) => any;
  /** Draws a cell from its value. */
  render?: (value: any, row: Row, index: number) => any;
  accessorKey?: string;
  [other: string]: any;
}

export type Columns<Row = any> =
  | readonly (string | ColumnDefinition<Row> | null | undefined)[]
  | Record<string, React.ReactNode | ColumnDefinition<Row>>;

/** A panel that floats beside what opened it. */
export interface FloatingProps extends Html<"div", "content"> {
  side?: Side;
  align?: "start" | "center" | "end";
  /** Pixels from what opened it. */
  sideOffset?: number;
  alignOffset?: number;
  collisionPadding?: number;
  forceMount?: true;
}
