// When cards come to life: as they are scrolled near, and not before. How many may live at once is `host/frame-live.ts`'s.

/** What the decision needs to know of a card. */
export interface Living {
  readonly element: HTMLElement;
  /** Starts the sandbox, unless it runs. */
  mount(): void;
}

export class LiveFrames {
  #cards = new Map<Element, Living>();
  #observer = new IntersectionObserver((entries) => this.#seen(entries), { rootMargin: "400px 0px" });

  add(card: Living): void {
    this.#cards.set(card.element, card);
    this.#observer.observe(card.element);
  }

  remove(card: Living): void {
    this.#cards.delete(card.element);
    this.#observer.unobserve(card.element);
  }

  #seen(entries: IntersectionObserverEntry[]): void {
    for (const entry of entries) if (entry.isIntersecting) this.#cards.get(entry.target)?.mount();
  }
}
