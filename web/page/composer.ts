// Where the person writes: Enter sends, Shift+Enter breaks the line, Stop ends a running turn.

import { el, required, setChildren } from "./dom.js";

export interface ComposerHost {
  /** Resolves when the server has the message; the text is kept in the field when it rejects. */
  send(text: string): Promise<void>;
  stop(): Promise<void>;
}

export class Composer {
  #field = required<HTMLTextAreaElement>("#message");
  #send = required<HTMLButtonElement>("#send");
  #stop = required<HTMLButtonElement>("#stop");
  #queue = required<HTMLElement>("#queue");
  #error = required<HTMLElement>("#composer-error");
  #sending = false;
  #host: ComposerHost;

  constructor(host: ComposerHost) {
    this.#host = host;
    required<HTMLFormElement>("#composer").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.send(this.#field.value);
    });
    this.#field.addEventListener("keydown", (event) => {
      // An Enter that ends a composition (Japanese, Chinese) chooses a word: it does not send.
      if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
      event.preventDefault();
      void this.send(this.#field.value);
    });
    this.#field.addEventListener("input", () => this.#settle());
    this.#stop.addEventListener("click", () => void this.#stopped());
    this.#settle();
  }

  async send(text: string): Promise<void> {
    if (text.trim() === "" || this.#sending) return;
    this.#sending = true;
    this.#say("");
    this.#field.value = "";
    this.#settle();
    try {
      await this.#host.send(text.trim());
    } catch (error) {
      if (this.#field.value === "") this.#field.value = text;
      this.#say(error instanceof Error ? error.message : String(error));
    }
    this.#sending = false;
    this.#settle();
  }

  focus(): void {
    this.#field.focus({ preventScroll: true });
  }

  running(running: boolean): void {
    this.#stop.hidden = !running;
    this.#stop.disabled = false;
    this.#field.placeholder = running ? "Write the next message" : "Describe an interface";
    this.#settle();
  }

  /** What waits for the running turn to end. */
  queued(waiting: string[]): void {
    this.#queue.hidden = waiting.length === 0;
    setChildren(this.#queue, waiting.map((what) => el("li", {}, `Waits for its turn: ${what}`)));
  }

  async #stopped(): Promise<void> {
    this.#stop.disabled = true;
    try {
      await this.#host.stop();
    } catch (error) {
      this.#stop.disabled = false;
      this.#say(error instanceof Error ? error.message : String(error));
    }
  }

  #say(text: string): void {
    this.#error.hidden = text === "";
    this.#error.textContent = text;
  }

  #settle(): void {
    this.#send.disabled = this.#sending || this.#field.value.trim() === "";
    if (!CSS.supports("field-sizing", "content")) {
      this.#field.style.height = "auto";
      this.#field.style.height = `${this.#field.scrollHeight}px`;
    }
  }
}
