// One turn: what started it, what the assistant said, showed and did, and how it ended.

import type { Action, TurnInput } from "./api.js";
import { el, setChildren, setText } from "./dom.js";
import { MarkdownView } from "./markdown-view.js";
import type { ToolItem, Turn, TurnItem } from "./model.js";

export interface TurnHost {
  /** The card of an artifact. Made when first asked for. */
  card(artifact: string): HTMLElement | undefined;
  /** Whether the card of `artifact` stands at this turn's item: its first opening. */
  isHome(artifact: string, rev: number): boolean;
  reveal(artifact: string): void;
  titleOf(artifact: string): string;
  /** Does the turn's input again; `undefined` when it cannot be. */
  retry(turn: Turn): (() => void) | undefined;
}

const SPECIALISTS: Record<string, string> = { L0: "Chat", L1: "Agent", L2: "Code", L3: "Interface" };

interface ItemView {
  type: TurnItem["type"];
  element: HTMLElement;
  update(item: TurnItem): void;
}

export class TurnView {
  readonly element: HTMLElement;
  #host: TurnHost;
  #body = el("div", { class: "turn-body" });
  #meta = el("p", { class: "turn-meta" });
  #thinking = el("p", { class: "turn-thinking" }, el("i", { "aria-hidden": "true" }), "Working");
  #problem: HTMLElement | undefined;
  #nothing: HTMLElement | undefined;
  #views: ItemView[] = [];

