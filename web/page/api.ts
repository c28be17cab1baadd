// The server's vocabulary, as `crates/types` spells it on the wire, and the calls the pages make.
// Knows nothing of the DOM but whether the page is to be seen.

import type { FramePatch, FrameState, Kind } from "../host/frame-state.js";

export type { FramePatch, FrameState, Kind };
export type Severity = "error" | "warning" | "hint";

export interface ImportState {
  state: "resolving" | "ready" | "stub" | "failed";
  package?: string;
  version?: string;
  url?: string;
  names: string[];
  styles?: string[];
  ms?: number;
  error?: string;
}

export type Imports = Record<string, ImportState>;

export interface Diagnostic {
  code: string;
  severity: Severity;
  phase: "syntax" | "import" | "type" | "runtime" | "layout";
  message: string;
  line: number;
  column: number;
  end_line: number;
  end_column: number;
  help?: string;
  source_line?: string;
}

export interface Visibility {
  hidden: string[];
}

export interface Action {
  id: string;
  artifact: string;
  rev: number;
  kind: "message" | "event" | "tool";
  name: string;
  text: string;
  payload: unknown;
  visibility: Visibility;
  gesture: boolean;
}

export interface ReportError {
  phase: string;
  code?: string;
  message: string;
  cell?: string;
  line: number;
  column: number;
  component_stack?: string;
}

export interface Report {
  rev: number;
  frame: number;
  status: "rendered" | "blank" | "error";
  errors: ReportError[];
  width: number;
  height: number;
  ms: number;
  /** Imports on their way. */
  pending: number;
  /** How a whole revision looks, as the server keeps it; `sights` is how the sandbox tells it. */
  findings?: Diagnostic[];
  sights?: unknown[];
  looked?: boolean;
  console?: ConsoleLine[];
  dropped?: number;
}

export interface ConsoleLine {
  level: string;
  text: string;
  times: number;
}

export interface Problem {
  code: string;
  title: string;
  detail?: string;
}

export interface Usage {
  route: number;
  prompt: number;
  answer: number;
  summary: number;
  /** Read and written to mend an artifact; absent in the log of an older program. */
  repair?: number;
}

export type TurnInput =
  | { text: string }
  | { action: Action }
  | { repair: { artifact: string; rev: number; evidence: string; reason: string; round: number; rounds: number } }
  | { continue: { artifact: string; rev: number } };

export type LogEvent = { seq: number } & (
  | { type: "turn.started"; turn: string; input: TurnInput; at: string }
  | { type: "route.decided"; turn: string; specialist: string; probabilities: Record<string, number>; ms: number }
  | { type: "text.delta" | "reasoning.delta"; turn: string; delta: string }
  | { type: "artifact.opened"; artifact: string; rev: number; kind: Kind; title: string; turn: string }
  | { type: "artifact.retracted"; artifact: string; rev: number; turn: string; text: string }
  | { type: "artifact.source"; artifact: string; rev: number; delta: string }
  | ({ type: "artifact.frame"; artifact: string; rev: number; frame: number; complete: boolean } & FramePatch)
  | { type: "artifact.imports"; artifact: string; rev: number; imports: Imports }
  | { type: "artifact.diagnostics"; artifact: string; rev: number; frame: number; diagnostics: Diagnostic[] }
  | { type: "artifact.closed"; artifact: string; rev: number; truncated: boolean }
  | ({ type: "artifact.report"; artifact: string } & Report)
  | { type: "repair.ended"; artifact: string; rev: number; outcome: string; reason: string; rounds: number; tokens: number }
  | { type: "artifact.state"; artifact: string; key: string; value: unknown }
  | ({ type: "action.received" } & Action)
  | { type: "tool.called"; turn: string; call: string; name: string; arguments: unknown }
  | { type: "tool.result"; turn: string; call: string; name: string; result: unknown }
  | { type: "turn.finished"; turn: string; stop_reason: string; usage: Usage; timings: Record<string, number> }
  | { type: "turn.failed"; turn: string; problem: Problem }
);

export interface SessionSummary {
  id: string;
  title: string;
  /** RFC 3339. */
  updated_at: string;
  running: boolean;
}

