// The conversation: turns in order, cards where their artifact first opened, and a scroll position that follows the newest
// only while the person is at it.

import { Card, type CardHost } from "./card.js";
import { coalesce, el } from "./dom.js";
import { LiveFrames } from "./live.js";
import type { Change, Model, Turn } from "./model.js";
import { TurnView } from "./turn-view.js";

/** Pixels from the end within which the person is following. */
const NEAR_END = 64;

export class Conversation {
  readonly cards = new Map<string, Card>();
  #model: Model;
  #list: HTMLElement;
  #scroller: HTMLElement;
  #jump: HTMLButtonElement;
  #cardHost: CardHost;
  #live = new LiveFrames();
  #retry: (text: string) => void;
  #views = new Map<string, TurnView>();
  #following = true;
  #dirty = new Set<Turn>();
  #later = coalesce(() => this.#flush());

  constructor(model: Model, parts: { list: HTMLElement; scroller: HTMLElement; jump: HTMLButtonElement }, cardHost: CardHost, retry: (text: string) => void) {
    this.#model = model;
    this.#list = parts.list;
    this.#scroller = parts.scroller;
    this.#jump = parts.jump;
    this.#cardHost = cardHost;
    this.#retry = retry;
    model.subscribe((change) => this.#changed(change));
    this.#scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.#jump.addEventListener("click", () => this.follow());
    new ResizeObserver(() => this.#keep()).observe(this.#list);
    new ResizeObserver(() => this.#keep()).observe(this.#scroller);
  }

  /** Shows the whole model: once, when the log was replayed. */
  showAll(): void {
    for (const turn of this.#model.turns) this.#dirty.add(turn);
    this.#flush();
    this.follow("instant");
  }

  /** Goes to the newest and stays with it. */
  follow(behavior: ScrollBehavior = "smooth"): void {
    this.#following = true;
    this.#jump.hidden = true;
    const still = behavior === "instant" || matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.#scroller.scrollTo({ top: this.#scroller.scrollHeight, behavior: still ? "instant" : "smooth" });
  }

  #changed(change: Change): void {
    if (change.type === "turn") this.#dirty.add(change.turn);
    else if (change.type !== "queue") {
      // Its card is made by its turn, so the turn goes first.
      if (!this.cards.has(change.artifact.id)) this.#flush();
      this.cards.get(change.artifact.id)?.changed(change);
    }
    this.#later();
  }

  #flush(): void {
    const turns = [...this.#dirty];
    this.#dirty.clear();
    for (const turn of turns) {
      const view = this.#views.get(turn.id) ?? this.#add(turn);
      view.update(turn);
    }
    for (const [id, card] of this.cards) {
      if (this.#model.artifacts.has(id)) continue;
      this.cards.delete(id); // retracted: it was prose
      this.#live.remove(card);
      card.unmount();
      card.element.remove();
    }
  }

  #add(turn: Turn): TurnView {
    const view = new TurnView(turn, {
      card: (artifact) => this.#card(artifact),
      isHome: (artifact, rev) => this.#home(artifact) === `${turn.id} ${rev}`,
      reveal: (artifact) => this.#reveal(artifact),
      titleOf: (artifact) => {
        const found = this.#model.artifacts.get(artifact);
        return found?.revisions.get(found.newest)?.title ?? "";
      },
      retry: (failed) => {
        const { input } = failed;
        if ("text" in input && input.text !== "") return () => this.#retry(input.text);
        if ("action" in input && input.action.kind === "message") return () => this.#retry(input.action.text);
        return undefined;
      },
    });
    this.#views.set(turn.id, view);
    const after = this.#model.turns.slice(this.#model.turns.indexOf(turn) + 1).find((next) => this.#views.has(next.id));
    this.#list.insertBefore(view.element, after ? this.#views.get(after.id)!.element : null);
    return view;
  }

  #home(artifact: string): string | undefined {
    for (const turn of this.#model.turns) {
      const item = turn.items.find((candidate) => candidate.type === "artifact" && candidate.artifact === artifact);
      if (item?.type === "artifact") return `${turn.id} ${item.rev}`;
    }
    return undefined;
  }

  #card(id: string): HTMLElement | undefined {
    const artifact = this.#model.artifacts.get(id);
    if (!artifact) return undefined;
    let card = this.cards.get(id);
    if (!card) {
      card = new Card(this.#model, artifact, this.#cardHost);
      this.cards.set(id, card);
      this.#live.add(card);
      // Nothing is seen to come near in a hidden tab, but whoever waits for a report waits for this page too.
      const newest = artifact.revisions.get(artifact.newest);
      const awaited = newest?.live || (!newest?.report && [...this.#model.artifacts.keys()].at(-1) === id);
      if (awaited) queueMicrotask(() => this.cards.get(id)?.mount());
    }
    return card.element;
  }

  #reveal(id: string): void {
    const card = this.cards.get(id);
    if (!card) return;
    card.element.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth" });
    card.mount();
  }

  #scrolled(): void {
    const rest = this.#scroller.scrollHeight - this.#scroller.clientHeight - this.#scroller.scrollTop;
    this.#following = rest < NEAR_END;
    this.#jump.hidden = this.#following;
  }

  #keep(): void {
    if (this.#following) this.#scroller.scrollTop = this.#scroller.scrollHeight;
    else this.#scrolled();
  }
}

/** What stands where there is nothing yet: a word and three requests that work. */
export function emptyState(send: (text: string) => void): HTMLElement {
  return el(
    "div",
    { class: "empty" },
    el("h2", {}, "What shall it show?"),
    el("p", {}, "Describe an interface. It appears, and works, while it is being written."),
    el(
      "ul",
      { class: "examples" },
      ...EXAMPLES.map(([name, text]) =>
        el("li", {}, el("button", { type: "button", class: "example", onclick: () => send(text) }, el("strong", {}, name), el("span", {}, text))),
      ),
    ),
  );
}

const EXAMPLES = [
  [
    "Dashboard",
    "A sales dashboard for a coffee shop: revenue, orders and average ticket this week, a line chart of daily revenue, and a table of the top 5 drinks",
  ],
  ["Calculator", "A tip calculator with a slider for tip percent and number of people"],
  ["Choice", "Ask me which of three plans I want, with a button for each"],
] as const;
