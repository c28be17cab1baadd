/** What opens in place: one disclosure, or an accordion of several. */
import * as React from "react";
import * as AccordionPrimitive from "@radix-ui/react-accordion";
import * as Collapsible from "@radix-ui/react-collapsible";
import ChevronDown from "lucide-react/icons/chevron-down";
import { cn } from "./lib/cn.js";
import { family } from "./lib/family.js";
import { dom, node, single, wrapped, type Loose } from "./lib/node.js";
import { hasParts, openProps } from "./dialog.js";
import type { Html, PanelItem } from "./lib/props.js";
import type { OpenProps, PressableProps } from "./dialog.js";

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

const disclosure = family();
const accordion = family();
const item = family();

const HEAD =
  "ui4a-disclose flex min-h-9 w-full cursor-pointer items-center justify-between gap-3 rounded-md py-2 text-left text-sm font-medium transition-colors hover:text-accent ui4a-focus disabled:pointer-events-none disabled:opacity-50";

/** One part that opens. With `title` (or `label`, `summary`) it needs no parts. */
export function Disclosure(props: DisclosureProps): React.ReactNode;
export function Disclosure(props: Loose) {
  const { root, others } = openProps(props);
  const { title, label, summary, className, children, modal: _modal, ...rest } = others;
  const head = title ?? label ?? summary;
  const simple = head !== undefined && !hasParts(children, [DisclosureTrigger, DisclosureContent]);
  const { modal: _m, ...state } = root;
  return (
    <Collapsible.Root data-slot="disclosure" {...dom(rest)} {...state} className={cn("min-w-0", className)}>
      {disclosure.within(
        simple ? (
          <>
            <DisclosureTrigger>{node(head)}</DisclosureTrigger>
            <DisclosureContent>{wrapped(children)}</DisclosureContent>
          </>
        ) : (
          wrapped(children)
        ),
      )}
    </Collapsible.Root>
  );
}

export const DisclosureTrigger: (props: PressableProps) => React.ReactNode = disclosure.needs(
  ({ asChild, className, children, ...rest }: Loose) => {
    if (single(asChild, children))
      return (
        <Collapsible.Trigger {...dom(rest)} className={className} asChild>
          {children}
        </Collapsible.Trigger>
      );
    return (
      <Collapsible.Trigger data-slot="disclosure-trigger" {...dom(rest)} className={cn(HEAD, className)}>
        <span className="min-w-0">{wrapped(children)}</span>
        <ChevronDown aria-hidden="true" className="h-4 w-4 shrink-0 text-muted-foreground transition-transform" />
      </Collapsible.Trigger>
    );
  },
  "button",
);

export const DisclosureContent: (props: Html<"div">) => React.ReactNode = disclosure.needs(
  ({ className, children, ...rest }: Loose) => {
    return (
      <Collapsible.Content data-slot="disclosure-content" {...dom(rest)} className="ui4a-collapse overflow-hidden">
        <div className={cn("flex min-w-0 flex-col gap-3 pt-1 pb-3 text-sm", className)}>{wrapped(children)}</div>
      </Collapsible.Content>
    );
  },
  "div",
);

/** Several parts that open, one at a time unless `type="multiple"`; from parts or from `items`. */
export function Accordion(props: AccordionProps): React.ReactNode;
export function Accordion({
  type,
  collapsible = true,
  items,
  value,
  defaultValue,
  onValueChange,
  className,
  children,
  multiple,
  allowMultiple,
  ...rest
}: Loose) {
  const many = type === "multiple" || Boolean(multiple || allowMultiple);
  const list = (given: unknown) =>
    given === undefined ? undefined : (Array.isArray(given) ? given : [given]).map(String);
  const one = (given: unknown) =>
    given === undefined ? undefined : String(Array.isArray(given) ? (given[0] ?? "") : given);
  const entries: Loose[] = Array.isArray(items) ? items : [];
  const content = accordion.within(
    <>
      {entries.map((entry, at) => (
        <AccordionItem key={at} value={String(entry.value ?? entry.id ?? at)}>
          <AccordionTrigger>{node(entry.title ?? entry.label ?? entry.question ?? entry.header)}</AccordionTrigger>
          <AccordionContent>{node(entry.content ?? entry.children ?? entry.answer ?? entry.body)}</AccordionContent>
        </AccordionItem>
      ))}
      {wrapped(children)}
    </>,
  );
  const props = { "data-slot": "accordion", ...dom(rest), className: cn("flex min-w-0 flex-col", className) };
  const given = value !== undefined && onValueChange;
  return many ? (
    <AccordionPrimitive.Root
      {...props}
      type="multiple"
      {...(given ? { value: list(value) } : { defaultValue: list(value ?? defaultValue) })}
      onValueChange={onValueChange}
    >
      {content}
    </AccordionPrimitive.Root>
  ) : (
    <AccordionPrimitive.Root
      {...props}
      type="single"
      collapsible={collapsible !== false}
      {...(given ? { value: one(value) } : { defaultValue: one(value ?? defaultValue) })}
      onValueChange={onValueChange}
    >
      {content}
    </AccordionPrimitive.Root>
  );
}

export const AccordionItem: (props: AccordionItemProps) => React.ReactNode = accordion.needs(
  ({ value, title, className, children, ...rest }: Loose) => {
    const own = React.useId();
    return (
      <AccordionPrimitive.Item
        data-slot="accordion-item"
        {...dom(rest)}
        value={String(value ?? own)}
        className={cn("border-b border-border", className)}
      >
        {item.within(
          title === undefined ? (
            wrapped(children)
          ) : (
            <>
              <AccordionTrigger>{node(title)}</AccordionTrigger>
              <AccordionContent>{wrapped(children)}</AccordionContent>
            </>
          ),
        )}
      </AccordionPrimitive.Item>
    );
  },
  (props) => (
    <Accordion>
      <AccordionItem {...props} />
    </Accordion>
  ),
);

export const AccordionTrigger: (props: Html<"button">) => React.ReactNode = item.needs(
  ({ className, children, ...rest }: Loose) => {
    return (
      <AccordionPrimitive.Header className="flex">
        <AccordionPrimitive.Trigger data-slot="accordion-trigger" {...dom(rest)} className={cn(HEAD, className)}>
          <span className="min-w-0">{wrapped(children)}</span>
          <ChevronDown aria-hidden="true" className="h-4 w-4 shrink-0 text-muted-foreground transition-transform" />
        </AccordionPrimitive.Trigger>
      </AccordionPrimitive.Header>
    );
  },
  "div",
);

export const AccordionContent: (props: Html<"div">) => React.ReactNode = item.needs(
  ({ className, children, ...rest }: Loose) => {
    return (
      <AccordionPrimitive.Content
        data-slot="accordion-content"
        {...dom(rest)}
        className="ui4a-collapse overflow-hidden"
      >
        <div className={cn("flex min-w-0 flex-col gap-3 pt-1 pb-3 text-sm", className)}>{wrapped(children)}</div>
      </AccordionPrimitive.Content>
    );
  },
  "div",
);
