// What an interface asks for and only a person may grant: actions that no gesture made, links, downloads, countdowns.

import { el, icon, setText } from "./dom.js";

export interface Choice {
  text: string;
  confirm: string;
  accept(): void;
  dismiss?(): void;
}

/** At most this many wait for an answer in one card; an interface that asks for more is not heard. */
const MAX_WAITING = 3;
/** Milliseconds that a passing notice stays. */
const PASSING = 6000;

export class Notices {
  readonly element = el("div", { class: "notices", role: "region", "aria-label": "Requests of this interface", hidden: true });
  #countdown: Countdown | undefined;

  /** Shows `choice` until it is answered. Answers whether it is shown. */
  ask(choice: Choice): boolean {
    if (this.element.querySelectorAll("[data-choice]").length >= MAX_WAITING) return false;
    const answer = (then: (() => void) | undefined) => (): void => {
      notice.remove();
      this.#settle();
      then?.();
    };
    const notice = el(
      "div",
      { class: "notice", "data-choice": true, role: "status" },
      el("p", {}, choice.text),
      el("button", { type: "button", class: "button", "data-kind": "primary", onclick: answer(choice.accept) }, choice.confirm),
      el("button", { type: "button", class: "button", onclick: answer(choice.dismiss) }, "Dismiss"),
    );
    this.element.append(notice);
    this.#settle();
    return true;
  }

  /** Says `text` for a while; not for what must be read. */
  say(text: string): void {
    const notice = el("div", { class: "notice", role: "status" }, el("p", {}, text));
    this.element.append(notice);
    this.#settle();
    setTimeout(() => {
      notice.remove();
      this.#settle();
    }, PASSING);
  }

  /** Counts down to sending `text`; `done` learns whether it came to that. A second one cancels the first. */
  countdown(text: string, seconds: number, done: (sent: boolean) => void): void {
    this.#countdown?.cancel();
    this.#countdown = new Countdown(text, seconds, (sent) => {
      this.#settle();
      done(sent);
    });
    this.element.prepend(this.#countdown.element);
    this.#settle();
  }

  cancelCountdown(): void {
    this.#countdown?.cancel();
  }

  clear(): void {
    this.cancelCountdown();
    this.element.replaceChildren();
    this.#settle();
  }

  #settle(): void {
    this.element.hidden = this.element.childElementCount === 0;
  }
}

/** A message that sends itself. Any key or click stops it, wherever it falls: one in a sandbox takes the focus of the window. */
class Countdown {
  readonly element: HTMLElement;
  #left: number;
  #label = el("p");
  #text: string;
  #timer: ReturnType<typeof setInterval>;
  #done: ((sent: boolean) => void) | undefined;
  #stop = (): void => this.cancel();

  constructor(text: string, seconds: number, done: (sent: boolean) => void) {
    this.#text = text;
    this.#left = Math.min(Math.max(Math.ceil(seconds), 3), 3600);
    this.#done = done;
    this.element = el(
      "div",
      { class: "notice", "data-countdown": true, role: "timer" },
      this.#label,
      el("button", { type: "button", class: "button", onclick: this.#stop }, icon("close"), "Cancel"),
    );
    this.#show();
    for (const type of ["keydown", "pointerdown"]) addEventListener(type, this.#stop, { capture: true });
    addEventListener("blur", this.#stop);
    this.#timer = setInterval(() => this.#tick(), 1000);
  }

  cancel(): void {
    this.#end(false);
  }

  #tick(): void {
    if (document.hidden) return; // nobody is here to cancel it
    this.#left -= 1;
    if (this.#left > 0) this.#show();
    else this.#end(true);
  }

  #show(): void {
    setText(this.#label, `Sends “${this.#text.slice(0, 300)}” in ${this.#left} s. Any key or click cancels.`);
  }

  #end(sent: boolean): void {
    const done = this.#done;
    if (!done) return;
    this.#done = undefined;
    clearInterval(this.#timer);
    for (const type of ["keydown", "pointerdown"]) removeEventListener(type, this.#stop, { capture: true });
    removeEventListener("blur", this.#stop);
    this.element.remove();
    done(sent);
  }
}