  constructor(turn: Turn, host: TurnHost) {
    this.#host = host;
    const input = inputView(turn.input, host);
    this.element = el("section", { class: "turn", "data-turn": turn.id, "aria-label": input ? "Exchange" : "From a coding assistant" }, input, this.#body, this.#thinking, this.#meta);
    this.update(turn);
  }

  update(turn: Turn): void {
    this.element.setAttribute("aria-busy", String(turn.state === "running"));
    this.element.dataset["state"] = turn.state;
    turn.items.forEach((item, at) => {
      let view = this.#views[at];
      if (!view || view.type !== item.type || !fits(view, item)) {
        view = this.#view(item);
        this.#views[at] = view;
      }
      view.update(item);
    });
    this.#views.length = turn.items.length;
    setChildren(this.#body, this.#views.map((view) => view.element));
    // While nothing moves on the page, the page must say that something does.
    const last = turn.items.at(-1);
    this.#thinking.hidden = turn.state !== "running" || last?.type === "text" || last?.type === "artifact";
    this.#showMeta(turn);
    this.#showProblem(turn);
    this.#showNothing(turn);
  }

  #view(item: TurnItem): ItemView {
    switch (item.type) {
      case "text": {
        const view = new MarkdownView();
        return { type: "text", element: view.element, update: (now) => now.type === "text" && view.update(now.text) };
      }
      case "reasoning": {
        const view = new MarkdownView("prose prose-quiet");
        const element = el("details", { class: "aside" }, el("summary", {}, "Thinking"), view.element);
        return { type: "reasoning", element, update: (now) => now.type === "reasoning" && view.update(now.text) };
      }
      case "tool":
        return toolView(item);
      case "artifact":
        return this.#artifactView(item);
    }
  }

  #artifactView(item: TurnItem & { type: "artifact" }): ItemView {
    const home = this.#host.isHome(item.artifact, item.rev) ? this.#host.card(item.artifact) : undefined;
    if (home) return { type: "artifact", element: home, update: () => undefined };
    const link = el("button", { type: "button", class: "revision-link", onclick: () => this.#host.reveal(item.artifact) });
    link.dataset["artifact"] = `${item.artifact} ${item.rev}`;
    const update = (): void => setText(link, `${this.#host.titleOf(item.artifact) || "Interface"} · revision ${item.rev}`);
    return { type: "artifact", element: link, update };
  }

  #showMeta(turn: Turn): void {
    const parts: string[] = [];
    if (turn.specialist) parts.push(`${turn.specialist} ${SPECIALISTS[turn.specialist] ?? ""}`.trim());
    const tokens = (turn.usage?.answer ?? 0) + (turn.usage?.repair ?? 0);
    if (tokens > 0) parts.push(`${tokens} tokens${turn.usage?.repair ? " read and written" : ""}`);
    const total = turn.timings?.["total"] ?? turn.timings?.["answer"];
    if (total) parts.push(total < 10_000 ? `${(total / 1000).toFixed(1)} s` : `${Math.round(total / 1000)} s`);
    if (turn.stopReason === "cancelled") parts.push("stopped");
    if (turn.stopReason === "length") parts.push("cut at the length limit");
    if (turn.stopReason === "oversized") parts.push("cut: it was too long");
    if (turn.stopReason === "budget") parts.push("the token budget left no room");
    this.#meta.hidden = parts.length === 0;
    setText(this.#meta, parts.join(" · "));
    if (turn.probabilities) {
      this.#meta.title = Object.entries(turn.probabilities)
        .map(([label, p]) => `${label} ${SPECIALISTS[label] ?? ""} ${(p * 100).toFixed(0)} %`)
        .join("\n");
    }
  }

  /** An answer of nothing must not look like one that is still to come. */
  #showNothing(turn: Turn): void {
    const said = turn.items.some((item) => item.type === "artifact" || item.type === "tool" || (item.type === "text" && item.text.trim() !== ""));
    const nothing = turn.state === "finished" && !said && turn.stopReason !== "budget";
    if (!nothing || this.#nothing) return;
    const retry = this.#host.retry(turn);
    const why = turn.stopReason === "length" ? "The answer was cut off at the length limit before it began." : turn.stopReason === "cancelled" ? "Stopped before the answer began." : "The model gave no answer.";
    this.#nothing = el("div", { class: "turn-nothing" }, el("p", {}, why), retry && el("button", { type: "button", class: "button", onclick: retry }, "Retry"));
    this.element.insertBefore(this.#nothing, this.#meta);
  }

  #showProblem(turn: Turn): void {
    if (turn.state !== "failed" || this.#problem) return;
    const retry = this.#host.retry(turn);
    const { title, detail } = turn.problem ?? { title: "The turn was interrupted.", detail: "The server stopped before it was done." };
    this.#problem = el(
      "div",
      { class: "problem", role: "alert" },
      el("p", { class: "problem-title" }, title),
      detail ? el("p", {}, detail) : null,
      retry && el("button", { type: "button", class: "button", onclick: retry }, "Retry"),
    );
    this.element.insertBefore(this.#problem, this.#meta);
  }
}

/** Whether a view made for another item at this place still serves: a retracted artifact shifts the rest. */
function fits(view: ItemView, item: TurnItem): boolean {
  if (item.type === "tool") return view.element.dataset["call"] === item.call;
  if (item.type !== "artifact") return true;
  return view.element.dataset["artifact"] === item.artifact || view.element.dataset["artifact"] === `${item.artifact} ${item.rev}`;
}

function toolView(item: ToolItem): ItemView {
  const state = el("span", { class: "aside-state" });
  const result = el("pre");
  const element = el(
    "details",
    { class: "aside", "data-call": item.call },
    el("summary", {}, el("code", {}, item.name), state),
    el("pre", {}, JSON.stringify(item.arguments, null, 2)),
    result,
  );
  const update = (now: TurnItem): void => {
    if (now.type !== "tool") return;
    setText(state, now.result === undefined ? "running" : "done");
    result.hidden = now.result === undefined;
    if (now.result !== undefined) setText(result, typeof now.result === "string" ? now.result : JSON.stringify(now.result, null, 2));
  };
  return { type: "tool", element, update };
}

function inputView(input: TurnInput, host: TurnHost): HTMLElement | null {
  if ("text" in input) return input.text ? el("div", { class: "said" }, input.text) : null;
  if ("action" in input) return actionView(input.action, host);
  if ("continue" in input) return el("p", { class: "aside" }, `Continuing ${host.titleOf(input.continue.artifact) || "the interface"} where it was cut off`);
  const { artifact, rev, reason, round, rounds, evidence } = input.repair;
  const which = `Mending ${host.titleOf(artifact) || "the interface"}, revision ${rev}${round ? `, round ${round} of ${rounds}` : ""}`;
  return el(
    "details",
    { class: "aside" },
    el("summary", {}, which, reason ? el("span", { class: "aside-reason" }, reason) : null),
    el("pre", {}, evidence),
  );
}

function actionView(action: Action, host: TurnHost): HTMLElement {
  // What was written while a turn ran waited as an action of no artifact.
  if (action.artifact === "") return el("div", { class: "said" }, action.text);
  const from = host.titleOf(action.artifact);
  const caption = from ? `In ${from}` : "In an interface";
  if (action.kind === "message") return el("div", { class: "said", "data-from": "interface" }, el("span", { class: "said-from" }, caption), action.text);
  const payload = action.payload === null || action.payload === undefined ? "" : JSON.stringify(action.payload);
  return el(
    "div",
    { class: "said", "data-from": "interface" },
    el("span", { class: "said-from" }, caption),
    el("code", {}, action.name),
    payload && el("span", { class: "said-payload" }, payload.length > 240 ? `${payload.slice(0, 240)}…` : payload),
  );
}

