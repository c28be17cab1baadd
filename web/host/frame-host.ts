// The host's side of a frame: the element, its port, and what may come through it.
//
// Owns the mount (a fresh random label each time, so a process of its own), the handshake, the heartbeat, the limits and
// the height. Believes nothing that a frame says about who it is: the port is bound to the artifact here. Knows nothing
// of sessions or of the server; the page that owns it does.

import type { FrameEvents, FrameOptions, Gesture, Theme } from "./frame-events.js";
import { applyPatch, diffState, emptyState } from "./frame-state.js";
import type { FrameEvent, FrameState, Kind } from "./frame-state.js";
import { HeightKeeper, Inbox } from "./frame-limits.js";
import type { FrameMessage } from "./frame-limits.js";
import { forget, keepAlive } from "./frame-live.js";
import { Heartbeat } from "./heartbeat.js";
import type { Ailment } from "./heartbeat.js";

export type { Ailment, FrameEvent, FrameEvents, FrameMessage, FrameOptions, FrameState, Gesture, Kind, Theme };

const LOAD_ANSWER_MS = 3000;
const RETURNS_AT_MOST = 3;
/** How long a replacement that shows nothing yet leaves the old frame in view. */
const BLANK_PATIENCE_MS = 1500;
const SESSION_KEY = "$sessionStorage";
/** What a frame may still say when its replacement is on its way. */
const LAST_WORDS = new Set(["state", "action", "open", "download"]);

