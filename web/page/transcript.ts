// One Claude Code session: what was said and done, with its interfaces live. Nothing that is done in them is sent: the
// session that made them is over.

import { api, ApiError, type Rendered, type TranscriptItem } from "./api.js";
import { Card, type CardHost } from "./card.js";
import { el, required, setText } from "./dom.js";
import { LiveFrames } from "./live.js";
import { MarkdownView } from "./markdown-view.js";
import { Model } from "./model.js";
import { openLink, save } from "./page-host.js";
import { themeButton } from "./theme.js";

const { project = "", session = "", sandbox = "" } = document.body.dataset;
const list = required<HTMLElement>("#turns");
const live = new LiveFrames();
const model = new Model();
let large: Card | undefined;
required("#theme").append(themeButton());

const host: CardHost = {
  sandbox,
  exportable: false,
  handlers: (card) => ({
    action: () => card.notices.say("This is a transcript: what you do in it is not sent."),
    open: (url, { gesture }) => openLink(card.notices, url, gesture),
    download: (name, file, { gesture }) => save(card.notices, name, file, gesture),
  }),
  report: (card, report) => {
    model.apply({ seq: model.seq + 1, type: "artifact.report", artifact: card.artifact.id, ...report }, true);
    card.update();
  },
  isEcho: () => true,
  enlarged: (card) => {
    if (card && large && large !== card) large.enlarge(false);
    large = card;
    document.body.dataset["large"] = card ? "yes" : "no";
  },
};

try {
  const transcript = await api.transcript(project, session);
  setText(required("#session-title"), transcript.title || "Untitled");
  document.title = `${transcript.title || "Transcript"} · UI4A`;
  list.append(...transcript.items.map(view));
} catch (error) {
  list.append(problem(error));
}

function view(item: TranscriptItem): HTMLElement {
  if (item.kind === "artifact") return artifact(item);
  if (item.kind === "text") {
    if (item.role === "user") return el("div", { class: "said" }, item.text ?? "");
    const prose = new MarkdownView();
    prose.update(item.text ?? "");
    return prose.element;
  }
  const name = item.kind === "thinking" ? "Thinking" : item.kind === "result" ? `Result${item.name ? ` of ${item.name}` : ""}` : (item.name ?? "Tool");
  return el(
    "details",
    { class: "aside" },
    el("summary", {}, name, item.is_error ? el("span", { class: "aside-state" }, "failed") : null),
    el("pre", {}, item.text ?? ""),
  );
}

/** Stands for the artifact until it is scrolled near; then the server compiles it. */
function artifact(item: TranscriptItem): HTMLElement {
  const place = el("div", { class: "card-place" }, el("p", { class: "side-note" }, item.title || "Interface"));
  let asked = false;
  const waiting = {
    element: place,
    mount: () => {
      if (asked) return;
      asked = true;
      live.remove(waiting);
      void render(item, place);
    },
  };
  live.add(waiting);
  return place;
}

async function render(item: TranscriptItem, place: HTMLElement): Promise<void> {
  try {
    const source = item.code ?? "";
    const card = cardOf(item.title ?? "", source, await api.render(source, "tsx"));
    place.replaceChildren(card.element);
    live.add(card);
  } catch (error) {
    place.replaceChildren(problem(error));
  }
}

/** The answer of the server as the log would have told it. */
function cardOf(title: string, source: string, rendered: Rendered): Card {
  const { rev } = rendered;
  // The same source may stand twice in one transcript.
  const id = `${rendered.artifact}~${model.seq}`;
  const patch = (insert: string): { keep_start: number; insert: string; keep_end: number } => ({ keep_start: 0, insert, keep_end: 0 });
  const { compiled } = rendered;
  const fold = (event: object): void => model.apply({ seq: model.seq + 1, artifact: id, rev, ...event } as never, true);
  fold({ type: "artifact.opened", kind: "tsx", title, turn: "" });
  fold({ type: "artifact.source", delta: source });
  fold({ type: "artifact.imports", imports: rendered.imports });
  fold({
    type: "artifact.frame",
    frame: 1,
    complete: true,
    cells: compiled.order.map((cell) => ({ cell, ...patch(compiled.cells[cell] ?? "") })),
    order: compiled.order,
    css: patch(compiled.css),
  });
  fold({ type: "artifact.diagnostics", frame: 1, diagnostics: rendered.diagnostics });
  fold({ type: "artifact.closed", truncated: false });
  return new Card(model, model.artifacts.get(id)!, host);
}

function problem(error: unknown): HTMLElement {
  const { title, detail } = error instanceof ApiError ? error : { title: String(error), detail: "" };
  return el("div", { class: "problem", role: "alert" }, el("p", { class: "problem-title" }, title), detail && el("p", {}, detail));
}
