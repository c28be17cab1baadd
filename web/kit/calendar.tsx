/** A month to pick a day from, and a date field that opens one. Days are local; the week starts where the locale's does. */
import * as React from "react";
import ChevronLeft from "lucide-react/icons/chevron-left";
import ChevronRight from "lucide-react/icons/chevron-right";
import { cn } from "./lib/cn.js";
import { dom, wrapped, type Loose } from "./lib/node.js";
import { inField } from "./field.js";
import { Input } from "./input.js";
import type { Html, LabelProps } from "./lib/props.js";

export interface DateRange {
  from?: Date;
  to?: Date;
}
/** A day: a Date, milliseconds, or text such as `2026-11-30`, which is a local day. */
export type Day = Date | string | number | null;
/** Days that cannot be chosen. */
export type DayRule = boolean | Date | { before?: Date; after?: Date } | ((date: Date) => boolean) | DayRule[];
export interface CalendarProps extends Html<"div", "onSelect" | "onChange" | "defaultValue"> {
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
export interface DatePickerProps
  extends LabelProps, Html<"input", "value" | "defaultValue" | "onSelect" | "min" | "max"> {
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

type Range = { from?: Date; to?: Date };

const day = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate());
const plus = (date: Date, days: number) => new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
const same = (a?: Date, b?: Date) => a !== undefined && b !== undefined && day(a).getTime() === day(b).getTime();

/** A date from a date, a time stamp or text; days written as `2026-11-30` are local days. */
function asDate(value: unknown): Date | undefined {
  if (value === null || value === undefined || value === "") return undefined;
  const text = typeof value === "string" ? /^(\d{4})-(\d\d)-(\d\d)$/.exec(value) : null;
  const date = text ? new Date(Number(text[1]), Number(text[2]) - 1, Number(text[3])) : new Date(value as string);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function asRange(value: unknown): Range {
  const given = (value ?? {}) as Loose;
  return value instanceof Date ? { from: value } : { from: asDate(given.from), to: asDate(given.to) };
}

/** The first day of the week, 0 for Sunday. */
function weekStart(locale: string | undefined): number {
  try {
    const info = new Intl.Locale(locale ?? navigator.language) as unknown as Loose;
    return (info.getWeekInfo?.() ?? info.weekInfo)?.firstDay % 7 || 0;
  } catch {
    return 0;
  }
}

function isDisabled(rule: unknown, date: Date): boolean {
  if (typeof rule === "function") return Boolean(rule(date));
  if (Array.isArray(rule)) return rule.some((one) => isDisabled(one, date));
  if (rule instanceof Date) return same(rule, date);
  if (rule === null || typeof rule !== "object") return rule === true;
  const { before, after } = rule as Loose;
  return (before instanceof Date && date < day(before)) || (after instanceof Date && date > day(after));
}

const STEP: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

/** A month. `mode` is `single` (the default), `multiple` or `range`; `onSelect` gets a date, a list or `{from, to}`. */
export function Calendar(props: CalendarProps): React.ReactNode;
export function Calendar({
  mode = "single",
  selected,
  value,
  defaultValue,
  onSelect,
  onValueChange,
  onChange,
  disabled,
  defaultMonth,
  month,
  locale,
  className,
  children: _children,
  ...rest
}: Loose) {
  const given = selected ?? value;
  const [own, setOwn] = React.useState<unknown>(given ?? defaultValue);
  const chosen = given === undefined ? own : given;
  const range = mode === "range" ? asRange(chosen) : {};
  const list = (Array.isArray(chosen) ? chosen : [chosen])
    .map(asDate)
    .filter((date): date is Date => date !== undefined);
  const start = asDate(month ?? defaultMonth) ?? range.from ?? list[0] ?? new Date();
  const [shown, setShown] = React.useState(() => new Date(start.getFullYear(), start.getMonth(), 1));
  const [focus, setFocus] = React.useState<Date>(() => day(start));
  const grid = React.useRef<HTMLTableElement>(null);
  const moved = React.useRef(false);
  const first = weekStart(typeof locale === "string" ? locale : undefined);
  const lead = (shown.getDay() - first + 7) % 7;
  const days = Array.from({ length: 42 }, (_, at) => plus(shown, at - lead));
  const weeks = [0, 7, 14, 21, 28, 35]
    .map((at) => days.slice(at, at + 7))
    .filter((week) => week.some((date) => date.getMonth() === shown.getMonth()));
  const name = typeof locale === "string" ? locale : undefined;

  React.useEffect(() => {
    if (moved.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
    moved.current = false;
  }, [focus]);

  const isChosen = (date: Date) =>
    mode === "range" ? same(date, range.from) || same(date, range.to) : list.some((one) => same(one, date));
  const within = (date: Date) =>
    range.from !== undefined && range.to !== undefined && date > range.from && date < range.to;
  const pick = (date: Date) => {
    let next: unknown = date;
    if (mode === "multiple")
      next = list.some((one) => same(one, date)) ? list.filter((one) => !same(one, date)) : [...list, date];
    if (mode === "range")
      next =
        range.from && !range.to && date >= range.from ? { from: range.from, to: date } : { from: date, to: undefined };
    setOwn(next);
    for (const handler of [onSelect, onValueChange, onChange]) if (typeof handler === "function") handler(next);
  };
  const go = (date: Date) => {
    moved.current = true;
    setFocus(date);
    setShown(new Date(date.getFullYear(), date.getMonth(), 1));
  };
  const turn = (months: number) => {
    const next = new Date(shown.getFullYear(), shown.getMonth() + months, 1);
    setShown(next);
    setFocus(next);
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = STEP[event.key];
    if (step === undefined && event.key !== "PageUp" && event.key !== "PageDown") return;
    event.preventDefault();
    const months = event.key === "PageUp" ? -1 : 1;
    go(
      step === undefined
        ? new Date(focus.getFullYear(), focus.getMonth() + months, Math.min(focus.getDate(), 28))
        : plus(focus, step),
    );
  };
  const title = shown.toLocaleDateString(name, { month: "long", year: "numeric" });
  const reachable = days.some((date) => same(date, focus) && date.getMonth() === shown.getMonth()) ? focus : shown;
  const arrow =
    "ui4a-focus inline-flex h-8 w-8 cursor-pointer items-center justify-center rounded-md text-muted-foreground hover:bg-surface-2 hover:text-fg";

  return (
    <div
      data-slot="calendar"
      {...dom(rest)}
      className={cn("w-fit rounded-lg border border-border bg-card p-3 text-sm", className)}
    >
      <div className="flex items-center justify-between pb-2">
        <button type="button" aria-label="Previous month" className={arrow} onClick={() => turn(-1)}>
          <ChevronLeft className="h-4 w-4" />
        </button>
        <span aria-live="polite" className="font-medium">
          {title}
        </span>
        <button type="button" aria-label="Next month" className={arrow} onClick={() => turn(1)}>
          <ChevronRight className="h-4 w-4" />
        </button>
      </div>
      <table ref={grid} role="grid" aria-label={title} className="border-collapse" onKeyDown={onKeyDown}>
        <thead>
          <tr>
            {days.slice(0, 7).map((date) => (
              <th
                key={date.getDay()}
                scope="col"
                abbr={date.toLocaleDateString(name, { weekday: "long" })}
                className="h-8 w-9 text-xs font-normal text-muted-foreground"
              >
                {date.toLocaleDateString(name, { weekday: "narrow" })}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]!.getTime()}>
              {week.map((date) => (
                <td
                  key={date.getTime()}
                  role="gridcell"
                  aria-selected={isChosen(date)}
                  className={cn("p-0", within(date) && "bg-surface-2")}
                >
                  <CalendarDayButton
                    tabIndex={same(date, reachable) ? 0 : -1}
                    aria-label={date.toLocaleDateString(name, { dateStyle: "full" })}
                    aria-current={same(date, new Date()) ? "date" : undefined}
                    disabled={isDisabled(disabled, date)}
                    data-outside={date.getMonth() === shown.getMonth() ? undefined : ""}
                    data-selected={isChosen(date) ? "" : undefined}
                    onClick={() => {
                      setFocus(date);
                      pick(date);
                    }}
                  >
                    {date.getDate()}
                  </CalendarDayButton>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function CalendarDayButton(props: Html<"button"> & { day?: unknown; modifiers?: unknown }): React.ReactNode;
export function CalendarDayButton({ className, day: _day, modifiers: _modifiers, children, ...rest }: Loose) {
  return (
    <button
      type="button"
      {...dom(rest)}
      className={cn(
        "ui4a-day ui4a-focus inline-flex h-9 w-9 cursor-pointer items-center justify-center rounded-md tabular-nums hover:bg-surface-3 disabled:cursor-not-allowed disabled:opacity-40",
        className,
      )}
    >
      {wrapped(children)}
    </button>
  );
}

const written = (date: Date | undefined) =>
  date
    ? `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`
    : "";

/** A date field: the browser's own, which every phone knows. `onSelect` and `onValueChange` get a Date or undefined. */
export function DatePicker(props: DatePickerProps): React.ReactNode;
export function DatePicker(props: Loose) {
  return inField(
    props,
    ({ selected, value, date, defaultValue, onSelect, onDateChange, onValueChange, onChange, min, max, ...rest }) => {
      const given = selected ?? value ?? date;
      const [own, setOwn] = React.useState<Date | undefined>(() => asDate(given ?? defaultValue));
      return (
        <Input
          {...rest}
          type="date"
          min={min && written(asDate(min))}
          max={max && written(asDate(max))}
          value={written(given === undefined ? own : asDate(given))}
          onChange={(event: React.ChangeEvent<HTMLInputElement>) => {
            const next = asDate(event.target.value);
            setOwn(next);
            onSelect?.(next);
            onDateChange?.(next);
            onValueChange?.(next);
            onChange?.(event);
          }}
        />
      );
    },
  );
}
