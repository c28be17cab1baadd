/** `$ui4a/ui`: everything but the charts, maths and motion, which have entries of their own. */
// Written by generate.mjs from the kit's sources.

import type * as React from "react";

/** A class name, a list of them, or a record of name → whether it is there. */
type ClassValue =
  string | number | bigint | boolean | null | undefined | Record<string, unknown> | readonly ClassValue[];

interface CardProps extends Html<"div", "title"> {
  /** Space around what it holds; steps of four pixels, a name, or a CSS length. */
  padding?: Space;
  /** The same as `padding`. */
  p?: Space;
  title?: React.ReactNode;
  description?: React.ReactNode;
  /** Controls beside the title. */
  actions?: React.ReactNode;
  footer?: React.ReactNode;
}

/** The props of an HTML element, without those to which a component gives another meaning. */
type Html<Tag extends keyof React.JSX.IntrinsicElements, Without extends string = never> = Omit<
  React.ComponentProps<Tag>,
  Without
>;

/** A step of four pixels (more than 12: pixels), a name, or any CSS length. */
type Space = number | "none" | "xs" | "sm" | "md" | "lg" | "xl" | "2xl" | boolean | Other;

/** Any other text: components know more spellings than their types list. */
type Other = string & {};

/** A component that is one element with its own classes. */
type Part<Tag extends keyof React.JSX.IntrinsicElements> = (props: Html<Tag>) => React.ReactNode;

interface FeatureCardProps extends Html<"div", "title"> {
  title?: React.ReactNode;
  description?: React.ReactNode;
  badges?: React.ReactNode[];
  /** The text of the button; without it there is none. */
  actionLabel?: React.ReactNode;
  onAction?: () => void;
  icon?: Icon;
}

/** An element, or the component of an icon. */
type Icon = React.ReactNode | React.ComponentType<any>;

/** A figure says what it is: by its `label`, or `title`, which is the same. */
type StatProps = StatLook &
  (
    | {
        title: React.ReactNode;
        label?: React.ReactNode;
      }
    | {
        label: React.ReactNode;
        title?: React.ReactNode;
      }
  );

interface StatLook extends Html<"div", "title" | "prefix"> {
  value?: React.ReactNode;
  /** The colour of the change; without it the sign of `delta` says. */
  tone?: Tone;
  /** The change, such as `+12%`. */
  delta?: React.ReactNode;
  /** The same as `delta`. */
  change?: React.ReactNode;
  trend?: "up" | "down" | "flat" | Other | React.ReactNode;
  /** A line below the figure. */
  hint?: React.ReactNode;
  /** The same as `hint`. */
  description?: React.ReactNode;
  /** The same as `hint`. */
  helpText?: React.ReactNode;
  unit?: React.ReactNode;
  prefix?: React.ReactNode;
  suffix?: React.ReactNode;
  icon?: Icon;
}

/** A meaning, or the colour that stands for it. Every component knows all of these words, or looks as usual. */
type Tone =
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

interface StatGridProps extends Html<"div"> {
  /** The figures, instead of children. */
  items?: StatProps[];
  /** The same as `items`. */
  stats?: StatProps[];
  cols?: GridProps["cols"];
  /** The same as `cols`. */
  columns?: GridProps["cols"];
  gap?: Space;
}

export interface GridProps extends BoxProps {
  /** How many columns, a template of CSS, or a count from each width on. */
  cols?:
    | number
    | string
    | {
        base?: number;
        sm?: number;
        md?: number;
        lg?: number;
        xl?: number;
      };
  /** The same as `cols`. */
  columns?: GridProps["cols"];
}

/** How far apart, and where. */
export interface BoxProps extends Html<"div"> {
  /** Space between children; steps of four pixels, a name, or a CSS length. */
  gap?: Space;
  /** The same as `gap`. */
  spacing?: Space;
  /** Space around the children. */
  padding?: Space;
  /** The same as `padding`. */
  p?: Space;
  align?:
    | "start"
    | "flex-start"
    | "top"
    | "left"
    | "center"
    | "middle"
    | "end"
    | "flex-end"
    | "bottom"
    | "right"
    | "stretch"
    | "baseline";
  justify?:
    | "start"
    | "flex-start"
    | "left"
    | "center"
    | "end"
    | "flex-end"
    | "right"
    | "between"
    | "space-between"
    | "around"
    | "space-around"
    | "evenly"
    | "space-evenly";
}

interface ButtonProps extends Html<"button"> {
  variant?:
    | "primary"
    | "default"
    | "macaron"
    | "solid"
    | "contained"
    | "filled"
    | "accent"
    | "secondary"
    | "soft"
    | "tertiary"
    | "subtle"
    | "light"
    | "outline"
    | "outlined"
    | "bordered"
    | "ghost"
    | "text"
    | "plain"
    | "link"
    | "danger"
    | "destructive"
    | "error"
    | "red"
    | "success"
    | "green";
  /** The same as `variant`. */
  tone?: ButtonProps["variant"];
  size?: ButtonSize | "default" | "small" | "medium" | "large";
  /** As wide as its place. */
  full?: boolean;
  /** The same as `full`. */
  fullWidth?: boolean;
  /** The only child takes the button's looks and props. */
  asChild?: boolean;
  /** Shows a spinner, and cannot be pressed. */
  loading?: boolean;
  /** An icon before the text. */
  icon?: Icon;
  /** The same as `icon`. */
  leftIcon?: Icon;
  /** An icon after the text. */
  rightIcon?: Icon;
  /** The text, when there are no children. */
  label?: React.ReactNode;
  /** Makes it a link. */
  href?: string;
  target?: string;
  rel?: string;
  download?: string | boolean;
}

type ButtonSize = "xs" | "sm" | "md" | "lg" | "xl" | "icon";

type ButtonVariant = "primary" | "destructive" | "outline" | "secondary" | "tertiary" | "ghost" | "link" | "success";

interface BadgeProps extends Html<"span", "color"> {
  variant?: "solid" | "outline" | Tone;
  /** The colour. */
  tone?: Tone;
  /** The same as `tone`. */
  color?: Tone | Other;
  /** The text, when there are no children. */
  label?: React.ReactNode;
}

