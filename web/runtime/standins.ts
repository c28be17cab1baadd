// What a page of its own would have and an opaque origin has not: storage, history, dialogs.
//
// Each stand-in behaves as the real thing does within one frame. `localStorage` is kept with the artifact's state, under a
// reserved key; nothing else outlives the frame.

const STORAGE_KEY = "$localStorage";
const STORAGE_LIMIT = 200_000;

/** A Storage over `items`. `changed` is told after each change. */
const makeStorage = (items: Map<string, string>, changed: () => void): Any => {
  let size = 0;
  for (const [key, value] of items) size += key.length + value.length;
  const methods: Dict = {
    getItem: (key: unknown) => items.get(String(key)) ?? null,
    setItem: (key: unknown, value: unknown) => {
      const [name, text] = [String(key), String(value)];
      const old = items.get(name);
      const next = size + text.length + (old === undefined ? name.length : -old.length);
      if (next > STORAGE_LIMIT) throw new DOMException(`Storage holds at most ${STORAGE_LIMIT} characters`, "QuotaExceededError");
      items.set(name, text);
      size = next;
      changed();
    },
    removeItem: (key: unknown) => {
      const [name, old] = [String(key), items.get(String(key))];
      if (old === undefined) return;
      items.delete(name);
      size -= name.length + old.length;
      changed();
    },
    clear: () => {
      items.clear();
      size = 0;
      changed();
    },
    key: (index: number) => Array.from(items.keys())[index] ?? null,
  };
  const isItem = (key: string | symbol): key is string => typeof key === "string" && !(key in methods) && key !== "length";
  return new Proxy(Object.create(Storage.prototype), {
    get: (_, key) => {
      if (key === Symbol.toStringTag) return "Storage";
      if (key === "length") return items.size;
      return isItem(key) ? items.get(key) : methods[String(key)];
    },
    set: (_, key, value) => (isItem(key) && methods.setItem(key, value), true),
    has: (_, key) => (isItem(key) ? items.has(key) : String(key) in methods || String(key) === "length"),
    deleteProperty: (_, key) => (isItem(key) && methods.removeItem(key), true),
    ownKeys: () => Array.from(items.keys()),
    getOwnPropertyDescriptor: (_, key) =>
      isItem(key) && items.has(key) ? { value: items.get(key), writable: true, enumerable: true, configurable: true } : undefined,
  });
};

const localItems = new Map<string, string>();
let storageTimer = 0;

const saveStorage = () => {
  if (storageTimer) return;
  storageTimer = setTimer(() => {
    storageTimer = 0;
    const fields = dict();
    fields.key = STORAGE_KEY;
    fields.value = Object.fromEntries(localItems);
    send("state", fields);
  }, 200);
};

const loadStorage = (saved: unknown) => {
  if (saved === null || typeof saved !== "object") return;
  for (const [key, value] of Object.entries(saved)) if (typeof value === "string") localItems.set(key, value);
};

const replaceGlobal = (owner: Any, key: string, get: () => unknown, set?: (value: Any) => void) => {
  define(owner, key, { get, set, configurable: true, enumerable: true });
};

const installStorage = () => {
  const local = makeStorage(localItems, saveStorage);
  const session = makeStorage(new Map(), () => {});
  replaceGlobal(W, "localStorage", () => local);
  replaceGlobal(W, "sessionStorage", () => session);
  const jar = new Map<string, string>();
  const readCookies = () => Array.from(jar, ([name, value]) => `${name}=${value}`).join("; ");
  const writeCookie = (text: unknown) => {
    const [pair, ...rest] = String(text).slice(0, 4096).split(";");
    const at = pair.indexOf("=");
    const name = pair.slice(0, Math.max(at, 0)).trim();
    const gone = rest.some((part) => /^\s*max-age\s*=\s*(0|-)/i.test(part));
    if (gone) jar.delete(name);
    else if (jar.size < 50) jar.set(name, pair.slice(at + 1).trim());
  };
  replaceGlobal(D, "cookie", readCookies, writeCookie);
};

/** A history of states alone. The address never changes, and the visitor's Back button is not taken. */
const installHistory = () => {
  const entries: unknown[] = [null];
  let at = 0;
  const push = (state: unknown) => {
    entries.length = at + 1;
    if (entries.length > 100) entries.shift();
    entries.push(state);
    at = entries.length - 1;
  };
  const go = (delta = 0) => {
    const next = at + delta;
    if (delta === 0 || next < 0 || next >= entries.length) return;
    at = next;
    soon(() => dispatch(W, new PopStateEvent("popstate", { state: entries[at] })));
  };
  const proto: Any = History.prototype;
  for (const [name, value] of Object.entries({
    pushState: (state: unknown) => push(state),
    replaceState: (state: unknown) => void (entries[at] = state),
    go,
    back: () => go(-1),
    forward: () => go(1),
  })) {
    define(proto, name, { value, configurable: true, writable: true });
  }
  replaceGlobal(proto, "state", () => entries[at]);
  replaceGlobal(proto, "length", () => entries.length);
};

/** Shows `text` for a moment at the foot of the frame. */
const toast = (text: string) => {
  const note = createElementOf(D, "div");
  note.className = "ui4a-toast";
  note.setAttribute("role", "status");
  setText(note, text.slice(0, 500));
  if (D.body) appendChildOf(D.body, note);
  setTimer(() => removeElement(note), 4000);
};

/** `alert` shows a note. `confirm` agrees, for only the artifact's own things are at stake. `prompt` gives its default. */
const installDialogs = () => {
  const mayToast = bucket(1, 3);
  const dialogs: Dict = {
    alert: (text: unknown = "") => void (mayToast() && toast(String(text))),
    confirm: () => true,
    prompt: (_: unknown, initial?: unknown) => (initial === undefined ? null : String(initial)),
    print: () => {},
  };
  for (const name in dialogs) define(W, name, { value: dialogs[name], configurable: true, writable: true });
};
