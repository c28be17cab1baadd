// Limits on what runs for ever and on what talks too much.
//
// All limits are times, not counts of iterations: a long loop is not a mistake, a loop that never gives the frame back is.

const LOOP_LIMIT_MS = 3000;
/** React tries a failed render again, and the host's patience is five seconds: a loop that ran away once gets less. */
const LOOP_AGAIN_MS = 200;
const CALLS_BETWEEN_LOOKS = 1024;
const RENDERS_BEFORE_LOOKING = 20_000;
const RENDER_LIMIT_MS = 1500;
const RENDERS_AT_MOST = 400_000;
const DEPTH_AT_MOST = 500;
const EFFECTS_A_SECOND = 300;

let loopArmed = false;
let loopStart = 0;
let loopCalls = 0;
let loopRanAway = false;
const disarm = new MessageChannel();
const disarmPort = disarm.port2;
setOnMessage(disarm.port1, () => {
  loopArmed = false;
});

/** Called in every loop of model code. Throws when one task has been inside loops for three seconds. */
const loopGuard = () => {
  if (!loopArmed) {
    loopArmed = true;
    loopStart = now();
    loopCalls = 0;
    portPost(disarmPort, 0); // cannot be delivered before this task ends
    return;
  }
  loopCalls += 1;
  if (loopCalls % CALLS_BETWEEN_LOOKS === 0 && now() - loopStart > (loopRanAway ? LOOP_AGAIN_MS : LOOP_LIMIT_MS)) {
    loopRanAway = true;
    throw new Error("A loop ran for 3 seconds without a pause, so it was stopped");
  }
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

const rendersCommitted = () => {
  rendersSinceCommit = 0;
};

const resetGuards = () => {
  loopRanAway = false;
  rendersSinceCommit = 0;
  tripped = "";
};

interface EffectBox {
  since: number;
  runs: number;
  stopped: number;
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
  report("effect", new Error("An effect runs without end: it changes what it depends on, or it has no dependency list"));
  return false;
};

const mayLog = bucket(50, 100);
const mayPrint = bucket(200, 1000);
let logsDropped = 0;

const describe = (value: unknown): string => {
  if (typeof value === "string") return value;
  if (value instanceof Error) return messageOf(value);
  try {
    return writeJson(value) ?? String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
};

/** Copies console output to the host, and stops a flood before it reaches the browser's own console. */
const captureConsole = () => {
  for (const level of ["debug", "log", "info", "warn", "error"]) {
    const native = nativeConsole[level];
    (console as Any)[level] = (...values: unknown[]) => {
      if (mayPrint()) native.apply(console, values);
      if (!mayLog()) {
        logsDropped += 1;
        return;
      }
      const fields = dict();
      fields.level = level;
      fields.text = values.slice(0, 8).map((value) => describe(value).slice(0, 1000)).join(" ").slice(0, 2000);
      if (logsDropped > 0) fields.dropped = logsDropped;
      logsDropped = 0;
      send("log", fields);
    };
  }
};