type BadgeVariant =
  "default" | "secondary" | "destructive" | "outline" | "success" | "warn" | "danger" | "accent" | "purple" | "muted";

interface FieldProps extends Html<"div"> {
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

interface InputProps extends LabelProps, Html<"input", "value" | "defaultValue" | "onChange"> {
  value?: any;
  defaultValue?: any;
  /** Gets the event, or the text when it does not read one. */
  onChange?: (event: any) => void;
  /** Gets the text. */
  onValueChange?: (text: any) => void;
  icon?: Icon;
}

/** What a control needs to stand in a Field of its own. */
interface LabelProps {
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

interface TextareaProps extends LabelProps, Html<"textarea", "value" | "defaultValue" | "onChange"> {
  value?: any;
  defaultValue?: any;
  /** Gets the event, or the text when it does not read one. */
  onChange?: (event: any) => void;
  /** Gets the text. */
  onValueChange?: (text: any) => void;
}

interface CheckboxProps extends Omit<SwitchProps, "checked" | "defaultChecked"> {
  /** `"indeterminate"` shows a dash. */
  checked?: boolean | "indeterminate";
  defaultChecked?: boolean | "indeterminate";
}

interface SwitchProps extends Html<"button", "onChange" | "value"> {
  label?: React.ReactNode;
  /** A line of help below. */
  hint?: React.ReactNode;
  /** The same as `hint`. */
  description?: React.ReactNode;
  checked?: boolean;
  /** The same as `checked`. */
  isChecked?: boolean;
  defaultChecked?: boolean;
  value?: any;
  /** Gets whether it is on. */
  onCheckedChange?: (checked: any) => void;
  /** Gets an event, or whether it is on when it does not read one. */
  onChange?: (event: any) => void;
  /** The same as `onCheckedChange`. */
  onValueChange?: (checked: any) => void;
  required?: boolean;
}

interface RadioGroupProps extends LabelProps, Html<"div", Changes> {
  options?: Options;
  /** The same as `options`. */
  items?: Options;
  value?: any;
  defaultValue?: any;
  /** Gets the value of the option that was chosen. */
  onValueChange?: (value: any) => void;
  /** Gets the value, or an event when it reads one. */
  onChange?: (value: any) => void;
  /** The same as `onValueChange`. */
  onSelect?: (value: any) => void;
  orientation?: "horizontal" | "vertical";
  name?: string;
  disabled?: boolean;
  required?: boolean;
}

/** The props in which controls differ from HTML's. */
type Changes = "value" | "defaultValue" | "onChange" | "onSelect";

/** What can be chosen: plain values, objects, or a record of value → label. */
type Options = readonly (string | number | Option | null | undefined | false)[] | Record<string, React.ReactNode>;

interface Option {
  value?: any;
  label?: React.ReactNode;
  description?: React.ReactNode;
  disabled?: boolean;
  /** The options of a group, of which `label` is the name. */
  options?: readonly any[];
  [other: string]: any;
}

interface RadioGroupItemProps extends Html<"button", "value"> {
  value?: any;
  label?: React.ReactNode;
  hint?: React.ReactNode;
  /** The same as `hint`. */
  description?: React.ReactNode;
}

interface SelectionGridProps extends RadioGroupProps {
  /** How many tiles side by side. */
  cols?: number;
  /** The same as `cols`. */
  columns?: number;
}

interface SliderProps extends LabelProps, Html<"div", Changes> {
  min?: number;
  max?: number;
  step?: number;
  /** A number, or a list for several thumbs. */
  value?: any;
  defaultValue?: any;
  /** Gets a number, or a list when it was given one or takes one apart. */
  onValueChange?: (value: any) => void;
  onChange?: (value: any) => void;
  /** Gets the value when the thumb is let go. */
  onValueCommit?: (value: any) => void;
  /** Shows the value beside the label. */
  showValue?: boolean;
  /** What follows the value that is shown. */
  unit?: string;
  formatValue?: (value: any) => React.ReactNode;
  disabled?: boolean;
  name?: string;
  orientation?: "horizontal" | "vertical";
}

interface TabsProps extends Html<"div", Changes> {
  /** Tabs with their contents, instead of the parts. */
  items?: PanelItem[];
  /** The same as `items`. */
  tabs?: PanelItem[];
  value?: any;
  /** The same as `value`. */
  activeTab?: any;
  defaultValue?: string | number;
  /** Gets the value of the tab that was chosen. */
  onValueChange?: (value: any) => void;
  /** The same as `onValueChange`. */
  onChange?: (value: any) => void;
  /** The same as `onValueChange`. */
  onTabChange?: (value: any) => void;
  orientation?: "horizontal" | "vertical";
}

/** A panel of tabs or of an accordion. */
interface PanelItem {
  value?: string | number;
  label?: React.ReactNode;
  title?: React.ReactNode;
  content?: React.ReactNode;
  disabled?: boolean;
  [other: string]: any;
}

interface TabsContentProps extends Html<"div"> {
  value?: string | number;
}

interface TabsTriggerProps extends Html<"button", "value"> {
  value?: string | number;
  label?: React.ReactNode;
}

interface TableProps<Row = any> extends Html<"table"> {
  /** The columns, when there are no children; without them one for each key of the first row. */
  columns?: Columns<Row>;
  /** The same as `columns`. */
  headers?: Columns<Row>;
  data?: readonly Row[];
  /** The same as `data`. */
  rows?: readonly Row[];
  caption?: React.ReactNode;
}

type Columns<Row = any> =
  | readonly (string | ColumnDefinition<Row> | null | undefined)[]
  | Record<string, React.ReactNode | ColumnDefinition<Row>>;

/** A column of a table. */
interface ColumnDefinition<Row = any> {
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

interface TableCellProps extends Html<"td", "align"> {
  align?: "left" | "center" | "right" | Other;
  /** The same as `align="right"`. */
  numeric?: boolean;
  /** The same as `align="right"`. */
  isNumeric?: boolean;
}

interface TableHeadProps extends Html<"th", "align"> {
  align?: TableCellProps["align"];
  /** The same as `align="right"`. */
  numeric?: boolean;
  /** The same as `align="right"`. */
  isNumeric?: boolean;
}

interface DataTableProps<Row = any> extends Html<"div"> {
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
  pagination?:
    | boolean
    | {
        pageSize?: number;
      };
  onRowClick?: (row: Row, index: number) => void;
  /** What is said when there are no rows. */
  empty?: React.ReactNode;
  /** The same as `empty`. */
  emptyMessage?: React.ReactNode;
}

interface ProgressProps extends Html<"div", "color"> {
  value?: number | string | null;
  /** What is all of it; 100 unless said. */
  max?: number;
  label?: React.ReactNode;
  /** Shows how much is done; text is shown as it is. */
  showValue?: boolean | React.ReactNode;
  tone?: Tone;
  /** The same as `tone`. */
  variant?: Tone;
  /** The same as `tone`. */
  color?: Tone | Other;
}

interface SpinnerProps extends Html<"span"> {
  size?: "xs" | "sm" | "md" | "lg" | Other;
  label?: React.ReactNode;
}

interface AlertProps extends Html<"div", "title"> {
  /** What kind of message it is; it chooses the colour and the icon. */
  variant?: Tone;
  /** The same as `variant`. */
  tone?: AlertProps["variant"];
  /** The same as `variant`. */
  type?: AlertProps["variant"];
  /** The same as `variant`. */
  status?: AlertProps["variant"];
  title?: React.ReactNode;
  description?: React.ReactNode;
  /** An icon instead of the usual one; `false` for none. */
  icon?: Icon | false;
}

interface DialogProps extends OpenProps, Html<"div", "title"> {
  title?: React.ReactNode;
  description?: React.ReactNode;
  footer?: React.ReactNode;
  /** What opens it. */
  trigger?: React.ReactNode;
  showCloseButton?: boolean;
}

/** How everything that opens is told so. */
interface OpenProps {
  open?: boolean;
  /** The same as `open`. */
  isOpen?: boolean;
  /** The same as `open`. */
  visible?: boolean;
  defaultOpen?: boolean;
  /** Gets `true` when it opens, `false` when it closes. */
  onOpenChange?: (open: boolean) => void;
  /** Is called when it closes. */
  onClose?: (...unused: any[]) => void;
  /** Whether the page behind is out of reach meanwhile. */
  modal?: boolean;
}

/** A part that opens or closes what it belongs to. */
interface PressableProps extends Html<"button"> {
  /** The only child takes the part's place. */
  asChild?: boolean;
}

interface DialogContentProps extends Html<"div"> {
  showCloseButton?: boolean;
}

interface ToastFunction extends ShowToast {
  success: ShowToast;
  error: ShowToast;
  warning: ShowToast;
  info: ShowToast;
  message: ShowToast;
  /** Stays until it is dismissed or replaced. */
  loading: ShowToast;
  /** Takes one away, or all. */
  dismiss(id?: string | number): void;
  /** Says how some work goes. */
  promise<T>(
    work: Promise<T> | (() => Promise<T>),
    said?: {
      loading?: React.ReactNode;
      success?: React.ReactNode | ((value: T) => React.ReactNode);
      error?: React.ReactNode | ((error: any) => React.ReactNode);
    },
  ): Promise<T>;
}

/** Shows a message, and answers its id. */
type ShowToast = (message: React.ReactNode | ToastOptions, options?: ToastOptions) => string | number;

interface ToastOptions {
  /** A message with the id of another takes its place. */
  id?: string | number;
  title?: React.ReactNode;
  description?: React.ReactNode;
  /** Milliseconds; 5000 unless said. */
  duration?: number;
  variant?: "default" | "success" | "destructive" | "error" | Other;
  action?: any;
  [other: string]: any;
}

interface MarkdownProps extends Html<"div", "content"> {
  /** The text, when it is not the children. */
  source?: string;
  /** The same as `source`. */
  content?: string;
  /** The same as `source`. */
  value?: string;
}

interface CalendarProps extends Html<"div", "onSelect" | "onChange" | "defaultValue"> {
  mode?: "single" | "multiple" | "range";
  /** What is chosen: a day, a list or a range, as `mode` says. */
  selected?: Day | Day[] | DateRange;
  /** The same as `selected`. */
  value?: CalendarProps["selected"];
  defaultValue?: CalendarProps["selected"];
  /** Gets a Date, a list of them or a range, as `mode` says. */
  onSelect?: (chosen: any) => void;
  /** The same as `onSelect`. */
  onValueChange?: (chosen: any) => void;
  /** The same as `onSelect`. */
  onChange?: (chosen: any) => void;
  disabled?: DayRule;
  /** The month that is shown first. */
  month?: Day;
  defaultMonth?: Day;
  /** A language tag; without it the browser's language. */
  locale?: string | object;
  initialFocus?: boolean;
}

/** A day: a Date, milliseconds, or text such as `2026-11-30`, which is a local day. */
type Day = Date | string | number | null;

interface DateRange {
  from?: Date;
  to?: Date;
}

/** Days that cannot be chosen. */
type DayRule =
  | boolean
  | Date
  | {
      before?: Date;
      after?: Date;
    }
  | ((date: Date) => boolean)
  | DayRule[];

interface DatePickerProps extends LabelProps, Html<"input", "value" | "defaultValue" | "onSelect" | "min" | "max"> {
  value?: Day;
  /** The same as `value`. */
  selected?: Day;
  /** The same as `value`. */
  date?: Day;
  defaultValue?: Day;
  min?: Day;
  max?: Day;
  onValueChange?: (date: Date | undefined) => void;
  /** The same as `onValueChange`. */
  onSelect?: (date: Date | undefined) => void;
  /** The same as `onValueChange`. */
  onDateChange?: (date: Date | undefined) => void;
}

interface ComboboxProps extends LabelProps, Html<"input", Changes | "data"> {
  options?: Options;
  /** The same as `options`. */
  items?: Options;
  /** The same as `options`. */
  data?: Options;
  value?: any;
  defaultValue?: any;
  /** Gets the value of the option that was chosen. */
  onValueChange?: (value: any) => void;
  /** Gets the value, or an event when it reads one. */
  onChange?: (value: any) => void;
  /** The same as `onValueChange`. */
  onSelect?: (value: any) => void;
  /** What is said when no option matches. */
  empty?: React.ReactNode;
  /** The same as `empty`. */
  emptyText?: React.ReactNode;
}

interface FileUploadProps extends Html<"div", "onChange"> {
  value?: any;
  variant?: string;
  /** Kinds of files, as an `<input>` has them: `image/*,.pdf`. */
  accept?: string;
  multiple?: boolean;
  maxFiles?: number;
  /** Bytes. */
  maxSize?: number;
  label?: React.ReactNode;
  description?: React.ReactNode;
  disabled?: boolean;
  /** Gets all files that were chosen. */
  onFilesChange?: (files: File[]) => void;
  /** Gets the first file. */
  onFileChange?: (file: any) => void;
  onChange?: (files: any) => void;
  onValueChange?: (files: any) => void;
}

interface NumberFlowProps extends Html<"span", "prefix"> {
  value?: number | string;
  prefix?: string;
  suffix?: string;
  format?: Intl.NumberFormatOptions;
  locales?: string | string[];
  /** Whether a change is counted through. */
  animated?: boolean;
  trend?: unknown;
  plugins?: unknown[];
}

export interface StackProps extends BoxProps {
  direction?: "column" | "row" | "vertical" | "horizontal";
}

export interface RowProps extends BoxProps {
  /** Whether children that do not fit go to the next line; they do unless it is `false`. */
  wrap?: boolean | "wrap" | "nowrap";
}

export interface SeparatorProps extends Html<"div"> {
  orientation?: "horizontal" | "vertical";
  /** Whether it means nothing to a screen reader. */
  decorative?: boolean;
}

export interface SurfaceProps extends Html<"section", "title"> {
  /** A word above the title. */
  kicker?: React.ReactNode;
  title?: React.ReactNode;
  description?: React.ReactNode;
  /** Controls beside the title. */
  actions?: React.ReactNode;
}

export interface PillRowProps extends Html<"div"> {
  items?: (
    | React.ReactNode
    | {
        label: React.ReactNode;
      }
  )[];
}

export interface TextProps extends Html<"p", "color" | "ref"> {
  tone?: Tone;
  /** The same as `tone`, or any colour. */
  color?: Tone | Other;
  variant?: Other;
  size?: "xs" | "sm" | "md" | "base" | "lg" | "xl" | "2xl" | "3xl" | "4xl";
  weight?: "light" | "normal" | "regular" | "medium" | "semibold" | "bold" | "400" | "500" | "600" | "700" | number;
  align?: "left" | "center" | "right";
  /** The element to be; `p` unless said. */
  as?: React.ElementType | Other;
  asChild?: boolean;
  /** Cuts a line that is too long. */
  truncate?: boolean;
  htmlFor?: string;
}

export interface HeadingProps extends Html<"h2"> {
  level?: 1 | 2 | 3 | 4 | 5 | 6 | "1" | "2" | "3" | "4" | "5" | "6";
  as?: "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | Other;
  size?: TextProps["size"];
  tone?: Tone;
  align?: "left" | "center" | "right";
}

export interface CodeProps extends Html<"code"> {
  /** A block with lines of its own, not a word in a line. */
  block?: boolean;
  language?: string;
  /** The same as `language`. */
  lang?: string;
  /** The code, when it is not the children. */
  code?: string;
}

export interface AvatarProps extends Html<"span"> {
  /** The picture's address. */
  src?: string;
  /** Whose it is: read out, and its initials stand in for a missing picture. */
  name?: string;
  alt?: string;
  /** What is shown while there is no picture. */
  fallback?: React.ReactNode;
  size?: "xs" | "sm" | "md" | "lg" | "xl";
}

export interface SelectProps extends LabelProps, Html<"select", Changes | "size"> {
  options?: Options;
  /** The same as `options`. */
  items?: Options;
  value?: any;
  defaultValue?: any;
  /** Gets the value of the option that was chosen. */
  onValueChange?: (value: any) => void;
  /** Gets the event, or the value when it does not read one. */
  onChange?: (event: any) => void;
  placeholder?: string;
  size?: any;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
}

export interface SelectValueProps extends Html<"span"> {
  placeholder?: React.ReactNode;
}

export interface SelectContentProps extends FloatingProps {
  position?: string;
}

/** A panel that floats beside what opened it. */
interface FloatingProps extends Html<"div", "content"> {
  side?: Side;
  align?: "start" | "center" | "end";
  /** Pixels from what opened it. */
  sideOffset?: number;
  alignOffset?: number;
  collisionPadding?: number;
  forceMount?: true;
}

type Side = "top" | "right" | "bottom" | "left";

export interface SelectItemProps extends Html<"div"> {
  value?: any;
  label?: React.ReactNode;
  disabled?: boolean;
}

export interface SheetProps extends DialogProps {
  /** The edge that it comes from; the right one unless said. */
  side?: Side;
}

export interface SheetContentProps extends DialogContentProps {
  side?: Side;
}

export interface DisclosureProps extends OpenProps, Html<"div", "title"> {
  /** The line that opens it. */
  title?: React.ReactNode;
  /** The same as `title`. */
  trigger?: React.ReactNode;
  /** The same as `title`. */
  label?: React.ReactNode;
}

export interface AccordionProps extends Html<"div", "value" | "defaultValue"> {
  /** Whether one or several may be open. */
  type?: "single" | "multiple";
  /** Whether the open one may be closed. */
  collapsible?: boolean;
  /** The same as `type="multiple"`. */
  multiple?: boolean;
  /** The same as `type="multiple"`. */
  allowMultiple?: boolean;
  /** Titles with their contents, instead of the parts. */
  items?: PanelItem[];
  value?: string | string[];
  defaultValue?: string | string[];
  /** Gets what is open: a value, or a list when several may be. */
  onValueChange?: (value: any) => void;
}

export interface AccordionItemProps extends Html<"div", "title"> {
  value?: string | number;
  /** The line that opens it, instead of AccordionTrigger. */
  title?: React.ReactNode;
}

export interface TooltipProps extends Html<"span", "title" | "content"> {
  /** What is said. */
  content?: React.ReactNode;
  /** The same as `content`. */
  label?: React.ReactNode;
  /** The same as `content`. */
  text?: React.ReactNode;
  /** The same as `content`. */
  title?: React.ReactNode;
  side?: Side;
  /** Milliseconds. */
  delayDuration?: number;
  open?: boolean;
  defaultOpen?: boolean;
  onOpenChange?: (open: boolean) => void;
}

export interface PopoverProps extends OpenProps, FloatingProps {
  /** What opens it. */
  trigger?: React.ReactNode;
  /** What it shows, when that is not the children. */
  content?: React.ReactNode;
}

export interface DropdownMenuProps extends OpenProps {
  /** What opens it. */
  trigger?: React.ReactNode;
  /** The entries, instead of the parts. */
  items?: readonly (MenuItem | string | null | false)[];
  align?: "start" | "center" | "end";
  side?: Side;
  className?: string;
  children?: React.ReactNode;
}

export interface MenuItem {
  label?: React.ReactNode;
  icon?: Icon;
  onSelect?: (event: any) => void;
  onClick?: (event: any) => void;
  disabled?: boolean;
  variant?: "default" | "destructive" | "danger";
  [other: string]: any;
}

export interface DropdownMenuRadioGroupProps extends Html<"div"> {
  value?: string | number;
  onValueChange?: (value: string) => void;
}

export interface DropdownMenuItemProps extends Html<"div", "onSelect"> {
  variant?: "default" | "destructive" | "danger";
  /** Leaves the room that an icon would take. */
  inset?: boolean;
  disabled?: boolean;
  onSelect?: (event: Event) => void;
  asChild?: boolean;
}

export interface DropdownMenuCheckboxItemProps extends DropdownMenuItemProps {
  checked?: boolean | "indeterminate";
  onCheckedChange?: (checked: boolean) => void;
}

export interface DropdownMenuRadioItemProps extends DropdownMenuItemProps {
  value?: string | number;
}

export interface TimelineProps extends Html<"ol", "value" | "defaultValue"> {
  /** The step that is reached; those up to it are done. */
  value?: number;
  defaultValue?: number;
  onValueChange?: (value: number) => void;
  orientation?: "horizontal" | "vertical";
  items?: TimelineEntry[];
}

export interface TimelineEntry {
  title?: React.ReactNode;
  /** When it was, as it is to be shown. */
  date?: React.ReactNode;
  description?: React.ReactNode;
  step?: number;
  [other: string]: any;
}

export interface TimelineItemProps extends Html<"li", "title"> {
  step?: number;
  title?: React.ReactNode;
  date?: React.ReactNode;
  description?: React.ReactNode;
}

export interface CarouselProps extends Html<"div"> {
  /** The slides, instead of CarouselContent and CarouselItem. */
  items?: React.ReactNode[];
  orientation?: "horizontal" | "vertical";
  opts?: object;
  plugins?: unknown[];
  setApi?: (api: any) => void;
}

export interface SortableProps extends Html<"div", "onChange" | "value" | "defaultValue"> {
  /** The things in their order. */
  value?: readonly any[];
  /** The same as `value`. */
  items?: readonly any[];
  defaultValue?: readonly any[];
  /** Gets the things in their new order. */
  onValueChange?: (value: any[]) => void;
  /** The same as `onValueChange`. */
  onChange?: (value: any[]) => void;
  onReorder?: (value: any[]) => void;
  /** What tells one thing from another. */
  getItemValue?: (item: any) => string | number;
  /** Draws a thing, instead of SortableItem children. */
  renderItem?: (item: any, index: number) => React.ReactNode;
  orientation?: string;
}

export interface SortableItemProps extends Html<"div"> {
  value?: any;
  asHandle?: boolean;
}

export interface InputOTPProps extends Html<"input", "onChange" | "value" | "defaultValue" | "pattern"> {
  /** Characters; 6 unless said. */
  maxLength?: number;
  /** The same as `maxLength`. */
  length?: number;
  value?: string;
  defaultValue?: string;
  onChange?: (code: any) => void;
  onValueChange?: (code: string) => void;
  /** Gets the whole code once all characters are there. */
  onComplete?: (code: string) => void;
  /** Which characters count, such as REGEXP_ONLY_DIGITS. */
  pattern?: string | RegExp;
  containerClassName?: string;
  render?: unknown;
}

export interface InputOTPSlotProps extends Html<"div"> {
  /** The place of its character, from 0. */
  index: number;
}

export interface TextLoopProps extends Html<"span"> {
  /** Seconds that each text stays. */
  interval?: number;
  items?: React.ReactNode[];
  onIndexChange?: (index: number) => void;
  transition?: object;
  variants?: object;
}

export interface TextMorphProps extends Html<"span"> {
  as?: React.ElementType;
}

export interface TextShimmerProps extends Html<"span"> {
  /** Seconds. */
  duration?: number;
  spread?: number;
  as?: React.ElementType;
}

export interface SpinningTextProps extends Html<"span"> {
  /** Seconds a turn. */
  duration?: number;
  reverse?: boolean;
  /** In widths of a letter. */
  radius?: number;
}

export interface GlowEffectProps extends Html<"div"> {
  colors?: string[];
  blur?: number | string;
  mode?: string;
  scale?: number;
  duration?: number;
}

export interface ProgressiveBlurProps extends Html<"div"> {
  /** The side where the blur is strongest. */
  direction?: Side;
  blurIntensity?: number;
  blurLayers?: number;
}

export interface TiltProps extends Html<"div"> {
  /** Degrees. */
  rotationFactor?: number;
  isRevese?: boolean;
  springOptions?: object;
}

export interface ToolbarDynamicProps extends Html<"div"> {
  items?: {
    label?: React.ReactNode;
    icon?: Icon;
    onClick?: (event: any) => void;
    disabled?: boolean;
    [other: string]: any;
  }[];
}

export interface MorphingDialogProps {
  children?: React.ReactNode;
  open?: boolean;
  defaultOpen?: boolean;
  onOpenChange?: (open: boolean) => void;
  transition?: object;
}

/** Joins class names; of two Tailwind classes for the same property the later one counts. */
export declare function cn(...inputs: ClassValue[]): string;

/** A framed group. `title` and `description` make a header without writing the parts. */
export declare function Card(props: CardProps): React.ReactNode;

export declare const CardAction: Part<"div">;

export declare const CardContent: Part<"div">;

export declare const CardDescription: Part<"p">;

export declare const CardFooter: Part<"div">;

export declare const CardHeader: Part<"div">;

export declare const CardTitle: Part<"h3">;

/** A card that presents one feature: title, text, badges and an action. */
export declare function FeatureCard(props: FeatureCardProps): React.ReactNode;

/** A figure: label, value, and below them a change (`delta`) and a `hint`. */
export declare function Stat(props: StatProps): React.ReactNode;

/** A grid of figures, from children or from `items`/`stats`. It has as many columns as figures, up to four. */
export declare function StatGrid(props: StatGridProps): React.ReactNode;

/** A button. It never submits a form unless it says `type="submit"` or stands in one without saying otherwise. */
export declare function Button(props: ButtonProps): React.ReactNode;

/** Buttons joined side by side. */
export declare function ButtonGroup(props: Html<"div">): React.ReactNode;

export declare const buttonVariants: (options?: {
  variant?: ButtonVariant | null;
  size?: ButtonSize | null;
  className?: string;
}) => string;

/** A badge. `tone` sets its colour, `variant` its weight; either takes the other's words. */
export declare function Badge(props: BadgeProps): React.ReactNode;

export declare const badgeVariants: (options?: { variant?: BadgeVariant | null; className?: string }) => string;

/** A labelled control. The control inside finds its id, hint and error by itself. */
export declare function Field(props: FieldProps): React.ReactNode;

export declare function Label(props: Html<"label">): React.ReactNode;

/** A one-line entry of any HTML type. `label`, `hint` and `error` put it in a Field. */
export declare function Input(props: InputProps): React.ReactNode;

/** Text of several lines. */
export declare function Textarea(props: TextareaProps): React.ReactNode;

/** A checkbox; `checked="indeterminate"` shows a dash. */
export declare function Checkbox(props: CheckboxProps): React.ReactNode;

/** An on-off switch. */
export declare function Switch(props: SwitchProps): React.ReactNode;

/** Radio buttons, from RadioGroupItem children or from `options`. */
export declare function RadioGroup(props: RadioGroupProps): React.ReactNode;

export declare const RadioGroupItem: (props: RadioGroupItemProps) => React.ReactNode;

/** Tiles of which one is chosen. */
export declare function SelectionGrid(props: SelectionGridProps): React.ReactNode;

/** A slider of one or more thumbs; `label` names it, `showValue` shows the number beside the label. */
export declare function Slider(props: SliderProps): React.ReactNode;

/** A slider with a mark at every step, while the marks have room. */
export declare function TickSlider(props: SliderProps): React.ReactNode;

export declare function Tabs(props: TabsProps): React.ReactNode;

export declare const TabsContent: (props: TabsContentProps) => React.ReactNode;

export declare const TabsList: (props: Html<"div">) => React.ReactNode;

export declare const TabsTrigger: (props: TabsTriggerProps) => React.ReactNode;

/** A table from its parts, or from `columns` and `data` (or `rows`). */
export declare function Table<Row = any>(props: TableProps<Row>): React.ReactNode;

export declare const TableBody: Part<"tbody">;

export declare const TableCaption: Part<"caption">;

export declare function TableCell(props: TableCellProps): React.ReactNode;

export declare const TableFooter: Part<"tfoot">;

export declare function TableHead(props: TableHeadProps): React.ReactNode;

export declare const TableHeader: Part<"thead">;

export declare const TableRow: Part<"tr">;

export declare function DataTable<Row = any>(props: DataTableProps<Row>): React.ReactNode;

/** A bar filled to `value` of `max` (100); without a value it shows that something is going on. */
export declare function Progress(props: ProgressProps): React.ReactNode;

/** A grey shape where content will be. */
export declare const Skeleton: Part<"div">;

/** A turning ring that a screen reader announces. */
export declare function Spinner(props: SpinnerProps): React.ReactNode;

/** A message; `title` and `description` do without the parts. It has an icon of its kind unless it holds one. */
export declare function Alert(props: AlertProps): React.ReactNode;

export declare const AlertDescription: Part<"div">;

export declare const AlertTitle: Part<"div">;

export declare const AlertDialog: typeof Dialog;

export declare function Dialog(props: DialogProps): React.ReactNode;

export declare const AlertDialogAction: (props: PressableProps) => React.ReactNode;

export declare const AlertDialogCancel: (props: PressableProps) => React.ReactNode;

export declare function AlertDialogContent(props: DialogContentProps): React.ReactNode;

export declare const AlertDialogDescription: (props: Html<"p">) => React.ReactNode;

export declare const AlertDialogFooter: Part<"div">;

export declare const AlertDialogHeader: Part<"div">;

export declare const AlertDialogTitle: (props: Html<"h2">) => React.ReactNode;

export declare const AlertDialogTrigger: (props: PressableProps) => React.ReactNode;

export declare const DialogClose: (props: PressableProps) => React.ReactNode;

export declare function DialogContent(props: DialogContentProps): React.ReactNode;

export declare const DialogDescription: (props: Html<"p">) => React.ReactNode;

export declare const DialogFooter: Part<"div">;

export declare const DialogHeader: Part<"div">;

export declare const DialogOverlay: (props: Html<"div">) => React.ReactNode;

export declare const DialogPortal: (props: { children?: React.ReactNode }) => React.ReactNode;

export declare const DialogTitle: (props: Html<"h2">) => React.ReactNode;

export declare const DialogTrigger: (props: PressableProps) => React.ReactNode;

/** Where messages appear. */
export declare function Toaster(props: { [other: string]: any }): React.ReactNode;

/** Shows a message: `toast("Saved")`, `toast.success(…)`, `toast({ title, description })`. */
export declare const toast: ToastFunction;

/** The older hook: `const { toast } = useToast()`. */
export declare function useToast(): {
  toast: ToastFunction;
  dismiss(id?: string | number): void;
  toasts: unknown[];
};

export declare function Markdown(props: MarkdownProps): React.ReactNode;

/** A month. `mode` is `single` (the default), `multiple` or `range`; `onSelect` gets a date, a list or `{from, to}`. */
export declare function Calendar(props: CalendarProps): React.ReactNode;

export declare function CalendarDayButton(
  props: Html<"button"> & {
    day?: unknown;
    modifiers?: unknown;
  },
): React.ReactNode;

/** A date field: the browser's own, which every phone knows. `onSelect` and `onValueChange` get a Date or undefined. */
export declare function DatePicker(props: DatePickerProps): React.ReactNode;

export declare function Combobox(props: ComboboxProps): React.ReactNode;

export declare function FileUpload(props: FileUploadProps): React.ReactNode;

export declare function NumberFlow(props: NumberFlowProps): React.ReactNode;

/** A plugin of the older dialect; counting is continuous here anyway. */
export declare const numberFlowContinuous: {};

/** Children below each other. `direction="row"` makes it a Row, as other kits have it. */
export declare function Stack(props: StackProps): React.ReactNode;

/** Children beside each other; they wrap unless `wrap={false}`. */
export declare function Row(props: RowProps): React.ReactNode;

/** A grid of `cols` equal columns; it shows fewer where they would get too narrow. */
export declare function Grid(props: GridProps): React.ReactNode;

/** Two equal columns, one where space is short. */
export declare function TwoColumnGrid(props: BoxProps): React.ReactNode;

/** A line between groups, across or (with `orientation="vertical"`) upright. */
export declare function Separator(props: SeparatorProps): React.ReactNode;

/** A titled region of the page: kicker, title, description, actions, then what it holds. */
export declare function Surface(props: SurfaceProps): React.ReactNode;

/** A wrapping row of small rounded labels. */
export declare function PillRow(props: PillRowProps): React.ReactNode;

/** A centred column no wider than a page. */
export declare const Container: Part<"div">;

/** A paragraph, or with `as` another element. */
export declare function Text(props: TextProps): React.ReactNode;

/** A heading of `level` 1 to 6 (2 unless said). */
export declare function Heading(props: HeadingProps): React.ReactNode;

/** Code in a line, or a block when it has several lines, `block` or a `language`. */
export declare function Code(props: CodeProps): React.ReactNode;

/** An avatar; `src`, `name` and `fallback` do without the parts. */
export declare function Avatar(props: AvatarProps): React.ReactNode;

export declare const AvatarImage: (props: Html<"img">) => React.ReactNode;

export declare const AvatarFallback: (props: Html<"span">) => React.ReactNode;

export declare const AvatarBadge: Part<"span">;

export declare const AvatarGroup: Part<"div">;

export declare const AvatarGroupCount: Part<"span">;

export declare function Select(props: SelectProps): React.ReactNode;

export declare function SelectSeparator(props: Html<"div">): React.ReactNode;

export declare const SelectTrigger: (
  props: Html<"button"> & {
    size?: string;
  },
) => React.ReactNode;

export declare const SelectValue: (props: SelectValueProps) => React.ReactNode;

export declare const SelectContent: (props: SelectContentProps) => React.ReactNode;

export declare const SelectItem: (props: SelectItemProps) => React.ReactNode;

export declare const SelectGroup: (props: Html<"div">) => React.ReactNode;

export declare const SelectLabel: (props: Html<"div">) => React.ReactNode;

export declare function Sheet(props: SheetProps): React.ReactNode;

export declare function SheetContent(props: SheetContentProps): React.ReactNode;

export declare function DrawerContent(props: SheetContentProps): React.ReactNode;

export declare const SheetTrigger: (props: PressableProps) => React.ReactNode;

export declare const SheetClose: (props: PressableProps) => React.ReactNode;

export declare const SheetHeader: Part<"div">;

export declare const SheetFooter: Part<"div">;

export declare const SheetTitle: (props: Html<"h2">) => React.ReactNode;

export declare const SheetDescription: (props: Html<"p">) => React.ReactNode;

export declare const Drawer: typeof Sheet;

export declare const DrawerTrigger: (props: PressableProps) => React.ReactNode;

export declare const DrawerClose: (props: PressableProps) => React.ReactNode;

export declare const DrawerHeader: Part<"div">;

export declare const DrawerFooter: Part<"div">;

export declare const DrawerTitle: (props: Html<"h2">) => React.ReactNode;

export declare const DrawerDescription: (props: Html<"p">) => React.ReactNode;

/** One part that opens. With `title` (or `label`, `summary`) it needs no parts. */
export declare function Disclosure(props: DisclosureProps): React.ReactNode;

/** Several parts that open, one at a time unless `type="multiple"`; from parts or from `items`. */
export declare function Accordion(props: AccordionProps): React.ReactNode;

export declare const DisclosureTrigger: (props: PressableProps) => React.ReactNode;

export declare const DisclosureContent: (props: Html<"div">) => React.ReactNode;

export declare const AccordionItem: (props: AccordionItemProps) => React.ReactNode;

export declare const AccordionTrigger: (props: Html<"button">) => React.ReactNode;

export declare const AccordionContent: (props: Html<"div">) => React.ReactNode;

/** A tooltip; `content` (or `label`, `text`) around the thing explained does without the parts. */
export declare function Tooltip(props: TooltipProps): React.ReactNode;

export declare const TooltipProvider: (props: {
  children?: React.ReactNode;
  delayDuration?: number;
  skipDelayDuration?: number;
  disableHoverableContent?: boolean;
}) => React.ReactNode;

export declare const TooltipTrigger: (props: PressableProps) => React.ReactNode;

export declare const TooltipContent: (props: FloatingProps) => React.ReactNode;

/** A popover; `trigger` with plain children does without the parts. */
export declare function Popover(props: PopoverProps): React.ReactNode;

export declare const PopoverTrigger: (props: PressableProps) => React.ReactNode;

export declare const PopoverClose: (props: PressableProps) => React.ReactNode;

export declare const PopoverAnchor: (
  props: Html<"div"> & {
    asChild?: boolean;
  },
) => React.ReactNode;

export declare const PopoverContent: (props: FloatingProps) => React.ReactNode;

export declare const PopoverHeader: Part<"div">;

export declare const PopoverTitle: Part<"div">;

export declare const PopoverDescription: Part<"p">;

export declare const HoverCard: typeof Popover;

export declare const HoverCardTrigger: (props: PressableProps) => React.ReactNode;

export declare const HoverCardContent: (props: FloatingProps) => React.ReactNode;

/** A menu; `trigger` and `items` ({label, onSelect}) do without the parts. */
export declare function DropdownMenu(props: DropdownMenuProps): React.ReactNode;

export declare function DropdownMenuLabel(
  props: Html<"div"> & {
    inset?: boolean;
  },
): React.ReactNode;

export declare function DropdownMenuSeparator(props: Html<"div">): React.ReactNode;

export declare const DropdownMenuTrigger: (props: PressableProps) => React.ReactNode;

export declare const DropdownMenuGroup: Part<"div">;

export declare const DropdownMenuSub: (
  props: OpenProps & {
    children?: React.ReactNode;
  },
) => React.ReactNode;

export declare const DropdownMenuRadioGroup: (props: DropdownMenuRadioGroupProps) => React.ReactNode;

export declare const DropdownMenuPortal: (props: { children?: React.ReactNode }) => React.ReactNode;

export declare const DropdownMenuContent: (props: FloatingProps) => React.ReactNode;

export declare const DropdownMenuItem: (props: DropdownMenuItemProps) => React.ReactNode;

export declare const DropdownMenuCheckboxItem: (props: DropdownMenuCheckboxItemProps) => React.ReactNode;

export declare const DropdownMenuRadioItem: (props: DropdownMenuRadioItemProps) => React.ReactNode;

export declare const DropdownMenuShortcut: Part<"span">;

export declare const DropdownMenuSubTrigger: (props: DropdownMenuItemProps) => React.ReactNode;

export declare const DropdownMenuSubContent: (props: FloatingProps) => React.ReactNode;

/** A timeline from TimelineItem children or from `items` ({title, date, description}). Steps up to `value` are done. */
export declare function Timeline(props: TimelineProps): React.ReactNode;

export declare function TimelineItem(props: TimelineItemProps): React.ReactNode;

export declare const TimelineHeader: Part<"div">;

export declare const TimelineTitle: Part<"div">;

export declare const TimelineDate: Part<"time">;

export declare const TimelineContent: Part<"div">;

export declare const TimelineIndicator: Part<"span">;

export declare const TimelineSeparator: Part<"span">;

/** A carousel from its parts or from `items`. */
export declare function Carousel(props: CarouselProps): React.ReactNode;

export declare function CarouselContent(props: Html<"div">): React.ReactNode;

export declare function CarouselItem(props: Html<"div">): React.ReactNode;

export declare function CarouselPrevious(
  props: Html<"button"> & {
    variant?: string;
    size?: string;
  },
): React.ReactNode;

export declare function CarouselNext(
  props: Html<"button"> & {
    variant?: string;
    size?: string;
  },
): React.ReactNode;

/** A sortable list of `value`; children are SortableItems, or a function of an item. `onValueChange` gets the new list. */
export declare function Sortable(props: SortableProps): React.ReactNode;

export declare function SortableItem(props: SortableItemProps): React.ReactNode;

export declare function SortableItemHandle(props: Html<"button">): React.ReactNode;

/** The item moves in place, so there is nothing to draw over the list. */
export declare function SortableOverlay(props: { children?: React.ReactNode; [other: string]: any }): React.ReactNode;

export declare function InputOTP(props: InputOTPProps): React.ReactNode;

export declare function InputOTPSlot(props: InputOTPSlotProps): React.ReactNode;

export declare function InputOTPSeparator(props: Html<"div">): React.ReactNode;

export declare const REGEXP_ONLY_DIGITS = "^\\d+$";

export declare const REGEXP_ONLY_CHARS = "^[a-zA-Z]+$";

export declare const REGEXP_ONLY_DIGITS_AND_CHARS = "^[a-zA-Z0-9]+$";

export declare const InputOTPGroup: Part<"div">;

/** Shows its children one after another, every `interval` seconds. */
export declare function TextLoop(props: TextLoopProps): React.ReactNode;

/** Text whose change is faded. */
export declare function TextMorph(props: TextMorphProps): React.ReactNode;

/** Text over which a light passes every `duration` seconds. */
export declare function TextShimmer(props: TextShimmerProps): React.ReactNode;

/** Text set in a ring that turns. */
export declare function SpinningText(props: SpinningTextProps): React.ReactNode;

/** A soft glow behind what it is placed in. */
export declare function GlowEffect(props: GlowEffectProps): React.ReactNode;

/** A blur that grows towards one side. */
export declare function ProgressiveBlur(props: ProgressiveBlurProps): React.ReactNode;

/** A surface that tilts towards the pointer. */
export declare function Tilt(props: TiltProps): React.ReactNode;

/** A bar of actions. */
export declare function ToolbarDynamic(props: ToolbarDynamicProps): React.ReactNode;

export declare function MorphingDialog(props: MorphingDialogProps): React.ReactNode;

export declare function MorphingDialogTrigger(props: PressableProps): React.ReactNode;

export declare function MorphingDialogContainer(props: { children?: React.ReactNode }): React.ReactNode;

export declare function MorphingDialogContent(props: DialogContentProps): React.ReactNode;

export declare function MorphingDialogImage(props: Html<"img">): React.ReactNode;

export declare const MorphingDialogTitle: (props: Html<"span">) => React.ReactNode;

export declare const MorphingDialogDescription: (props: Html<"span">) => React.ReactNode;

export declare const MorphingDialogSubtitle: Part<"p">;

export declare const MorphingDialogClose: (props: PressableProps) => React.ReactNode;

export {};
