/**
 * Brief messages. `toast("Saved")` works with no Toaster on the page: the first toast brings one. A message stays while
 * it is hovered or focused, and screen readers hear it.
 */
import * as React from "react";
import { createPortal } from "react-dom";
import { createRoot } from "react-dom/client";
import X from "lucide-react/icons/x";
import { cn } from "./lib/cn.js";
import { node, type Loose } from "./lib/node.js";
import type { Other } from "./lib/props.js";

export interface ToastOptions {
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
/** Shows a message, and answers its id. */
export type ShowToast = (message: React.ReactNode | ToastOptions, options?: ToastOptions) => string | number;
export interface ToastFunction extends ShowToast {
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

type Kind = "default" | "success" | "error" | "warning" | "info" | "loading";
type Message = {
  id: string | number;
  kind: Kind;
  title: React.ReactNode;
  description?: React.ReactNode;
  action?: Loose;
  duration: number;
};

/** At most this many at once; the oldest goes first. */
const MOST = 4;

let messages: Message[] = [];
let last = 0;
let toasters = 0;
let own: HTMLElement | undefined;
const listeners = new Set<() => void>();

function publish(next: Message[]) {
  messages = next.slice(-MOST);
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Shows the page's own Toaster when the artifact rendered none. */
function ensureToaster() {
  if (own || typeof document === "undefined") return;
  queueMicrotask(() => {
    if (own || toasters > 0) return;
    own = document.body.appendChild(document.createElement("div"));
    createRoot(own).render(<Toaster />);
  });
}

function show(kind: Kind, content: unknown, options: Loose = {}): string | number {
  const object =
    content !== null && typeof content === "object" && !React.isValidElement(content) && !Array.isArray(content)
      ? (content as Loose)
      : undefined;
  const given = object ? { ...object, ...options } : options;
  const id = given.id ?? ++last;
  const variant = given.variant ?? given.type;
  const message: Message = {
    id,
    kind:
      kind !== "default"
        ? kind
        : variant === "destructive" || variant === "error"
          ? "error"
          : variant === "success"
            ? "success"
            : "default",
    title: node(object ? (object.title ?? object.message) : content),
    description: node(given.description),
    action: given.action,
    duration: kind === "loading" ? Number.POSITIVE_INFINITY : Number(given.duration ?? 5000),
  };
  publish([...messages.filter((shown) => shown.id !== id), message]);
  ensureToaster();
  return id;
}

function dismiss(id?: string | number) {
  publish(id === undefined ? [] : messages.filter((message) => message.id !== id));
}

/** Shows a message: `toast("Saved")`, `toast.success(…)`, `toast({ title, description })`. */
export const toast: ToastFunction = Object.assign(
  (content: unknown, options?: Loose) => show("default", content, options),
  {
    success: (content: unknown, options?: Loose) => show("success", content, options),
    error: (content: unknown, options?: Loose) => show("error", content, options),
    warning: (content: unknown, options?: Loose) => show("warning", content, options),
    info: (content: unknown, options?: Loose) => show("info", content, options),
    message: (content: unknown, options?: Loose) => show("default", content, options),
    loading: (content: unknown, options?: Loose) => show("loading", content, options),
    dismiss,
    promise<T>(work: Promise<T> | (() => Promise<T>), said: Loose = {}) {
      const id = show("loading", said.loading ?? "Working…");
      const text = (given: unknown, value: unknown) => (typeof given === "function" ? given(value) : given);
      const promise = typeof work === "function" ? work() : work;
      promise.then(
        (value) => show("success", text(said.success ?? "Done", value), { id }),
        (error) => show("error", text(said.error ?? "That failed", error), { id }),
      );
      return promise;
    },
  },
);

/** The older hook: `const { toast } = useToast()`. */
export function useToast(): { toast: ToastFunction; dismiss(id?: string | number): void; toasts: unknown[] } {
  return { toast, dismiss, toasts: messages };
}

const MARK: Record<Kind, string> = {
  default: "bg-muted-foreground",
  success: "bg-success",
  error: "bg-danger",
  warning: "bg-warn",
  info: "bg-accent",
  loading: "bg-accent",
};

/** Where messages appear. */
export function Toaster(props: { [other: string]: any }): React.ReactNode;
export function Toaster(_props: Loose) {
  const shown = React.useSyncExternalStore(
    subscribe,
    () => messages,
    () => messages,
  );
  React.useEffect(() => {
    toasters += 1;
    return () => void (toasters -= 1);
  }, []);
  if (typeof document === "undefined") return null;
  return createPortal(
    <section
      aria-label="Notifications"
      aria-live="polite"
      data-slot="toaster"
      className="pointer-events-none fixed right-0 bottom-0 z-50 flex w-full max-w-sm flex-col gap-2 p-4"
    >
      {shown.map((message) => (
        <Toast key={message.id} message={message} />
      ))}
    </section>,
    document.body,
  );
}

function Toast({ message }: { message: Message }) {
  const [held, setHeld] = React.useState(false);
  React.useEffect(() => {
    if (held || !Number.isFinite(message.duration)) return;
    const timer = setTimeout(() => dismiss(message.id), message.duration);
    return () => clearTimeout(timer);
  }, [held, message]);
  const action = message.action;
  return (
    <div
      role={message.kind === "error" ? "alert" : "status"}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      className="ui4a-pop pointer-events-auto flex items-start gap-3 rounded-lg border border-border bg-popover p-3 text-sm text-popover-foreground shadow-lg"
    >
      {message.kind === "loading" ? (
        <span aria-hidden="true" className="ui4a-spinner mt-0.5" />
      ) : (
        <span aria-hidden="true" className={cn("mt-1.5 h-2 w-2 shrink-0 rounded-full", MARK[message.kind])} />
      )}
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <div className="font-medium">{message.title}</div>
        {message.description && <div className="text-muted-foreground">{message.description}</div>}
        {React.isValidElement(action)
          ? action
          : action &&
            typeof action.label === "string" && (
              <button
                type="button"
                className="w-fit cursor-pointer text-sm font-medium text-accent hover:underline"
                onClick={() => {
                  action.onClick?.();
                  dismiss(message.id);
                }}
              >
                {action.label}
              </button>
            )}
      </div>
      <button
        type="button"
        aria-label="Dismiss"
        className="inline-flex h-6 w-6 shrink-0 cursor-pointer items-center justify-center rounded-sm text-muted-foreground hover:text-fg ui4a-focus"
        onClick={() => dismiss(message.id)}
      >
        <X className="h-4 w-4" />
      </button>
    </div>
  );
}
