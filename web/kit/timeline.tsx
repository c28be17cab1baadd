/** Events in their order. */
import * as React from "react";
import { cn } from "./lib/cn.js";
import { dom, node, part, wrapped, type Loose } from "./lib/node.js";
import type { Html, Part } from "./lib/props.js";

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

type State = { active: number; upright: boolean };
const Current = React.createContext<State>({ active: Number.POSITIVE_INFINITY, upright: true });

/** A timeline from TimelineItem children or from `items` ({title, date, description}). Steps up to `value` are done. */
export function Timeline(props: TimelineProps): React.ReactNode;
export function Timeline({
  value,
  defaultValue,
  onValueChange: _change,
  orientation,
  items,
  className,
  children,
  ...rest
}: Loose) {
  const upright = orientation !== "horizontal";
  const active = Number(value ?? defaultValue ?? Number.POSITIVE_INFINITY);
  const state = React.useMemo(() => ({ active, upright }), [active, upright]);
  const list: Loose[] = Array.isArray(items) ? items : [];
  return (
    <Current.Provider value={state}>
      <ol
        data-slot="timeline"
        {...dom(rest)}
        className={cn("flex min-w-0", upright ? "flex-col" : "ui4a-scroll flex-row overflow-x-auto", className)}
      >
        {list.map((item, at) => (
          <TimelineItem key={at} step={item.step ?? at + 1}>
            <TimelineHeader>
              <TimelineTitle>{node(item.title ?? item.label ?? item.name)}</TimelineTitle>
              {(item.date ?? item.time) !== undefined && <TimelineDate>{node(item.date ?? item.time)}</TimelineDate>}
            </TimelineHeader>
            {(item.description ?? item.content ?? item.body) !== undefined && (
              <TimelineContent>{node(item.description ?? item.content ?? item.body)}</TimelineContent>
            )}
          </TimelineItem>
        ))}
        {wrapped(children)}
      </ol>
    </Current.Provider>
  );
}

export function TimelineItem(props: TimelineItemProps): React.ReactNode;
export function TimelineItem({ step, className, children, title, date, description, ...rest }: Loose) {
  const { active, upright } = React.useContext(Current);
  const done = step === undefined || Number(step) <= active;
  return (
    <li
      data-slot="timeline-item"
      data-done={done ? "" : undefined}
      aria-current={Number(step) === active ? "step" : undefined}
      {...dom(rest)}
      className={cn(
        "ui4a-timeline-item relative flex min-w-0 flex-col gap-1",
        upright ? "pb-5 pl-6" : "min-w-40 flex-1 pt-6 pr-4",
        className,
      )}
      data-upright={upright ? "" : undefined}
    >
      {(title !== undefined || date !== undefined) && (
        <TimelineHeader>
          {title !== undefined && <TimelineTitle>{node(title)}</TimelineTitle>}
          {date !== undefined && <TimelineDate>{node(date)}</TimelineDate>}
        </TimelineHeader>
      )}
      {description !== undefined && <TimelineContent>{node(description)}</TimelineContent>}
      {wrapped(children)}
    </li>
  );
}

export const TimelineHeader: Part<"div"> = part("div", "timeline-header", (given) =>
  cn("flex flex-wrap items-baseline justify-between gap-x-3 gap-y-0.5", given),
);
export const TimelineTitle: Part<"div"> = part("div", "timeline-title", (given) =>
  cn("text-sm leading-snug font-medium", given),
);
export const TimelineDate: Part<"time"> = part("time", "timeline-date", (given) =>
  cn("text-xs text-muted-foreground", given),
);
export const TimelineContent: Part<"div"> = part("div", "timeline-content", (given) =>
  cn("text-sm text-muted-foreground", given),
);
/* The item draws its own dot and line; these parts of the older dialect only carry what is put in them. */
export const TimelineIndicator: Part<"span"> = part("span", "timeline-indicator", (given) =>
  cn("ui4a-timeline-mark", given),
);
export const TimelineSeparator: Part<"span"> = part("span", "timeline-separator", (given) => cn("hidden", given));
