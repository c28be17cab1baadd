// The modules that the frame itself provides: `$ui4a/chat`, `$ui4a/state`, `$ui4a/fs` and the older dialect's chat.
//
// What they say to the host is limited here and again there: the host decides, these only ask.

const TEXT_LIMIT = 32 * 1024;
const PAYLOAD_LIMIT = 256 * 1024;
const FILE_LIMIT = 2 * 1024 * 1024;
const STATE_LIMIT = 256 * 1024;
const CALLS_AT_ONCE = 32;
const mayAct = bucket(2, 8);
const mayCall = bucket(20, 40);

const act = (kind: string, name: string, text: string, payload: unknown, hidden: unknown) => {
  if (!mayAct()) throw new Error("Too many messages at once");
  const fields = dict();
  fields.kind = kind;
  fields.name = name.slice(0, 200);
  fields.text = text.slice(0, TEXT_LIMIT);
  fields.payload = plain(payload, PAYLOAD_LIMIT, "An action's payload");
  const pointers = Array.isArray(hidden) ? hidden.filter((one) => typeof one === "string").slice(0, 64) : [];
  fields.visibility = { hidden: pointers };
  fields.rev = shown.rev;
  send("action", fields);
};

const sendMessage = (message: unknown) => {
  const text = typeof message === "string" ? message : describe((message as Any)?.text ?? (message as Any)?.content ?? message);
  if (text.trim() !== "") act("message", "", text, null, []);
};

const sendAction = (action: Any, payload?: unknown) => {
  // `sendAction("name", payload)` is what many write.
  const given = typeof action === "string" ? { name: action, payload } : (action ?? {});
  act("event", String(given.name ?? given.type ?? "event"), "", given.payload, given.visibility?.hidden);
};

interface Call {
  resolve(value: unknown): void;
  reject(error: Error): void;
}
const calls = new Map<number, Call>();
let lastCall = 0;

const callHost = (method: string, params: Dict): Promise<Any> =>
  new Promise((resolve, reject) => {
    if (calls.size >= CALLS_AT_ONCE || !mayCall()) return reject(new Error("Too many calls at once"));
    lastCall += 1;
    calls.set(lastCall, { resolve, reject });
    const fields = dict();
    fields.id = lastCall;
    fields.method = method;
    fields.params = params;
    send("call", fields);
  });

const applyResult = (message: Dict) => {
  const call = calls.get(message.id);
  if (!call) return;
  calls.delete(message.id);
  if (message.ok) call.resolve(message.value);
  else call.reject(new Error(typeof message.error === "string" ? message.error : "The host refused the call"));
};

const callTool = (name: unknown, args: unknown = {}) =>
  callHost("callTool", { name: String(name), args: plain(args, PAYLOAD_LIMIT, "A tool's arguments") });
const readFile = (path: unknown) => callHost("readFile", { path: String(path) });
const writeFile = (path: unknown, text: unknown) => {
  const body = String(text);
  if (body.length > FILE_LIMIT) return Promise.reject(new RangeError(`A file holds at most ${FILE_LIMIT} characters`));
  return callHost("writeFile", { path: String(path), text: body });
};

/** A countdown that the host owns; the number is what is left of it, null when it is over. */
const useAutoSend = (message: unknown, seconds: unknown = 30): number | null => {
  const R = react();
  const total = Math.min(Math.max(Math.round(Number(seconds)) || 30, 3), 3600);
  const text = String(message).slice(0, TEXT_LIMIT);
  const [left, setLeft] = R.useState(total as number | null);
  R.useEffect(() => {
    let over = false;
    let remaining = total;
    const end = () => {
      over = true;
      clearInterval(timer);
      setLeft(null);
    };
    const timer = setInterval(() => {
      remaining -= 1;
      if (remaining <= 0) end();
      else setLeft(remaining);
    }, 1000);
    promiseThen(callHost("autoSend", { text, seconds: total, rev: shown.rev }), end, end);
    return () => {
      clearInterval(timer);
      if (!over) promiseThen(callHost("autoSendCancel", { rev: shown.rev }), () => {}, () => {});
    };
  }, [text, total]);
  return left;
};

const stateValues = new Map<string, unknown>();
const stateReaders = new Map<string, Set<() => void>>();
const stateTimers = new Map<string, number>();

const tellReaders = (key: string) => {
  for (const tell of stateReaders.get(key) ?? []) tell();
};

/** Takes values from the host: at the start all, later those that another view changed. */
const applyState = (values: unknown) => {
  if (values === null || typeof values !== "object") return;
  for (const [key, value] of Object.entries(values)) {
    if (key === STORAGE_KEY || key === SESSION_KEY) loadStorage(key, value);
    else {
      stateValues.set(key, value);
      tellReaders(key);
    }
  }
};

const setState = (key: string, value: unknown) => {
  stateValues.set(key, value);
  tellReaders(key);
  if (stateTimers.has(key)) return;
  const timer = setTimer(() => {
    stateTimers.delete(key);
    try {
      const fields = dict();
      fields.key = key;
      fields.value = plain(stateValues.get(key), STATE_LIMIT, `The state ${key}`);
      send("state", fields);
    } catch (error) {
      report("handler", error);
    }
  }, 150);
  stateTimers.set(key, timer);
};

const usePersistedState = (name: unknown, initial: unknown) => {
  const R = react();
  const key = String(name).slice(0, 200);
  const first = R.useRef(null);
  first.current ??= { value: typeof initial === "function" ? initial() : initial };
  const read = () => (stateValues.has(key) ? stateValues.get(key) : first.current.value);
  const subscribe = R.useCallback(
    (tell: () => void) => {
      const readers = stateReaders.get(key) ?? new Set();
      stateReaders.set(key, readers.add(tell));
      return () => void readers.delete(tell);
    },
    [key],
  );
  const value = R.useSyncExternalStore(subscribe, read, read);
  const set = R.useCallback((next: Any) => setState(key, typeof next === "function" ? next(read()) : next), [key]);
  return [value, set];
};

const chat = () => ({ sendMessage, sendUserMessage: sendMessage, sendAction, useAutoSend, callTool });

const builtins: Dict<() => Any> = Object.assign(dict(), {
  "$ui4a/chat": chat,
  "$macaron/chat": chat,
  "$ui4a/state": () => ({ usePersistedState }),
  "$ui4a/fs": () => ({ readFile, writeFile }),
});

/** The same, for HTML artifacts, which import nothing. */
const installGlobals = () => {
  define(W, "ui4a", {
    value: Object.freeze({ sendMessage, sendAction, callTool, readFile, writeFile, getState: (key: string) => stateValues.get(key), setState }),
    configurable: true,
  });
};
