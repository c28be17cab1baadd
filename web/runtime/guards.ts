// Limits on what runs for ever and on what talks too much.
//
// All limits are times, not counts of iterations: a long loop is not a mistake, a loop that never gives the frame back is.

class EndlessLoop extends Error {
  constructor() {
    super("A loop ran for more than a second without a pause, so it was stopped");
  }
}

/** A loop may hold the frame for this long: longer than a person waits, shorter than the host's patience. */
const LOOP_LIMIT_MS = 1500;
/** React tries a failed render again, and the host is waiting: a loop that ran away once gets less. */
const LOOP_AGAIN_MS = 100;
const AGAIN_WITHIN_MS = 5000;
/** In this time an error that nobody caught has been told. */
const TOLD_WITHIN_MS = 400;
/** A look at the clock costs as much as a short loop's body, and a long body must not wait for many of them. */
const CALLS_BETWEEN_LOOKS = 32;
const RENDERS_BEFORE_LOOKING = 20_000;
const RENDER_LIMIT_MS = 1500;
const RENDERS_AT_MOST = 400_000;
const DEPTH_AT_MOST = 500;
const EFFECTS_A_SECOND = 300;

let loopArmed = false;
let loopStart = 0;
let loopCalls = 0;
let ranAwayAt = -Infinity;
/** This task was told to stop: every loop in it ends at its next round, so none can catch the error and go on. */
let loopStopped = false;
const disarm = new MessageChannel();
const disarmPort = disarm.port2;
setOnMessage(disarm.port1, () => {
  loopArmed = false;
  loopStopped = false;
});

/** Called wherever model code may go round without end. Throws when one task has been at it for too long. */
const loopGuard = () => {
  if (!loopArmed) {
    loopArmed = true;
    loopStart = now();
    loopCalls = 0;
    portPost(disarmPort, 0); // cannot be delivered before this task, and all its microtasks, have ended
    return;
  }
  if (loopStopped) throw new EndlessLoop();
  loopCalls += 1;
  if (loopCalls % CALLS_BETWEEN_LOOKS !== 0) return;
  const time = now();
  if (time - loopStart > (time - ranAwayAt < AGAIN_WITHIN_MS ? LOOP_AGAIN_MS : LOOP_LIMIT_MS)) {
    loopStopped = true;
    ranAwayAt = time;
    throw tellLater(new EndlessLoop(), evaluating() ? "module" : "handler");
  }
};

let endlessTold = -Infinity;

/** Model code may swallow the error: then it is told all the same. */
const tellLater = (error: EndlessLoop, phase: ErrorPhase) => {
  const from = now();
  setTimer(() => endlessTold < from && report(phase, error), TOLD_WITHIN_MS);
  return error;
};

let rendersSinceCommit = 0;
let firstRender = 0;
let tripped = "";

/** Called before every component's function. Throws when components render without ever being shown. */
const renderGuard = (name: string) => {
  if (rendersSinceCommit === 0) firstRender = now();
  rendersSinceCommit += 1;
  if (tripped === name) throw new Error(tripMessage(name));
  if (rendersSinceCommit < RENDERS_BEFORE_LOOKING) return;
  if (rendersSinceCommit > RENDERS_AT_MOST || (rendersSinceCommit % 256 === 0 && now() - firstRender > RENDER_LIMIT_MS)) {
    tripped = name;
    throw new Error(tripMessage(name));
  }
};

/** Called when a component is put inside `depth` others of the artifact: no interface is that deep, one without end is. */
const depthGuard = (name: string, depth: number) => {
  if (depth < DEPTH_AT_MOST) return;
  tripped = name;
  throw new Error(tripMessage(name));
};

const tripMessage = (name: string) => `${name} renders itself without end`;

/** The stable name of what a guard threw. */
const codeOf = (error: unknown): string => {
  if (error instanceof EndlessLoop) return "endless-loop";
  const message = (error as Any)?.message;
  if (typeof message !== "string") return "";
  if (message.endsWith("renders itself without end") || message.startsWith("Too many re-renders") || message.startsWith("Maximum update depth") || /^Minified React error #(185|301)\b/.test(message)) return "endless-render";
  return message.startsWith("An effect runs without end") ? "endless-effect" : "";
};

const rendersCommitted = () => {
  rendersSinceCommit = 0;
};

const resetGuards = () => {
  ranAwayAt = -Infinity;
  rendersSinceCommit = 0;
  tripped = "";
};

interface EffectBox {
  since: number;
  runs: number;
  stopped: number;
  /** The component whose effect it is, as a line of a stack. */
  stack: string;
}

/** Whether this effect may run once more: not when it ran hundreds of times within a second. */
const effectMayRun = (box: EffectBox) => {
  if (box.stopped === version) return false;
  const time = now();
  if (time - box.since > 1000) {
    box.since = time;
    box.runs = 0;
  }
  box.runs += 1;
  if (box.runs <= EFFECTS_A_SECOND) return true;
  box.stopped = version;
  report("effect", new Error("An effect runs without end: it changes what it depends on, or it has no dependency list"), { stack: box.stack });
  return false;
};
