// An artifact on the page: the sandbox, what is known about it, and its buttons. One card an artifact, one sandbox element
// for as long as it lives: revisions, the larger view and the source never move or replace it.

import { type Ailment, type FrameEvents, FrameHost } from "../host/frame-host.js";
import type { Diagnostic, Report } from "./api.js";
import { CardHeader } from "./card-header.js";
import { ConsoleLog } from "./console-log.js";
import { Cover } from "./cover.js";
import { Details } from "./details.js";
import { coalesce, el, setText } from "./dom.js";
import { type Artifact, type Change, type Model, type Revision, status } from "./model.js";
import { Findings, known } from "./findings.js";
import { type MendActions, MendingLine } from "./mending.js";
import { Notices } from "./notices.js";
import { Reports } from "./reports.js";
import { froze, SafeMode } from "./safe-mode.js";
import { SourceView } from "./source-view.js";
import { meanwhile, standing } from "./standing.js";
import { onTheme, theme } from "./theme.js";

/** What a card's sandbox may do beyond its card: decided by the page. */
export interface CardHost {
  /** `http://{label}.localhost:4401`. */
  sandbox: string;
  /** Whether the server has the artifacts, so that they can be downloaded. */
  exportable: boolean;
  handlers(card: Card): Pick<FrameEvents, "action" | "call" | "state" | "open" | "download">;
  /** A frame came out like this; `final` when nothing more will come of this revision. */
  report(card: Card, report: Report, final: boolean): void;
  /** What can be done about one that does not work or was cut off; absent where nobody can be asked. */
  mend?(card: Card): MendActions;
  /** Asks whoever wrote the artifact to mend it; absent where nobody can be asked. */
  fix?(card: Card, text: string): Promise<void>;
  /** Whether the state that came from the log is what this card's sandbox said itself. */
  isEcho(card: Card, key: string, value: unknown): boolean;
  /** The larger view was opened, or closed with `undefined`. */
  enlarged(card: Card | undefined): void;
}

/** CSS pixels before anything is known of the interface; `.card-body` reserves the same. */
const FIRST_HEIGHT = 320;
/** Beyond this many CSS pixels an interface scrolls in itself. */
const MOST_HEIGHT = 2400;

const BY_HAND = "It was opened without being run.";
const FROZE_BEFORE = "It froze when it ran before, so it was not run again.";
const AILMENTS: Record<Ailment, string> = {
  silent: "It stopped answering, so it was stopped.",
  flood: "It sent messages without end, so it was stopped.",
  growth: "It added elements without end, so it was stopped.",
  unreachable: "It never answered, so it was stopped.",
};

let cards = 0;

export class Card {
  readonly element: HTMLElement;
  readonly notices = new Notices();
  readonly artifact: Artifact;
  #model: Model;
  #host: CardHost;
  #header: CardHeader;
  #stage = el("div", { class: "card-stage" });
  #cover = new Cover();
  #safe: SafeMode;
  #details = new Details();
  #log = new ConsoleLog();
  #note = el("p", { class: "card-note", hidden: true });
  #mending: MendingLine;
  #findings = new Findings((finding) => this.#showLine(finding));
  #source = new SourceView();
  #frame: FrameHost | undefined;
  #reports: Reports | undefined;
  /** The revision on show, and the newest that was noticed: only a newer one takes the person away from what they look at. */
  #shown: number;
  #known: number;
  /** A person chose the revision on show. */
  #chosen = false;
  #painted = false;
  #large = false;
  #stopped = "";
  /** Revisions that froze and that a person wants to see run all the same. */
  #allowed = new Set<number>();
  /** The revision that was shown when it was stopped. */
  #stoppedAt = 0;
  /** The newest revision that the sandbox said anything of. */
  #heard = 0;
  #later = coalesce(() => this.update());

  constructor(model: Model, artifact: Artifact, host: CardHost) {
    this.#model = model;
    this.artifact = artifact;
    this.#host = host;
    this.#shown = standing(artifact);
    this.#known = artifact.newest;
    this.#mending = new MendingLine(host.mend?.(this));
    const titleId = `card-title-${++cards}`;
    this.#header = new CardHeader(artifact, titleId, host.exportable, this.#findings.badge, {
      source: () => this.#toggleSource(),
      large: () => this.enlarge(!this.#large),
      reload: () => this.#reload(),
      copy: () => navigator.clipboard.writeText(this.#revision?.source ?? ""),
      revision: (rev) => {
        this.#chosen = rev !== standing(this.artifact);
        this.#look(rev);
      },
      safe: () => this.#stop(BY_HAND),
    });
    this.#safe = new SafeMode({ run: () => this.#reload(), fix: host.fix && ((text) => host.fix!(this, text)) });
    this.#source.element.hidden = true;
    this.element = el(
      "article",
      { class: "card", "aria-labelledby": titleId, "data-artifact": artifact.id },
      el(
        "div",
        { class: "card-surface" },
        this.#header.element,
        this.#mending.element,
        this.#note,
        this.#findings.panel,
        el("div", { class: "card-body" }, this.#stage, this.#cover.element, this.#safe.element, this.#source.element),
        this.#details.element,
        this.notices.element,
      ),
    );
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.#large && !event.defaultPrevented) this.enlarge(false);
    });
    onTheme((now) => this.#frame?.theme(now));
    this.update();
  }

