// The list of sessions at the side, and the side itself: a column on wide windows, a drawer on narrow ones.

import { api, type SessionSummary } from "./api.js";
import { el, iconButton, required, setChildren, setText } from "./dom.js";

const NARROW = matchMedia("(max-width: 56rem)");
const KEY = "ui4a-side";

export class Side {
  #side = required<HTMLElement>("#side");
  #list = required<HTMLElement>("#sessions");
  #scrim = required<HTMLElement>("#scrim");
  #toggles = [...document.querySelectorAll<HTMLButtonElement>("[data-toggle-side]")];
  #open = false;
  #rows = new Map<string, HTMLAnchorElement>();

  constructor() {
    for (const toggle of this.#toggles) toggle.addEventListener("click", () => this.#set(!this.#open, true));
    this.#scrim.addEventListener("click", () => this.#set(false, true));
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && NARROW.matches && this.#open) this.#set(false, true);
    });
    NARROW.addEventListener("change", () => this.#set(this.#kept(), false));
    this.#set(this.#kept(), false);
  }

  async refresh(current: string): Promise<void> {
    try {
      const { sessions } = await api.sessions();
      this.#show(sessions, current);
    } catch (error) {
      if (this.#rows.size === 0) this.#list.replaceChildren(el("li", { class: "side-note" }, error instanceof Error ? error.message : String(error)));
    }
  }

  #show(sessions: SessionSummary[], current: string): void {
    if (sessions.length === 0) {
      this.#list.replaceChildren(el("li", { class: "side-note" }, "No sessions yet."));
      return;
    }
    const items = sessions.map((session) => {
      let row = this.#rows.get(session.id);
      if (!row) {
        row = el("a", { href: `/sessions/${encodeURIComponent(session.id)}`, class: "side-link" }, el("span", { class: "side-title" }), el("time", { class: "side-time" }));
        const remove = iconButton("close", `Delete ${session.title || "this session"}`, () => void this.#remove(session, current));
        el("li", { class: "side-item" }, row, remove);
        this.#rows.set(session.id, row);
      }
      setText(row.children[0]!, session.title || "Untitled");
      setText(row.children[1]!, session.running ? "working" : ago(session.updated_at));
      if (session.id === current) row.setAttribute("aria-current", "page");
      else row.removeAttribute("aria-current");
      return row.parentElement!;
    });
    setChildren(this.#list, items);
  }

  async #remove(session: SessionSummary, current: string): Promise<void> {
    if (!confirm(`Delete “${session.title || "this session"}” and its interfaces?`)) return;
    try {
      await api.deleteSession(session.id);
    } catch (error) {
      this.#list.prepend(el("li", { class: "side-note", role: "alert" }, error instanceof Error ? error.message : String(error)));
      return;
    }
    if (session.id === current) location.assign("/");
    else await this.refresh(current);
  }

  #kept(): boolean {
    if (NARROW.matches) return false;
    try {
      return localStorage.getItem(KEY) !== "closed";
    } catch {
      return true;
    }
  }

  #set(open: boolean, chosen: boolean): void {
    this.#open = open;
    document.body.dataset["side"] = open ? "open" : "closed";
    this.#side.inert = !open;
    for (const toggle of this.#toggles) toggle.setAttribute("aria-expanded", String(open));
    if (!chosen) return;
    if (NARROW.matches) {
      if (open) this.#side.querySelector<HTMLElement>("a, button")?.focus();
      else this.#toggles.at(-1)?.focus();
      return;
    }
    try {
      localStorage.setItem(KEY, open ? "open" : "closed");
    } catch {
      // Not kept: open again next time.
    }
  }
}

/** A short time since `at` (RFC 3339): `now`, `5 min`, `3 h`, then a date. */
export function ago(at: string): string {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return "";
  const minutes = Math.floor((Date.now() - time) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 60 * 24) return `${Math.floor(minutes / 60)} h`;
  return new Date(time).toLocaleDateString(undefined, { day: "numeric", month: "short" });
}
