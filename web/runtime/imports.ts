// The table that import statements were compiled to: `$i["recharts"].LineChart`.
//
// A module that is not there yet answers with placeholders, one that will never be with visible stubs, one that is there
// with its exports, and with a stub for a name that it lacks. So nothing fails whole, and nothing waits for what it does
// not use. The runtime loads addresses below `/m/` and no others.

interface ImportState {
  state: "resolving" | "ready" | "stub" | "failed";
  url?: string;
  names?: string[];
  aliases?: Dict<string>;
  /** Modules that the module waits for. */
  preload?: string[];
  styles?: string[];
  error?: string;
  package?: string;
}

interface Entry {
  state: ImportState["state"];
  url: string;
  /** What `$i[specifier]` is. */
  face: Any;
  /** The module's own namespace, once it is loaded. */
  module: Any;
}

/** Thrown when code calls something that has not been loaded yet. Never reported: the code runs again when it has. */
class Pending extends Error {
  constructor(specifier: string, path: string) {
    super(`${path || "The default"} of "${specifier}" is still loading`);
  }
}

interface StandIn {
  kind: "pending" | "stub";
  specifier: string;
  path: string;
}

/** What nothing renders without. */
const CORE = ["react", "react/jsx-runtime", "react-dom/client"];
const MODULE_URL = /^\/m\/[A-Za-z0-9._-]+$/;
const entries: Dict<Entry> = dict();
/** By specifier, icons that a package lacks → those that are shown for them. */
const aliases: Dict<Dict<string>> = dict();
const standIns = new WeakMap<object, StandIn>();
let pendingCount = 0;
/** Whether something arrived since the cells last ran: what React renders meanwhile is still made of what was there before. */
let hasNews = false;
/** Told of every look at a module that is not there yet. */
let touched: (specifier: string) => void = () => {};
/** Told of every call of what is not there yet, in a promise too. */
let awaited: () => void = () => {};
/** Told of every look at a module. */
let looked: (specifier: string) => void = () => {};
/** Told when a module has taken the place of another that was there, because more of it is wanted. */
let replaced: (specifier: string) => void = () => {};

/** Keys that libraries and the language read from any value to learn what it is. */
const isProbe = (key: PropertyKey) =>
  typeof key !== "string" || /^(\$\$typeof|then|toJSON|prototype|name|length|displayName|defaultProps|propTypes|contextType|contextTypes|getDerivedStateFromProps|_payload|_init|__esModule|caller|arguments|call|apply|bind|constructor|toString|valueOf|nodeType|tagName|isReactComponent)$/.test(key);

/** What a placeholder stands for, once it has arrived: whoever kept the placeholder reaches it all the same. */
const arrived = (specifier: string, path: string): Any => {
  const entry = entries[specifier];
  if (!entry || entry.state === "resolving") return undefined;
  return path.split(".").reduce((value: Any, name) => (name === "" ? value : value?.[name]), entry.face);
};

const placeholder = (specifier: string, path: string): Any => {
  const parts = new Map<string, Any>();
  const wait = () => {
    touched(specifier);
    awaited();
    throw new Pending(specifier, path);
  };
  const face = new Proxy(function () {}, {
    get: (target, key) => {
      if (isProbe(key)) return Reflect.get(target, key);
      const real = arrived(specifier, path);
      if (real !== undefined && real !== null) return real[key];
      touched(specifier);
      const name = String(key);
      if (!parts.has(name)) parts.set(name, placeholder(specifier, path ? `${path}.${name}` : name));
      return parts.get(name);
    },
    apply: (_, self, given) => {
      const real = arrived(specifier, path);
      return typeof real === "function" ? Reflect.apply(real, self === face ? real : self, given) : wait();
    },
    construct: (_, given) => {
      const real = arrived(specifier, path);
      return typeof real === "function" ? Reflect.construct(real, given) : wait();
    },
  });
  standIns.set(face, { kind: "pending", specifier, path: path || "*" });
  return face;
};

const STUB_ITEMS = 8;

/** A value that stands for anything: a component that shows its name, a function that answers with another stub. */
const stub = (specifier: string, path: string): Any => {
  const parts = new Map<string, Any>();
  const part = (name: string) => {
    if (!parts.has(name)) parts.set(name, stub(specifier, name));
    return parts.get(name);
  };
  const face: Any = new Proxy(function () {}, {
    get: (target, key) => {
      if (key === Symbol.iterator) return () => Array.from({ length: STUB_ITEMS }, () => face)[Symbol.iterator]();
      if (key === Symbol.toPrimitive) return (hint: string) => (hint === "number" ? NaN : "");
      return isProbe(key) ? Reflect.get(target, key) : part(key as string);
    },
    apply: () => face,
    construct: () => face,
  });
  standIns.set(face, { kind: "stub", specifier, path: path || specifier });
  return face;
};

