// The runtime in a page of its own, made by `ui4a render` or an export: no host, no port, no network.
//
// The page holds what a host would send: the whole state in `#ui4a-start`, and one module that calls `__ui4a_modules` once
// with all that the artifact imports.

const startOfPage: HTMLElement | null = elementById(D, "ui4a-start");
/** Whether the table has been filled for good, so that what is missing stays missing. */
let tableClosed = false;

const startAlone = (from: HTMLElement) => {
  const { kind: given, title, state, assets } = parseJson(from.textContent ?? "{}");
  const begin = (modules: Dict) => {
    for (const specifier in modules) {
      if (given === "html") addresses[specifier] = { state: "ready", url: moduleAddress(specifier, modules[specifier]) };
      else setFace(specifier, "ready", "", readyFace(specifier, modules[specifier]), modules[specifier]);
    }
    for (const key in assets) addresses[key] = { state: "ready", url: fileAddress(assets[key]) };
    tableClosed = true;
    start({ kind: given, theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light", state: savedState(title) });
    const whole = (insert: string) => ({ keep_start: 0, insert, keep_end: 0 });
    const cells = Object.entries(state.cells as Dict<string>).map(([cell, body]) => ({ cell, ...whole(body) }));
    const body = state.text ? whole(state.text) : {};
    takeFrame({ rev: 1, frame: 1, complete: true, cells, order: state.order, css: whole(state.css), ...body });
  };
  // A document can only be written once the page that holds it has been read.
  define(W, "__ui4a_modules", {
    value: (modules: Dict) => {
      delete W.__ui4a_modules;
      if (D.readyState === "complete") begin(modules);
      else listen(W, "load", () => soon(() => begin(modules)), { once: true });
    },
    configurable: true,
  });
  sendAlone = (type, fields) => {
    if (type === "state") saveState(title, fields);
    else if (type === "action") toast("This page is a copy: nobody receives what is sent from it.");
    else if (type === "call") soon(() => applyResult({ id: fields.id, ok: false, error: "This page is a copy: it has no host." }));
    else if (type === "error") nativeConsole.error(fields.message, fields.component_stack ?? "");
  };
};

/** A module as something that a document's own scripts can import. */
const moduleAddress = (specifier: string, module: Dict): string => {
  define(W, "__ui4a_module", { value: (name: string) => given[name], configurable: true });
  const given: Dict = (modulesOfPage ??= dict());
  given[specifier] = module;
  const names = Object.keys(module).filter((name) => name !== "default");
  const exported = names.map((name, at) => `const v${at} = m[${writeJson(name)}];\nexport { v${at} as ${writeJson(name)} };\n`).join("");
  const text = `const m = __ui4a_module(${writeJson(specifier)});\nexport default m.default;\n${exported}`;
  return URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
};
let modulesOfPage: Dict | null = null;

/** A file that the page holds. */
const fileAddress = ({ type, data }: Dict<string>): string =>
  URL.createObjectURL(new Blob([Uint8Array.from(atob(data), (char) => char.charCodeAt(0))], { type }));

const storageName = (title: unknown) => `ui4a ${title}`;

const savedState = (title: unknown): Dict => {
  try {
    return parseJson(localStorage.getItem(storageName(title)) ?? "{}");
  } catch {
    return {}; // a browser may refuse storage to files
  }
};

const saveState = (title: unknown, { key, value }: Dict) => {
  try {
    localStorage.setItem(storageName(title), writeJson({ ...savedState(title), [key]: value }));
  } catch {
    // as above: the value lives as long as the page
  }
};
