// What sandboxes of the conversation may do: report, keep state, act, count down, open, download. Each asks; this decides.
// Binds everything to the card it came from: ids inside messages are never read.

import type { FrameMessage } from "../host/frame-host.js";
import { type Action, ApiError, type Report } from "./api.js";
import type { Card, CardHost } from "./card.js";
import { isOutside, type Revision } from "./model.js";
import { Outbox } from "./outbox.js";
import { froze } from "./safe-mode.js";

type Draft = Pick<Action, "kind" | "name" | "text" | "payload" | "visibility">;
type Act = (draft: Draft, gesture: boolean) => void;

/** Artifacts and revisions whose countdown was shown here: at most once each. */
const countedDown = new Set<string>();
const outboxes = new Map<string, Outbox>();

export function outbox(card: Card): Outbox {
  const id = card.artifact.id;
  let box = outboxes.get(id);
  if (!box) {
    box = new Outbox(id, (what, error) => card.notices.say(`${what} was not sent. ${explain(error)}`));
    outboxes.set(id, box);
  }
  return box;
}

/** Sends what a frame came out like, unless it was there when the page was loaded and the log has a report on it. */
export function sendReport(card: Card, report: Report, final: boolean): void {
  const { current } = card;
  if (current && isNews(current, report)) outbox(card).report(report, final);
}

/** What was there when the page was loaded is only told again for what a person's click did since. */
function isNews(current: Revision, report: Report): boolean {
  if (current.live || !current.report || current.report.frame < report.frame) return true;
  // That it froze, or does no more, is news.
  if (froze(report) || froze(current.report)) return true;
  const known = new Set(current.report.errors.map(({ phase, message }) => `${phase} ${message}`));
  return report.errors.some(({ phase, message }) => phase === "handler" && !known.has(`${phase} ${message}`));
}

/** Says `text` to whoever wrote the artifact, as a person's own words about it. */
export function askForFix(card: Card, text: string): Promise<void> {
  const { current } = card;
  if (!current) return Promise.reject(new Error("Only the newest revision can be mended."));
  const words = { kind: "message" as const, name: "", text, payload: null, visibility: { hidden: [] } };
  return outbox(card).action({ ...words, id: crypto.randomUUID(), artifact: card.artifact.id, rev: current.rev, gesture: true });
}

export function handlersFor(card: Card): ReturnType<CardHost["handlers"]> {
  const box = outbox(card);
  const act: Act = (draft, gesture) => {
    const { current } = card;
    if (!current) return;
    const action: Action = { ...draft, id: crypto.randomUUID(), artifact: card.artifact.id, rev: current.rev, gesture };
    const send = (): Promise<void> => box.action(action);
    const sent = (): void => {
      if (isOutside(current)) card.notices.say(`Sent to the coding assistant: ${describe(draft)}`);
    };
    send().then(sent, (error: unknown) =>
      card.notices.ask({
        text: `Not sent: ${describe(draft)}. ${explain(error)}`,
        confirm: "Send again",
        // The same id: if the server has it already, it does nothing more.
        accept: () => void send().then(sent, (again: unknown) => card.notices.say(explain(again))),
      }),
    );
  };
  return {
    state: (key, value) => {
      if (card.current) box.state(key, value);
    },
    action: (message) => {
      const draft = draftOf(message);
      if (!card.current || !draft) return;
      if (message.gesture) return act(draft, true);
      card.notices.ask({ text: `This interface wants to send ${describe(draft)}`, confirm: "Send", accept: () => act(draft, true) });
    },
    call: (method, params) => {
      const given = (params ?? {}) as Record<string, unknown>;
      if (method === "autoSend") return autoSend(card, act, String(given["text"] ?? ""), Number(given["seconds"]) || 30);
      if (method !== "autoSendCancel") return Promise.reject(new Error(`${method} is not available on this page.`));
      card.notices.cancelCountdown();
      return Promise.resolve(null);
    },
    open: (url, { gesture }) => openLink(card.notices, url, gesture),
    download: (name, file, { gesture }) => save(card.notices, name, file, gesture),
  };
}

/** What a frame asks to send, as far as it has the shape of an action. */
export function draftOf(message: FrameMessage): Draft | undefined {
  const { kind, name, text, payload, visibility } = message;
  if (kind !== "message" && kind !== "event" && kind !== "tool") return undefined;
  const hidden = (visibility as { hidden?: unknown } | undefined)?.hidden;
  return {
    kind,
    name: typeof name === "string" ? name : "",
    text: typeof text === "string" ? text : "",
    payload: payload ?? null,
    visibility: { hidden: Array.isArray(hidden) ? hidden.filter((pointer) => typeof pointer === "string") : [] },
  };
}

/** Resolves with whether the text was sent. Refused for what the page found in the log, and the second time. */
function autoSend(card: Card, act: Act, text: string, seconds: number): Promise<unknown> {
  const current = card.current;
  const key = `${card.artifact.id} ${current?.rev}`;
  if (!current?.live || countedDown.has(key) || text.trim() === "") return Promise.resolve({ sent: false });
  countedDown.add(key);
  return new Promise((resolve) => {
    card.notices.countdown(text, seconds, (sent) => {
      if (sent) act({ kind: "message", name: "", text, payload: null, visibility: { hidden: [] } }, false);
      resolve({ sent });
    });
  });
}

/** Opens at once what a person clicked; asks about the rest. */
export function openLink(notices: Card["notices"], url: string, gesture: boolean): void {
  const open = (): void => void window.open(url, "_blank", "noopener,noreferrer");
  if (gesture) open();
  else notices.ask({ text: `This interface wants to open ${url.length > 200 ? `${url.slice(0, 200)}…` : url}`, confirm: "Open", accept: open });
}

export function save(notices: Card["notices"], name: string, file: Blob, gesture: boolean): void {
  const keep = (): void => {
    const url = URL.createObjectURL(new Blob([file], { type: "application/octet-stream" }));
    const anchor = document.createElement("a");
    anchor.href = url;
    anchor.download = name;
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  };
  if (gesture) keep();
  else notices.ask({ text: `This interface wants to save “${name}” (${size(file.size)})`, confirm: "Save", accept: keep });
}

export function describe(draft: Pick<Action, "kind" | "text" | "name">): string {
  const text = draft.kind === "message" ? draft.text : draft.name;
  return `“${text.length > 300 ? `${text.slice(0, 300)}…` : text}”`;
}

function size(bytes: number): string {
  return bytes < 1024 ? `${bytes} bytes` : bytes < 1 << 20 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / (1 << 20)).toFixed(1)} MB`;
}

function explain(error: unknown): string {
  return error instanceof ApiError ? error.message : "UI4A does not answer.";
}