const nearest = (name: string, names: string[]) => {
  const lower = name.toLowerCase();
  const score = (other: string) => {
    const text = other.toLowerCase();
    if (text.startsWith(lower) || lower.startsWith(text)) return Math.abs(text.length - lower.length) / 4;
    let previous = Array.from({ length: text.length + 1 }, (_, at) => at);
    for (let row = 1; row <= lower.length; row += 1) {
      const line = [row];
      for (let at = 1; at <= text.length; at += 1) {
        line[at] = Math.min(previous[at] + 1, line[at - 1] + 1, previous[at - 1] + (lower[row - 1] === text[at - 1] ? 0 : 1));
      }
      previous = line;
    }
    return previous[text.length];
  };
  return names
    .map((other) => [score(other), other] as const)
    .filter(([distance]) => distance <= Math.max(2, name.length / 3))
    .sort((a, b) => a[0] - b[0])
    .slice(0, 3)
    .map(([, other]) => other);
};

/** A module's exports: its own, ours where the frame needs them changed, and stubs for the rest. */
const readyFace = (specifier: string, module: Any): Any => {
  const changed = adapt(specifier, module);
  const missing = new Map<string, Any>();
  const known: string[] = Object.keys(module);
  const isPlain = !("default" in module);
  const face: Any = new Proxy(module, {
    get: (target, key) => {
      if (hasOwn(changed, key)) return changed[key as string];
      if (Reflect.has(target, key)) return Reflect.get(target, key);
      if (key === "default" && isPlain) return plainDefault;
      if (isProbe(key)) return undefined;
      const name = key as string;
      const icon = own(aliases[specifier], name);
      if (typeof icon === "string" && Reflect.has(target, icon)) return Reflect.get(target, icon);
      if (!missing.has(name)) {
        missing.set(name, stub(specifier, name));
        const close = nearest(name, known);
        const hint = close.length > 0 ? `; it has ${close.join(", ")}` : "";
        report("module", `"${specifier}" exports no ${name}${hint}`, { code: "unknown-export", place: placeOf(new Error().stack) });
      }
      return missing.get(name);
    },
  });
  // `import d3 from "d3"`: a module without a default answers with all it has; used as a component it shows its name.
  const plainDefault = new Proxy(stub(specifier, "default"), { get: (_, key) => (isProbe(key) ? undefined : face[key]) });
  standIns.set(plainDefault, { kind: "stub", specifier, path: "default" });
  return face;
};

const setFace = (specifier: string, state: Entry["state"], url: string, face: Any, module: Any = null) => {
  const old = entries[specifier];
  if (old?.state === "resolving") {
    pendingCount -= 1;
    if (state !== "resolving") hasNews = true;
  }
  if (state === "resolving") pendingCount += 1;
  entries[specifier] = { state, url, face, module };
};

const entryOf = (specifier: string): Entry => {
  if (!entries[specifier]) {
    const builtin = builtins[specifier];
    if (builtin) setFace(specifier, "ready", "", readyFace(specifier, builtin()), null);
    else if (tableClosed) setFace(specifier, "stub", "", stub(specifier, ""));
    else setFace(specifier, "resolving", "", placeholder(specifier, ""));
  }
  return entries[specifier];
};

const waiters: Dict<Array<(entry: Entry) => void>> = dict();

const settled = (specifier: string) => {
  for (const tell of waiters[specifier] ?? []) tell(entries[specifier]);
  delete waiters[specifier];
  importSettled(specifier);
};

const standFor = (specifier: string, state: "stub" | "failed", why: string) => {
  setFace(specifier, state, "", stub(specifier, ""));
  const code = state === "stub" ? "unknown-package" : "import-failed";
  report("module", `"${specifier}" could not be imported${why ? ": " + why : ""}`, { code });
  settled(specifier);
};

const preloaded = new Set<string>();

/** Asks for what a module waits for while the module itself is on its way: no chain of requests. */
const preload = (url: string) => {
  if (!MODULE_URL.test(url) || preloaded.has(url) || failedUrls.has(url)) return;
  preloaded.add(url);
  const link = createElementOf(D, "link");
  link.rel = "modulepreload";
  link.href = url;
  appendChildOf(D.head, link);
};

const styleSheets = new Set<string>();
const failedUrls = new Set<string>();
/** By specifier, the address that was asked for last. */
const asked: Dict<string> = dict();

const addStyleSheet = (url: string) => {
  if (!MODULE_URL.test(url) || styleSheets.has(url)) return;
  styleSheets.add(url);
  const link = createElementOf(D, "link");
  link.rel = "stylesheet";
  link.href = url;
  insertBeforeOf(D.head, link, elementById(D, "ui4a-artifact"));
};

