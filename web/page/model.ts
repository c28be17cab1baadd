// The session as the log tells it. `apply` folds one event and says what changed; views subscribe to the changes.
// Pure: no DOM, no network, no clock. Replaying a log gives the same model as living through it.

import { applyPatch, emptyState } from "../host/frame-state.js";
import type { Action, Diagnostic, FrameState, Imports, Kind, LogEvent, Problem, Report, TurnInput, Usage } from "./api.js";
import { fails } from "./standing.js";

export interface ToolItem {
  type: "tool";
  call: string;
  name: string;
  arguments: unknown;
  result?: unknown;
}

/** What a turn holds, in the order in which it came. */
export type TurnItem =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "artifact"; artifact: string; rev: number }
  | ToolItem;

export interface Turn {
  id: string;
  input: TurnInput;
  at: string;
  items: TurnItem[];
  specialist?: string;
  probabilities?: Record<string, number>;
  state: "running" | "finished" | "failed";
  stopReason?: string;
  usage?: Usage;
  timings?: Record<string, number>;
  problem?: Problem;
}

export interface Revision {
  rev: number;
  turn: string;
  kind: Kind;
  title: string;
  source: string;
  state: FrameState;
  /** The newest frame folded into `state`; 0 before the first. */
  frame: number;
  /** Whether the newest frame was the last of the revision. */
  complete: boolean;
  closed: boolean;
  truncated: boolean;
  imports: Imports;
  diagnostics: Diagnostic[];
  report?: Report;
  /** Whether it is the answer to a failed one. */
  repair: boolean;
  /** Whether it was opened while this page watched, not before. */
  live: boolean;
  /** A patch did not fit: what is shown may be old. */
  broken: boolean;
}

/** How far mending an artifact is. */
export interface Mending {
  state: "running" | "ended";
  /** The round is over and its result is not known yet. */
  looking: boolean;
  reason: string;
  round: number;
  rounds: number;
  outcome?: string;
}

export interface Artifact {
  id: string;
  revisions: Map<number, Revision>;
  newest: number;
  state: Map<string, unknown>;
  /** Absent while nothing had to be mended since a person, or an action, last asked for something. */
  mending?: Mending;
}

export type Change =
  | { type: "turn"; turn: Turn }
  | { type: "artifact"; artifact: Artifact; revision: Revision }
  | { type: "frame"; artifact: Artifact; revision: Revision }
  | { type: "imports"; artifact: Artifact; imports: Imports }
  | { type: "state"; artifact: Artifact; key: string; value: unknown }
  | { type: "queue" };

export type Status = "mending" | "writing" | "rendering" | "ready" | "repaired" | "failed" | "interrupted";

/** Begins the ids of the turns that stand for what came from outside. */
const OUTSIDE = "outside:";

export class Model {
  readonly turns: Turn[] = [];
  readonly artifacts = new Map<string, Artifact>();
  /** Actions that arrived and whose turn has not begun. */
  readonly queue: Action[] = [];
  seq = 0;
  #turns = new Map<string, Turn>();
  #listeners = new Set<(change: Change) => void>();

  /** Calls `listener` for each change that is not replayed; answers how to stop. */
  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The turn that runs, if one does. */
  get running(): Turn | undefined {
    const last = this.turns.at(-1);
    return last?.state === "running" ? last : undefined;
  }

  turn(id: string): Turn | undefined {
    return this.#turns.get(id);
  }

