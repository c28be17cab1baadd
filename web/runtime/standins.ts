// What a page of its own would have and an opaque origin has not: storage, history, dialogs.
//
// Each stand-in behaves as the real thing does within one frame. `localStorage` is kept with the artifact's state, under a
// reserved key; `sessionStorage` by the page that holds the frame, so that it outlives a frame but not the page.

const STORAGE_KEY = "$localStorage";
const SESSION_KEY = "$sessionStorage";
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

const STORED: Dict<Map<string, string>> = Object.assign(dict(), { [STORAGE_KEY]: new Map(), [SESSION_KEY]: new Map() });
const storageTimers: Dict<number> = dict();

/** Tells the host of a storage's items, soon: one change is seldom alone. */
const saving = (name: string) => () => {
  if (storageTimers[name]) return;
  storageTimers[name] = setTimer(() => sendStorage(name), 200);
};

const sendStorage = (name: string) => {
  clearTimer(storageTimers[name]);
  storageTimers[name] = 0;
  const fields = dict();
  fields.key = name;
  fields.value = Object.fromEntries(STORED[name]);
  send("state", fields);
};

/** What was stored a moment ago goes with the artifact into the frame that replaces this one. */
const sendWhatWaits = () => {
  for (const name in storageTimers) if (storageTimers[name]) sendStorage(name);
};

const loadStorage = (name: string, saved: unknown) => {
  if (saved === null || typeof saved !== "object") return;
  for (const [key, value] of Object.entries(saved)) if (typeof value === "string") STORED[name].set(key, value);
};

const replaceGlobal = (owner: Any, key: string, get: () => unknown, set?: (value: Any) => void) => {
  define(owner, key, { get, set, configurable: true, enumerable: true });
};

const installStorage = () => {
  const local = makeStorage(STORED[STORAGE_KEY], saving(STORAGE_KEY));
  const session = makeStorage(STORED[SESSION_KEY], saving(SESSION_KEY));
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

interface Visit {
  state: unknown;
  hash: string;
}

const nativeReplaceState = uncurry(History.prototype.replaceState);
const visits: Visit[] = [{ state: null, hash: "" }];
let visit = 0;

/** Shows a fragment in the address without a step that the visitor's Back button would take. */
const showFragment = (hash: string) => {
  try {
    nativeReplaceState(W.history, null, "", hash || D.location.pathname + D.location.search);
  } catch {
    // the address stays as it is; the artifact's own history is right all the same
  }
};

const fragmentOf = (address: unknown): string => {
  if (address === undefined || address === null) return visits[visit].hash;
  try {
    return new URL(String(address), D.baseURI).hash;
  } catch {
    return visits[visit].hash;
  }
};

const pushVisit = (state: unknown, hash: string) => {
  visits.length = visit + 1;
  if (visits.length >= 100) visits.shift();
  visits.push({ state, hash });
  visit = visits.length - 1;
};

/** A history of states and fragments. Of an address only the fragment is shown: the frame has no other pages. */
const installHistory = () => {
  const go = (delta = 0) => {
    const next = visit + delta;
    if (delta === 0 || next < 0 || next >= visits.length) return;
    const [oldURL, before] = [D.location.href, visits[visit].hash];
    visit = next;
    const { state, hash } = visits[next];
    soon(() => {
      if (hash !== before) showFragment(hash);
      dispatch(W, new PopStateEvent("popstate", { state }));
      if (hash !== before) dispatch(W, new HashChangeEvent("hashchange", { oldURL, newURL: D.location.href }));
    });
  };
  const proto: Any = History.prototype;
  for (const [name, value] of Object.entries({
    pushState: (state: unknown, _title?: unknown, address?: unknown) => {
      const hash = fragmentOf(address);
      pushVisit(state, hash);
      showFragment(hash);
    },
    replaceState: (state: unknown, _title?: unknown, address?: unknown) => {
      const hash = fragmentOf(address);
      visits[visit] = { state, hash };
      showFragment(hash);
    },
    go,
    back: () => go(-1),
    forward: () => go(1),
  })) {
    define(proto, name, { value, configurable: true, writable: true });
  }
  replaceGlobal(proto, "state", () => visits[visit].state);
  replaceGlobal(proto, "length", () => visits.length);
};

/** The browser's own steps within the document: links to fragments, and `location.hash = …`. */
const onFragment = (event: Event) => {
  const hash = D.location.hash;
  if (event.isTrusted && visits[visit].hash !== hash) pushVisit(null, hash);
};
const listenForFragments = () => listen(W, "hashchange", onFragment, true);

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