/** The specifier of the package that `prismjs/components/prism-python` is a part of. */
const packageOf = (specifier: string): string => (/^(@[^/]+\/[^/]+|[^@/][^/]*)\/./.exec(specifier)?.[1] ?? "");

const pendingSpecifiers = (): string[] =>
  pendingCount === 0 ? [] : Object.keys(entries).filter((specifier) => entries[specifier].state === "resolving" && !CORE.includes(specifier));

/** Whether parts of a package that the artifact imports may still add something to it. */
const hasPendingParts = (whole: string): boolean =>
  pendingCount > 0 && !CORE.includes(whole) && pendingSpecifiers().some((specifier) => packageOf(specifier) === whole);

/** Whether something is on its way that no code names: it was imported for what it does, before any effect runs. */
const hasPendingDeeds = (): boolean => {
  const pending = pendingSpecifiers();
  if (pending.length === 0) return false;
  const code = Object.values(texts);
  const isNamed = (specifier: string) => code.some((text) => text.includes(writeJson(specifier)) || text.includes(`$i.${specifier}`));
  return pending.some((specifier) => !isNamed(specifier));
};

/**
 * Parts of a package often add to what the package itself set up when it ran. Where both are imported, the package runs
 * first, as it would have in the order that they are written in.
 */
const afterItsPackage = (specifier: string, run: () => Promise<Any>): Promise<Any> => {
  const whole = CORE.includes(specifier) ? "" : packageOf(specifier);
  if (!whole || entries[whole]?.state !== "resolving") return run();
  return new Promise((resolve) => (waiters[whole] ??= []).push(() => resolve(run())));
};

const applyImport = (specifier: string, next: ImportState) => {
  if (builtins[specifier]) return;
  // A document loads its modules itself.
  if (isAddress(specifier)) return applyAddress(specifier, next);
  const old = entries[specifier];
  if (next.state === "resolving") {
    if (!old) setFace(specifier, "resolving", "", placeholder(specifier, ""));
    return;
  }
  if (next.state !== "ready" || !next.url || !MODULE_URL.test(next.url)) {
    if (old?.state !== next.state) standFor(specifier, next.state === "stub" ? "stub" : "failed", next.error ?? "");
    return;
  }
  const url = next.url;
  if (next.aliases) aliases[specifier] = next.aliases;
  if (old?.url === url || asked[specifier] === url) return;
  if (old?.state === "ready" && specifier === "react") return askRemount("another React");
  if (!old || old.state !== "ready") setFace(specifier, "resolving", url, old?.face ?? placeholder(specifier, ""));
  for (const style of next.styles ?? []) addStyleSheet(style);
  for (const module of next.preload ?? []) preload(module);
  // Browsers remember a module that failed to load; another fragment is another module. React itself must stay one.
  asked[specifier] = url;
  const again = failedUrls.has(url);
  if (again && CORE.includes(specifier)) return askRemount("React did not load");
  promiseThen(
    afterItsPackage(specifier, () => import(again ? `${url}#${now()}` : url)),
    (module: Any) => {
      // A later address is on its way, or came first.
      if (asked[specifier] !== url) return;
      const before = entries[specifier];
      setFace(specifier, "ready", url, readyFace(specifier, module), module);
      if (before?.state === "ready") replaced(specifier);
      settled(specifier);
    },
    (error: unknown) => {
      failedUrls.add(url);
      if (asked[specifier] !== url) return;
      delete asked[specifier];
      standFor(specifier, "failed", messageOf(error));
    },
  );
};

const applyImports = (imports: Dict<ImportState>) => {
  // React first, so that what renders nothing but React does not wait for the rest.
  const order = Object.keys(imports).sort((a, b) => Number(b.startsWith("react")) - Number(a.startsWith("react")));
  for (const specifier of order) applyImport(specifier, imports[specifier]);
};

const IMPORT_WAIT_MS = 60_000;

/** `import("x")` in model code. */
const importLater = (specifier: unknown): Promise<Any> => {
  const name = String(specifier);
  const entry = entryOf(name);
  if (entry.state !== "resolving") return Promise.resolve(entry.face);
  return new Promise((resolve, reject) => {
    (waiters[name] ??= []).push((settledEntry) => resolve(settledEntry.face));
    setTimer(() => reject(new Error(`"${name}" did not load within a minute`)), IMPORT_WAIT_MS);
  });
};

const lookups: Any = new Proxy(dict(), {
  get: (_, key) => {
    if (typeof key === "symbol") return undefined;
    const entry = entryOf(key);
    looked(key);
    if (entry.state === "resolving" || hasPendingParts(key)) touched(key);
    return entry.face;
  },
});

/** `$i`. What loops call at every round is its own, so that it does not go through the proxy. */
const table: Any = Object.freeze(Object.assign(Object.create(lookups), { $loop: loopGuard, $import: importLater }));