export interface Session extends SessionSummary {
  /** `seq` of the newest event; 0 when there is none. */
  head: number;
}

export interface Rendered {
  artifact: string;
  rev: number;
  compiled: FrameState;
  imports: Imports;
  diagnostics: Diagnostic[];
}

export interface TranscriptSummary {
  project: string;
  session: string;
  title: string;
  cwd?: string;
  updated_at: string;
  artifacts: number;
}

export interface TranscriptItem {
  role: "user" | "assistant" | "system";
  kind: "text" | "thinking" | "tool" | "artifact" | "result";
  text?: string;
  name?: string;
  code?: string;
  title?: string;
  is_error?: boolean;
}

export interface Transcript {
  title: string;
  cwd?: string;
  items: TranscriptItem[];
}

/** A refused request: the server's RFC 9457 problem, or what stands for one when nothing answered. */
export class ApiError extends Error {
  readonly code: string;
  readonly title: string;
  readonly detail: string;

  constructor(problem: Problem) {
    super(problem.detail ? `${problem.title} ${problem.detail}` : problem.title);
    this.code = problem.code;
    this.title = problem.title;
    this.detail = problem.detail ?? "";
  }
}

async function request<T>(method: string, path: string, body?: unknown, keepalive = false): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      keepalive,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
  } catch {
    throw new ApiError({
      code: "unreachable",
      title: "UI4A does not answer.",
      detail: "Check that `ui4a serve` is running, then try again.",
    });
  }
  const text = await response.text();
  let value: unknown;
  try {
    value = text === "" ? undefined : JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (!response.ok) {
    const problem = value as Partial<Problem> | undefined;
    throw new ApiError({
      code: problem?.code ?? `http-${response.status}`,
      title: problem?.title ?? `The server answered ${response.status}.`,
      detail: problem?.detail ?? "",
    });
  }
  return value as T;
}

const enc = encodeURIComponent;

export const api = {
  sessions: () => request<{ sessions: SessionSummary[] }>("GET", "/api/sessions"),
  session: (id: string) => request<Session>("GET", `/api/sessions/${enc(id)}`),
  createSession: () => request<Session>("POST", "/api/sessions", {}),
  deleteSession: (id: string) => request<unknown>("DELETE", `/api/sessions/${enc(id)}`),
  send: (session: string, text: string) =>
    request<unknown>("POST", `/api/sessions/${enc(session)}/messages`, { text }),
  cancel: (session: string) => request<unknown>("POST", `/api/sessions/${enc(session)}/cancel`, {}),
  presence: (session: string, page: string, visible: boolean) =>
    request<unknown>("POST", `/api/sessions/${enc(session)}/presence`, { page, visible }),
  repair: (artifact: string) => request<unknown>("POST", `/api/artifacts/${enc(artifact)}/repair`, {}),
  goOn: (artifact: string) => request<unknown>("POST", `/api/artifacts/${enc(artifact)}/continue`, {}),
  report: (artifact: string, report: Report) =>
    request<unknown>("POST", `/api/artifacts/${enc(artifact)}/reports`, report),
  state: (artifact: string, key: string, value: unknown, leaving = false) =>
    request<unknown>("POST", `/api/artifacts/${enc(artifact)}/state`, { key, value }, leaving),
  action: (action: Action) =>
    request<{ seq: number }>("POST", `/api/artifacts/${enc(action.artifact)}/actions`, action),
  share: (artifact: string) => request<{ url: string }>("POST", `/api/artifacts/${enc(artifact)}/shares`, {}),
  render: (source: string, kind: Kind) => request<Rendered>("POST", "/api/render", { source, kind }),
  transcripts: () => request<{ transcripts: TranscriptSummary[] }>("GET", "/api/transcripts"),
  transcript: (project: string, session: string) =>
    request<Transcript>("GET", `/api/transcripts/${enc(project)}/${enc(session)}`),
  exportUrl: (artifact: string, format: "html" | "tsx" | "project") =>
    `/api/artifacts/${enc(artifact)}/export?format=${format}`,
  /** `page` is this page's own name for itself. */
  eventsUrl: (session: string, after: number, page: string) =>
    `/api/sessions/${enc(session)}/events?after=${after}&page=${enc(page)}&hidden=${document.hidden}`,
};
