// What the runtime takes from the browser before any model code exists.
//
// Model code may replace every method of every prototype. Whatever touches the port, or runs in the port's own task, uses
// only what is captured here. The rest of the runtime may use ordinary methods: patching those lets an artifact confuse
// its own frame, which it could do anyway.
//
// The files of this folder are parts of ONE script. They hold no import and no export; `web/src/runtime.rs` joins them, in
// the order listed there, inside one strict function.

type Any = any;
type Dict<T = Any> = Record<string, T>;

const W: Any = window;
const D = document;
const hostWindow = window.parent;

const uncurry = (method: Any): Any => Function.prototype.bind.call(Function.prototype.call, method);
const accessor = (owner: Any, key: string) => Object.getOwnPropertyDescriptor(owner, key)!;
const dict = <T = Any>(): Dict<T> => Object.create(null);

const portPost = uncurry(MessagePort.prototype.postMessage);
const portClose = uncurry(MessagePort.prototype.close);
const setOnMessage = uncurry(accessor(MessagePort.prototype, "onmessage").set);
const eventData = uncurry(accessor(MessageEvent.prototype, "data").get);
const eventSource = uncurry(accessor(MessageEvent.prototype, "source").get);
const eventPorts = uncurry(accessor(MessageEvent.prototype, "ports").get);
const stopEvent = uncurry(Event.prototype.stopImmediatePropagation);
const listen = uncurry(EventTarget.prototype.addEventListener);
const unlisten = uncurry(EventTarget.prototype.removeEventListener);
const dispatch = uncurry(EventTarget.prototype.dispatchEvent);

const createElementOf = uncurry(Document.prototype.createElement);
const appendChildOf = uncurry(Node.prototype.appendChild);
const insertBeforeOf = uncurry(Node.prototype.insertBefore);
const removeElement = uncurry(Element.prototype.remove);
const setText = uncurry(accessor(Node.prototype, "textContent").set);
const elementById = uncurry(Document.prototype.getElementById);
const documentOpen = uncurry(Document.prototype.open);
const documentWrite = uncurry(Document.prototype.write);
const documentClose = uncurry(Document.prototype.close);

const parseJson = JSON.parse;
const writeJson = JSON.stringify;
const define = Object.defineProperty;
const hasOwn = uncurry(Object.prototype.hasOwnProperty);
const now: () => number = performance.now.bind(performance);
const setTimer = setTimeout;
const clearTimer = clearTimeout;
const promiseThen = uncurry(Promise.prototype.then);
const isActivated: () => boolean = uncurry(accessor(UserActivation.prototype, "isActive").get).bind(null, navigator.userActivation);
const nativeConsole: Dict<Any> = { log: console.log, info: console.info, warn: console.warn, error: console.error, debug: console.debug };

// Tasks come from a channel, not from timers: those are slowed down in tabs that nobody looks at.
const tasks = new MessageChannel();
const tasksPort = tasks.port2;
const taskQueue = new Set<() => void>();
setOnMessage(tasks.port1, () => {
  const batch = Array.from(taskQueue);
  taskQueue.clear();
  for (const task of batch) task();
});

/** Runs `after` in a later task. */
const soon = (after: () => void) => {
  taskQueue.add(after);
  portPost(tasksPort, 0);
};

/** The value of `key` if it is the object's own, so that a polluted `Object.prototype` is never read. */
const own = (from: Any, key: string): Any => (from !== null && typeof from === "object" && hasOwn(from, key) ? from[key] : undefined);

const messageOf = (error: Any): string => {
  try {
    const message = error instanceof Error ? `${error.name === "Error" ? "" : error.name + ": "}${error.message}` : String(error);
    return message.slice(0, 2000);
  } catch {
    return "An error that cannot be shown";
  }
};
