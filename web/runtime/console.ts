// The console: a copy of what model code prints goes to the host, within limits, and a flood reaches nobody.

const VALUES_A_LINE = 8;
const LINE_LIMIT = 2000;
const TELL_DROPPED_MS = 1000;
const mayLog = bucket(50, 100);
const mayPrint = bucket(200, 1000);
let logsDropped = 0;
let dropTimer = 0;

const describe = (value: unknown): string => {
  if (typeof value === "string") return value;
  if (value instanceof Error) return messageOf(value);
  try {
    return writeJson(value) ?? String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
};

/** `%s`, `%d`, `%o` and `%c` as consoles write them. */
const formatted = (values: unknown[]): string => {
  const [first, ...rest] = values;
  if (typeof first !== "string" || !first.includes("%") || rest.length === 0) {
    return values.slice(0, VALUES_A_LINE).map((value) => describe(value).slice(0, 1000)).join(" ");
  }
  const text = first.replace(/%([sdifoOc%])/g, (whole, kind) => {
    if (kind === "%") return "%";
    if (rest.length === 0) return whole;
    const value = rest.shift();
    return kind === "c" ? "" : describe(value).slice(0, 1000);
  });
  return [text, ...rest.slice(0, VALUES_A_LINE).map((value) => describe(value).slice(0, 1000))].join(" ");
};

const sendLog = (level: string, line: string) => {
  const fields = dict();
  fields.level = level;
  fields.text = line.slice(0, LINE_LIMIT);
  fields.rev = shown.rev;
  if (logsDropped > 0) fields.dropped = logsDropped;
  logsDropped = 0;
  send("log", fields);
};

/** The last of a flood are told even when nothing is printed after it. */
const tellDropped = () => {
  dropTimer = 0;
  if (logsDropped > 0) sendLog("info", "");
};

const captureConsole = () => {
  for (const level of ["debug", "log", "info", "warn", "error"]) {
    const native = nativeConsole[level];
    (console as Any)[level] = (...values: unknown[]) => {
      if (mayPrint()) native.apply(console, values);
      if (mayLog()) return sendLog(level, formatted(values));
      logsDropped += 1;
      if (!dropTimer) dropTimer = setTimer(tellDropped, TELL_DROPPED_MS);
    };
  }
};