  /** Folds `event`. While `replaying`, nobody is told. An event that was folded before changes nothing. */
  apply(event: LogEvent, replaying: boolean): void {
    if (event.seq <= this.seq) return;
    this.seq = event.seq;
    for (const change of this.#fold(event, replaying)) {
      if (!replaying) for (const listener of this.#listeners) listener(change);
    }
  }

  #fold(event: LogEvent, replaying: boolean): Change[] {
    switch (event.type) {
      case "turn.started":
        return this.#started(event.turn, event.input, event.at);
      case "route.decided":
        return this.#inTurn(event.turn, (turn) => {
          turn.specialist = event.specialist;
          turn.probabilities = event.probabilities;
        });
      case "text.delta":
      case "reasoning.delta":
        return this.#inTurn(event.turn, (turn) => {
          const type = event.type === "text.delta" ? "text" : "reasoning";
          const last = turn.items.at(-1);
          if (last?.type === type) last.text += event.delta;
          else turn.items.push({ type, text: event.delta });
        });
      case "tool.called":
        return this.#inTurn(event.turn, (turn) => {
          turn.items.push({ type: "tool", call: event.call, name: event.name, arguments: event.arguments });
        });
      case "tool.result":
        return this.#inTurn(event.turn, (turn) => {
          const tool = turn.items.find((item): item is ToolItem => item.type === "tool" && item.call === event.call);
          if (tool) tool.result = event.result;
        });
      case "repair.ended":
        return this.#mended(event.artifact, (mending) => {
          const { outcome, reason, rounds } = event;
          return { ...mending, state: "ended", looking: false, outcome, reason, rounds };
        });
      case "turn.finished":
        return this.#ended(event.turn, (turn) => {
          turn.state = "finished";
          turn.stopReason = event.stop_reason;
          turn.usage = event.usage;
          turn.timings = event.timings;
        });
      case "turn.failed":
        return this.#ended(event.turn, (turn) => {
          turn.state = "failed";
          turn.problem = event.problem;
        });
      case "action.received": {
        const { type: _, seq: __, ...action } = event;
        // What a coding assistant rendered is answered there: no turn of ours will take it.
        const artifact = this.artifacts.get(action.artifact);
        if (!isOutside(artifact?.revisions.get(artifact.newest))) this.queue.push(action);
        return [{ type: "queue" }];
      }
      case "artifact.opened":
        return this.#opened(event, replaying);
      case "artifact.retracted":
        return this.#retracted(event.artifact, event.rev, event.turn, event.text);
      case "artifact.state": {
        const artifact = this.#artifact(event.artifact);
        artifact.state.set(event.key, event.value);
        return [{ type: "state", artifact, key: event.key, value: event.value }];
      }
      case "artifact.source":
        return this.#inRevision(event.artifact, event.rev, (revision) => void (revision.source += event.delta));
      case "artifact.diagnostics":
        return this.#inRevision(event.artifact, event.rev, (revision) => void (revision.diagnostics = event.diagnostics));
      case "artifact.closed":
        return this.#inRevision(event.artifact, event.rev, (revision) => {
          revision.closed = true;
          revision.truncated = event.truncated;
        });
      case "artifact.report":
        return this.#inRevision(event.artifact, event.rev, (revision) => {
          const { type: _, seq: __, artifact: ___, ...report } = event;
          if (!revision.report || report.frame >= revision.report.frame) revision.report = report;
        });
      case "artifact.frame":
        return this.#framed(event);
      case "artifact.imports": {
        const artifact = this.artifacts.get(event.artifact);
        const revision = artifact?.revisions.get(event.rev);
        if (!artifact || !revision) return [];
        revision.imports = { ...revision.imports, ...event.imports };
        return [{ type: "imports", artifact, imports: event.imports }];
      }
      default:
        return []; // a newer server's event
    }
  }

  #started(id: string, input: TurnInput, at: string): Change[] {
    // A turn that never ended was cut off with the server that ran it.
    const changes: Change[] = this.running ? this.#ended(this.running.id, (turn) => void (turn.state = "failed")) : [];
    const turn: Turn = { id, input, at, items: [], state: "running" };
    this.turns.push(turn);
    this.#turns.set(id, turn);
    changes.push({ type: "turn", turn });
    if ("action" in input) {
      const at = this.queue.findIndex((action) => action.id === input.action.id);
      if (at >= 0) this.queue.splice(at, 1);
      changes.push({ type: "queue" });
    }
    if ("repair" in input) {
      const { artifact, reason, round, rounds } = input.repair;
      changes.push(...this.#mended(artifact, () => ({ state: "running", looking: false, reason: reason ?? "", round: round ?? 1, rounds: rounds ?? 1 })));
    }
    return changes;
  }

  #mended(id: string, edit: (mending: Mending) => Mending): Change[] {
    const artifact = this.artifacts.get(id);
    const revision = artifact?.revisions.get(artifact.newest);
    if (!artifact || !revision) return [];
    artifact.mending = edit(artifact.mending ?? { state: "running", looking: false, reason: "", round: 1, rounds: 1 });
    return [{ type: "artifact", artifact, revision }];
  }

  #ended(id: string, edit: (turn: Turn) => void): Change[] {
    const changes = this.#inTurn(id, edit);
    const turn = this.#turns.get(id);
    if (turn && "repair" in turn.input) {
      // A round that its server did not live to judge is told of by nobody else.
      const over = turn.state === "failed";
      changes.push(...this.#mended(turn.input.repair.artifact, (mending) => (over ? { ...mending, state: "ended", outcome: "interrupted" } : { ...mending, looking: true })));
    }
    // What was being written will not go on: its card must say so.
    for (const artifact of this.artifacts.values()) {
      const revision = artifact.revisions.get(artifact.newest);
      if (revision?.turn === id) changes.push({ type: "artifact", artifact, revision });
    }
    return changes;
  }

  #inTurn(id: string, edit: (turn: Turn) => void): Change[] {
    const turn = this.#turns.get(id);
    if (!turn) return [];
    edit(turn);
    return [{ type: "turn", turn }];
  }

  #artifact(id: string): Artifact {
    let artifact = this.artifacts.get(id);
    if (!artifact) {
      artifact = { id, revisions: new Map(), newest: 0, state: new Map() };
      this.artifacts.set(id, artifact);
    }
    return artifact;
  }

  #opened(event: LogEvent & { type: "artifact.opened" }, replaying: boolean): Change[] {
    const artifact = this.#artifact(event.artifact);
    const before = artifact.revisions.get(artifact.newest);
    // An artifact that came from outside (`render_ui`) has no turn: it gets one of its own, so that it has a place.
    const id = event.turn || `${OUTSIDE}${event.seq}`;
    let turn = this.#turns.get(id);
    const changes: Change[] = [];
    if (!turn) {
      turn = { id, input: { text: "" }, at: "", items: [], state: "finished" };
      const running = this.running;
      this.turns.splice(running ? this.turns.indexOf(running) : this.turns.length, 0, turn);
      this.#turns.set(id, turn);
    }
    const revision: Revision = {
      rev: event.rev,
      turn: id,
      kind: event.kind,
      title: event.title || before?.title || "",
      source: "",
      state: before?.state ?? emptyState(),
      frame: 0,
      complete: false,
      closed: false,
      truncated: false,
      imports: before?.imports ?? {},
      diagnostics: [],
      repair: "repair" in turn.input,
      live: !replaying,
      broken: false,
    };
    artifact.revisions.set(event.rev, revision);
    // Asked for anew, it is judged anew.
    if (!("repair" in turn.input)) delete artifact.mending;
    artifact.newest = Math.max(artifact.newest, event.rev);
    turn.items.push({ type: "artifact", artifact: event.artifact, rev: event.rev });
    changes.push({ type: "turn", turn }, { type: "artifact", artifact, revision });
    return changes;
  }

  #retracted(id: string, rev: number, turnId: string, text: string): Change[] {
    const artifact = this.artifacts.get(id);
    const turn = this.#turns.get(turnId);
    if (!artifact || !turn) return [];
    artifact.revisions.delete(rev);
    artifact.newest = Math.max(0, ...artifact.revisions.keys());
    const at = turn.items.findIndex((item) => item.type === "artifact" && item.artifact === id && item.rev === rev);
    if (at >= 0) turn.items.splice(at, 1);
    const last = turn.items.at(-1);
    if (last?.type === "text") last.text += text;
    else turn.items.push({ type: "text", text });
    if (artifact.newest === 0) this.artifacts.delete(id);
    return [{ type: "turn", turn }];
  }

  #inRevision(id: string, rev: number, edit: (revision: Revision) => void): Change[] {
    const artifact = this.artifacts.get(id);
    const revision = artifact?.revisions.get(rev);
    if (!artifact || !revision) return [];
    edit(revision);
    return [{ type: "artifact", artifact, revision }];
  }

  #framed(event: LogEvent & { type: "artifact.frame" }): Change[] {
    const artifact = this.artifacts.get(event.artifact);
    const revision = artifact?.revisions.get(event.rev);
    if (!artifact || !revision || revision.broken) return [];
    const state = applyPatch(revision.state, event);
    if (!state) {
      revision.broken = true;
      return [{ type: "artifact", artifact, revision }];
    }
    revision.state = state;
    revision.frame = event.frame;
    revision.complete = event.complete;
    return [{ type: "frame", artifact, revision }];
  }
}

/** Whether a revision came from a coding assistant and not from a turn. */
export function isOutside(revision: Revision | undefined): boolean {
  return revision?.turn.startsWith(OUTSIDE) ?? false;
}

/** How `artifact` stands, for its chip. `writing` only while its turn runs. */
export function status(model: Model, artifact: Artifact): Status {
  const revision = artifact.revisions.get(artifact.newest);
  if (!revision) return "interrupted";
  const turn = model.turn(revision.turn);
  if (!revision.closed) return turn?.state === "running" || isOutside(revision) ? "writing" : "interrupted";
  if (artifact.mending?.state === "running") return "mending";
  // What was cut off may well be blank: it is not done, rather than wrong.
  if (revision.truncated) return "interrupted";
  if (fails(revision)) return "failed";
  if (revision.report && revision.report.frame >= revision.frame) {
    if (revision.report.status !== "rendered") return "failed"; // drawn, but an effect threw
    return revision.repair ? "repaired" : "ready";
  }
  return revision.live ? "rendering" : "ready";
}