/** 128 random bits as a host name's label. */
function freshLabel(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return "f" + Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** One artifact's place on a page. */
export class FrameHost {
  readonly #options: FrameOptions;
  readonly #heights: HeightKeeper;
  #wanted = Number.NaN;
  #theme: Theme;
  #state: Record<string, unknown>;
  #imports: Record<string, unknown> = {};

  /** All patches so far; what of it may be shown; what the present frame has been sent. */
  #whole = emptyState();
  #shown = emptyState();
  #sent = emptyState();
  #at: { rev: number; frame: number; complete: boolean } | null = null;

  #element: HTMLIFrameElement | null = null;
  /** A replacement that is not shown before it has rendered. */
  #next: HTMLIFrameElement | null = null;
  #port: MessagePort | null = null;
  /** The old frame's, while its replacement is not shown: what a person does in it still counts. */
  #leaving: MessagePort | null = null;
  #inbox = new Inbox();
  #beat: Heartbeat | null = null;
  #returns = 0;
  readonly #doubts = new Map<string, number>();
  #frozen = false;
  #suspended = false;
  #seen: IntersectionObserver | null = null;
  onScreen = true;

  constructor(options: FrameOptions) {
    this.#options = options;
    this.#theme = options.theme;
    this.#state = { ...options.state };
    this.#heights = new HeightKeeper(options.firstHeight ?? 360, options.leastHeight ?? 48, options.mostHeight ?? 4000);
  }

  /** The element, while there is one. */
  get element(): HTMLIFrameElement | null {
    return this.#element;
  }

  /** Puts a fresh frame into the container and sends it all there is. */
  mount(): void {
    this.remove();
    this.#suspended = false;
    this.#element = this.#make();
    this.#options.container.append(this.#element);
    this.#watchScreen();
    keepAlive(this);
  }

  /** A fresh frame in the place of the old one, which stays to be seen until the new one has rendered. */
  replace(): void {
    if (!this.#element || this.#frozen) return this.mount();
    this.#drop(this.#next);
    const next = this.#make();
    next.style.position = "absolute";
    next.style.visibility = "hidden";
    next.style.width = `${this.#element.clientWidth}px`;
    this.#next = next;
    this.#options.container.append(next);
  }

  /** Stops the frame for good: removing the element is what ends its process. */
  remove(): void {
    this.#beat?.stop();
    this.#beat = null;
    for (const timer of this.#doubts.values()) clearTimeout(timer);
    this.#doubts.clear();
    this.#port?.close();
    this.#leaving?.close();
    this.#port = this.#leaving = null;
    this.#drop(this.#element);
    this.#drop(this.#next);
    this.#element = null;
    this.#next = null;
    this.#sent = emptyState();
    this.#frozen = false;
    this.#seen?.disconnect();
    forget(this);
  }

  /** Gives the process up for another frame; a button, or being scrolled to, brings it back. */
  suspend(): void {
    if (!this.#element) return;
    const { clientHeight } = this.#element;
    this.remove();
    this.#suspended = true;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "frame-asleep";
    button.style.minHeight = `${clientHeight}px`;
    button.textContent = `Show ${this.#options.title || "the interface"} again`;
    const wake = () => {
      seen.disconnect();
      button.remove();
      if (this.#suspended) this.mount();
    };
    // A frame that gave way while it was on the screen comes back when it was out of sight in between, or by a click:
    // otherwise nine frames in view would wake each other for ever.
    let away = false;
    const seen = new IntersectionObserver((entries) => {
      for (const { isIntersecting } of entries) {
        if (isIntersecting && away) return wake();
        away ||= !isIntersecting;
      }
    });
    button.addEventListener("click", wake);
    this.#options.container.append(button);
    seen.observe(button);
  }

  /** Applies an `artifact.frame` event. False when it does not fit: the caller must start over from the whole. */
  apply(event: FrameEvent): boolean {
    const next = applyPatch(this.#whole, event);
    if (!next) return false;
    this.#whole = next;
    // The first revision streams; a later one is swapped in once, when it is whole.
    if (event.rev === 1 || event.complete || !this.#at) this.#show(next, event);
    return true;
  }

  /** The whole state at once: what a late viewer is sent first. */
  load(whole: FrameState, at: { rev: number; frame: number; complete: boolean }): void {
    this.#whole = { ...whole, cells: Object.assign(Object.create(null), whole.cells) };
    this.#show(this.#whole, at);
  }

  #show(state: FrameState, { rev, frame, complete }: { rev: number; frame: number; complete: boolean }): void {
    this.#shown = state;
    this.#at = { rev, frame, complete };
    this.#heights.settle();
    // A frame tells its size when it changes: one that was kept from shrinking while it was written says nothing more.
    if (complete) this.#resize(this.#wanted);
    this.#flush();
  }

  /** Applies an `artifact.imports` event. */
  imports(imports: Record<string, unknown>): void {
    Object.assign(this.#imports, imports);
    this.#post({ type: "imports", imports });
  }

  theme(theme: Theme): void {
    this.#theme = theme;
    if (this.#element) this.#element.style.colorScheme = theme;
    this.#post({ type: "theme", theme });
  }

  /** A value that another view of the artifact changed. */
  setState(key: string, value: unknown): void {
    this.#state[key] = value;
    this.#post({ type: "state", key, value });
  }

  #make(): HTMLIFrameElement {
    const { sandbox, artifact, title } = this.#options;
    const element = document.createElement("iframe");
    element.setAttribute("sandbox", "allow-scripts allow-forms");
    element.allow = "clipboard-write";
    element.title = title || "Interface";
    element.referrerPolicy = "no-referrer";
    element.className = "frame";
    element.style.border = "0";
    element.style.display = "block";
    element.style.width = "100%";
    // The same scheme inside and out: otherwise the browser paints an opaque sheet under a transparent frame.
    element.style.colorScheme = this.#theme;
    element.style.height = this.#options.fill ? "100%" : `${this.#heights.height}px`;
    let loads = 0;
    element.addEventListener("load", () => {
      loads += 1;
      if (loads === 1) this.#greet(element);
      else if (this.#options.kind === "html") this.#doubt(element, loads);
      else this.#gone(element);
    });
    element.src = `${sandbox.replace("{label}", freshLabel())}/frame/${encodeURIComponent(artifact)}`;
    return element;
  }

  /** Hands the port over, once. */
  #greet(element: HTMLIFrameElement): void {
    if (element !== this.#element && element !== this.#next) return;
    const channel = new MessageChannel();
    const { artifact, kind, locale } = this.#options;
    const init = {
      type: "init",
      artifact,
      kind,
      theme: this.#theme,
      locale: locale ?? document.documentElement.lang,
      state: this.#state,
      capabilities: { download: true, open: true },
    };
    if (element === this.#next && !this.#leaving) this.#leaving = this.#port;
    else this.#port?.close();
    const port = channel.port1;
    this.#port = port;
    this.#inbox = new Inbox();
    this.#sent = emptyState();
    port.onmessage = ({ data }) => (this.#port === port || this.#leaving === port) && this.#take(data, this.#port !== port);
    // The frame's origin is opaque, so no target origin can be named; the element was made here and loaded once.
    element.contentWindow?.postMessage(init, "*", [channel.port2]);
    if (Object.keys(this.#imports).length > 0) this.#post({ type: "imports", imports: this.#imports });
    this.#flush();
    this.#beat?.stop();
    this.#beat = new Heartbeat(
      element.contentWindow,
      (id) => this.#post({ type: "ping", id }),
      (ailment) => this.#ill(ailment),
    );
    this.#beat.start();
  }

  /** A document that was written ends with a load of its own. A document that was left does not answer. */
  #doubt(element: HTMLIFrameElement, loads: number): void {
    const id = `load ${loads}`;
    this.#doubts.set(id, setTimeout(() => this.#doubts.delete(id) && this.#gone(element), LOAD_ANSWER_MS));
    this.#post({ type: "ping", id });
  }

  /** The document was left: by `location.reload()`, or by a navigation that the policy stopped. */
  #gone(element: HTMLIFrameElement): void {
    if (element !== this.#element && element !== this.#next) return;
    this.#returns += 1;
    const again = this.#returns <= RETURNS_AT_MOST;
    this.remove();
    if (again) this.mount();
    this.#options.on.left?.(again);
  }

  #drop(element: HTMLIFrameElement | null): void {
    element?.remove();
  }

  #post(message: object): void {
    // As text, so that reading a message never builds objects in the port's own task.
    this.#port?.postMessage(JSON.stringify(message));
  }

  #flush(): void {
    if (!this.#port || !this.#at) return;
    const patch = diffState(this.#sent, this.#shown);
    this.#sent = this.#shown;
    this.#post({ type: "frame", ...this.#at, ...patch });
  }

  #ill(ailment: Ailment): void {
    this.#frozen = true;
    const { unreachable, frozen } = this.#options.on;
    if (ailment === "unreachable" && unreachable) unreachable();
    else if (frozen) frozen(ailment);
    else this.remove();
  }

  #about(): Gesture {
    return { gesture: navigator.userActivation.isActive && document.activeElement === this.#element };
  }

  #take(data: unknown, leaves: boolean): void {
    const message = this.#inbox.read(data);
    if (!message) return leaves ? undefined : this.#beat?.refused();
    if (leaves && !LAST_WORDS.has(message.type)) return;
    const { on } = this.#options;
    switch (message.type) {
      case "ready":
        this.#beat?.begun();
        return on.ready?.();
      case "pong":
        this.#beat?.answered(message.id, message.elements);
        clearTimeout(this.#doubts.get(String(message.id)));
        this.#doubts.delete(String(message.id));
        return;
      case "rendered":
        // A replacement that is still blank may only be waiting for a script: the old frame stays for a moment.
        if (!this.#next || message.blank !== true) this.#promote();
        else {
          const next = this.#next;
          setTimeout(() => next === this.#next && this.#promote(), BLANK_PATIENCE_MS);
        }
        return on.rendered?.(message);
      case "error":
        return on.error?.(message);
      case "layout":
        return on.layout?.(message);
      case "size":
        return this.#resize(Number(message.height));
      case "action":
        return on.action?.({ ...message, ...this.#about() });
      case "call":
        return this.#answer(message);
      case "state":
        if (typeof message.key !== "string" || message.key.length > 200) return;
        this.#state[message.key] = message.value;
        // Kept for the next frame of this page, and nowhere else.
        if (message.key === SESSION_KEY) return;
        return on.state?.(message.key, message.value);
      case "open":
        return this.#open(message.url);
      case "download":
        return this.#download(message);
      case "log":
        return on.log?.(message);
      case "remount":
        return this.replace();
      default:
        return;
    }
  }

  /** The replacement has something to show: it takes the old frame's place. */
  #promote(): void {
    const next = this.#next;
    if (!next) return;
    this.#next = null;
    this.#leaving?.close();
    this.#leaving = null;
    this.#drop(this.#element);
    next.style.position = "";
    next.style.visibility = "";
    next.style.width = "100%";
    this.#element = next;
    this.#watchScreen();
    keepAlive(this);
  }

  #resize(wanted: number): void {
    this.#wanted = wanted;
    if (this.#options.fill) return;
    const height = this.#heights.ask(wanted, this.#at?.complete === true);
    const element = this.#next ?? this.#element;
    if (element) element.style.height = `${height}px`;
    this.#options.on.height?.(height);
  }

  #answer({ id, method, params }: FrameMessage): void {
    const port = this.#port;
    if (typeof id !== "number" || typeof method !== "string") return;
    const reply = (fields: object) => port === this.#port && this.#post({ type: "result", id, ...fields });
    const call = this.#options.on.call?.(method, params, this.#about()) ?? Promise.reject(new Error("Not available here"));
    call.then(
      (value) => reply({ ok: true, value: value ?? null }),
      (error) => reply({ ok: false, error: String(error?.message ?? error).slice(0, 500) }),
    );
  }

  #open(address: unknown): void {
    if (typeof address !== "string" || address.length > 4096) return;
    let url: URL;
    try {
      url = new URL(address);
    } catch {
      return;
    }
    if (["http:", "https:", "mailto:"].includes(url.protocol)) this.#options.on.open?.(url.href, this.#about());
  }

  #download({ name, mime, bytes }: FrameMessage): void {
    if (typeof name !== "string" || typeof bytes !== "string") return;
    let file: Blob;
    try {
      const content = Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0));
      file = new Blob([content], { type: typeof mime === "string" ? mime.slice(0, 100) : "" });
    } catch {
      return;
    }
    // A name, never a path.
    const safe = name.replace(/[\u0000-\u001f/\\:*?"<>|]/g, "_").replace(/^\.+/, "_").slice(0, 120) || "download";
    this.#options.on.download?.(safe, file, this.#about());
  }

  #watchScreen(): void {
    this.#seen?.disconnect();
    if (!this.#element) return;
    this.#seen = new IntersectionObserver((entries) => {
      this.onScreen = entries.at(-1)?.isIntersecting ?? true;
    });
    this.#seen.observe(this.#element);
  }
}