  /** The revision on show, when it is the one that stands: what actions are about. */
  get current(): Revision | undefined {
    return this.#shown === this.artifact.newest || this.#shown === standing(this.artifact) ? this.#revision : undefined;
  }

  get #revision(): Revision | undefined {
    return this.artifact.revisions.get(this.#shown);
  }

  /** A change of the model that is about this artifact. */
  changed(change: Change): void {
    if (change.type === "frame") {
      // A later revision may be the mended one, so it gets its chance.
      if (this.#stopped && change.revision.complete && change.revision.rev > this.#stoppedAt) this.#reload();
      else if (change.revision.rev === this.#shown) this.#give(change.revision);
    } else if (change.type === "imports") this.#frame?.imports(change.imports);
    else if (change.type === "state") {
      if (!this.#host.isEcho(this, change.key, change.value)) this.#frame?.setState(change.key, change.value);
    } else if (this.artifact.newest !== this.#known) {
      this.#known = this.artifact.newest;
      this.#chosen = false;
      this.#look(this.#known);
    } else if (!this.#chosen) this.#look(standing(this.artifact));
    this.#later();
  }

  /** Starts the sandbox, unless it runs or was stopped. */
  mount(): void {
    const revision = this.#revision;
    if (this.#frame || this.#stopped || !revision) return;
    if (this.#mustNotRun(revision)) return this.#stop(FROZE_BEFORE);
    this.#painted = false;
    this.#log.clear();
    this.#reports = new Reports(this.#log, (report, settled) => this.#reported(report, settled));
    this.#frame = new FrameHost({
      container: this.#stage,
      sandbox: this.#host.sandbox,
      artifact: this.artifact.id,
      kind: revision.kind,
      title: revision.title,
      theme: theme(),
      locale: navigator.language,
      state: Object.fromEntries(this.artifact.state),
      firstHeight: FIRST_HEIGHT,
      mostHeight: MOST_HEIGHT,
      on: {
        ...this.#host.handlers(this),
        rendered: (message) => {
          this.#hear(message["rev"]);
          this.#reports?.rendered(message);
          if (this.#painted || (message["blank"] === true && !this.#revision?.complete)) return;
          this.#painted = true;
          this.#later();
        },
        error: (message) => {
          this.#hear(message["rev"]);
          this.#reports?.error(message);
        },
        layout: (message) => this.#reports?.layout(message),
        log: (message) => {
          this.#log.add(message);
          this.#reports?.printed();
          this.#later();
        },
        unreachable: () => this.#stop("The sandbox could not be reached: names that end in .localhost must lead to this machine. `ui4a doctor` says more."),
        frozen: (why) => this.#frozen(why),
        left: (again) => again || this.#stop("It left its page again and again, so it was stopped."),
      },
    });
    this.#frame.imports(this.artifact.revisions.get(this.artifact.newest)?.imports ?? {});
    this.#frame.mount();
    this.#give(revision);
    this.update();
  }

  unmount(): void {
    this.#frame?.remove();
    this.#reports?.stop();
    this.#frame = undefined;
    this.#stage.replaceChildren();
    this.#painted = false;
  }

  /** Opens or closes the larger view: only style changes, so the sandbox goes on. */
  enlarge(large: boolean): void {
    if (large === this.#large) return;
    // The place in the conversation keeps its height, so nothing jumps.
    this.element.style.minHeight = large ? `${this.element.offsetHeight}px` : "";
    this.#large = large;
    this.element.dataset["view"] = large ? "large" : "inline";
    this.#host.enlarged(large ? this : undefined);
    this.mount();
    this.update();
    this.#header.largeButton.focus({ preventScroll: true });
  }

  update(): void {
    const revision = this.#revision;
    if (!revision) return;
    const newest = this.artifact.revisions.get(this.artifact.newest) ?? revision;
    const state = status(this.#model, this.artifact);
    const writing = state === "writing";
    const source = !this.#source.element.hidden;
    this.element.dataset["status"] = state;
    this.element.dataset["painted"] = String(this.#painted);
    this.element.setAttribute("aria-busy", String(writing));
    this.#header.update(this.artifact, this.#shown, this.#stopped ? "stopped" : state, this.#large, source);
    if (source) this.#source.update(revision.source, [], writing && revision === newest);
    const empty = newest.closed && newest.source.trim() === "";
    this.element.dataset["empty"] = String(empty && this.#shown === this.artifact.newest);
    this.#findings.update(empty ? [] : known(newest));
    const running = this.#model.turn(newest.turn)?.state === "running";
    const stands = revision.rev === standing(this.artifact);
    const told = this.#mending.update(this.artifact, running, stands && revision !== newest ? revision.rev : undefined);
    const note = this.#stopped ? "" : noteOn(revision, newest, told, stands);
    this.#note.hidden = note === "";
    setText(this.#note, note);
    this.#cover.show(this.#painted || this.#stopped !== "");
    this.#safe.show(this.#stopped, revision);
    this.element.dataset["running"] = String(this.#stopped === "");
    this.#details.update(this.#log);
  }

  #mustNotRun(revision: Revision): boolean {
    return froze(revision.report) && !this.#allowed.has(revision.rev);
  }

  #reported(report: Report, settled: boolean): void {
    const { current } = this;
    if (!current || report.rev !== current.rev || report.rev !== this.artifact.newest) return;
    this.#host.report(this, report, settled && current.complete && report.frame === current.frame);
  }

  #look(rev: number): void {
    const revision = this.artifact.revisions.get(rev);
    if (!revision || rev === this.#shown) return;
    const before = this.#revision;
    this.#shown = rev;
    this.notices.clear();
    if (this.#stopped || this.#mustNotRun(revision)) {
      this.#stopped = "";
      this.unmount();
      this.mount();
    } else if (before && before.kind !== revision.kind && this.#frame) {
      this.unmount();
      this.mount();
    } else {
      this.#frame?.imports(revision.imports);
      this.#give(revision);
    }
    this.update();
  }

  /** Hands the sandbox what `revision` has. A later one is only shown whole: until then the one before stays. */
  #give(revision: Revision): void {
    const whole = revision.rev > 1 && !revision.complete ? meanwhile(this.artifact, revision.rev) : revision;
    if (!whole || whole.frame === 0 || whole.kind !== revision.kind) return;
    this.#frame?.load(whole.state, { rev: whole.rev, frame: whole.frame, complete: whole.complete });
  }

  /** Runs the revision on show afresh, also one that froze: a person asked for it, or it is a new one. */
  #reload(): void {
    this.#stopped = "";
    this.#allowed.add(this.#shown);
    this.unmount();
    this.mount();
  }

  #hear(rev: unknown): void {
    if (typeof rev === "number") this.#heard = Math.max(this.#heard, rev);
  }

  /** A revision that came while the one before was spinning never ran: it gets a sandbox of its own, once. */
  #frozen(why: Ailment): void {
    if (this.#heard < this.#shown && this.#revision?.complete) {
      this.#heard = this.#shown;
      this.#reload();
      return;
    }
    const reason = AILMENTS[why];
    this.#allowed.delete(this.#shown);
    this.#reports?.frozen(this.#shown, this.#revision?.frame ?? 0, reason);
    this.#stop(`${reason} The rest of the page is not affected.`);
  }

  #stop(reason: string): void {
    this.unmount();
    this.#stopped = reason;
    this.#stoppedAt = this.#shown;
    this.update();
  }

  #showLine(finding: Diagnostic): void {
    if (this.#shown !== this.artifact.newest) {
      this.#chosen = true;
      this.#look(this.artifact.newest);
    }
    if (this.#source.element.hidden) this.#toggleSource();
    this.#source.show(finding);
  }

  #toggleSource(): void {
    const open = this.#source.element.hidden;
    this.#source.element.hidden = !open;
    this.element.dataset["source"] = open ? "open" : "closed";
    this.update();
  }
}

function noteOn(revision: Revision, newest: Revision, told: boolean, stands: boolean): string {
  if (revision !== newest && stands) return told ? "" : `Revision ${newest.rev} ${newest.truncated ? "is not whole" : "does not work"}: revision ${revision.rev} is shown.`;
  if (revision !== newest) return `Revision ${revision.rev} of ${newest.rev}. What you do in it is not sent.`;
  if (revision.broken) return "A part of this was lost on the way. Load the page again.";
  if (!revision.closed || told) return "";
  if (revision.truncated) return "The answer ended before the interface was whole.";
  if (revision.report?.status === "blank") return "It runs, but shows nothing.";
  if (revision.report?.status === "error") return revision.report.errors[0]?.message ?? "It failed while running.";
  return "";
}
