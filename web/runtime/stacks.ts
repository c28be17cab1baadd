// Which components stand around a place in React's tree, innermost first, and the cells that they were written in.
//
// React's own component stack names the runtime's stand-ins and the addresses of bundles; this one names what the model
// wrote. Reads React's fibers, writes nothing, and says nothing when they are not what is expected.

const STACK_LINES = 30;
/** The component that each guard stands around, and what of the runtime's own is not told. */
const guarded = new WeakMap<object, Any>();
const unnamed = new WeakSet<object>();

/** The fiber of an element that React made. */
const fiberOf = (node: Any): Any => {
  for (let at = node; at; at = at.parentNode) {
    for (const key in at) if (key.startsWith("__reactFiber$")) return at[key];
  }
  return null;
};

/** The cell that holds a class, or whatever else is no function component of the artifact. */
const cellOfType = (type: unknown): string => {
  for (const name in scope) if (scope[name] === type && texts[name] !== undefined) return name;
  return "";
};

interface StackEntry {
  name: string;
  cell: string;
}

const entryOfFiber = (fiber: Any): StackEntry | null => {
  const type = fiber.type;
  const own = fiber.stateNode ? guarded.get(fiber.stateNode) : undefined;
  if (own) return { name: own.name.split("$")[0] || "default", cell: own.cell };
  if (typeof type === "string") return { name: type, cell: "" };
  if (type === null || type === undefined || unnamed.has(type)) return null;
  const name = type.displayName || type.name || type.render?.name || type.type?.name;
  return typeof name === "string" && name ? { name: name.slice(0, 80), cell: typeof type === "function" ? cellOfType(type) : "" } : null;
};

/** One `at Name` a line; those of the artifact with their cell. */
const stackOf = (from: Any): string => {
  const lines: string[] = [];
  try {
    for (let fiber = from; fiber && lines.length < STACK_LINES; fiber = fiber.return) {
      const entry = entryOfFiber(fiber);
      if (!entry) continue;
      const line = entry.cell ? `at ${entry.name} (${CELL_URL}${encodeURIComponent(entry.cell)})` : `at ${entry.name}`;
      // A component that is exported wrapped shows twice.
      if (line !== lines.at(-1)) lines.push(line);
    }
  } catch {
    // a tree that is being torn down
  }
  return lines.join("\n");
};

/** What React's own stack names below a component of the artifact: libraries, elements, classes. */
const below = (stack: unknown, name: string): string => {
  const lines = typeof stack === "string" ? stack.split("\n").map((line) => line.trim()).filter(Boolean) : [];
  const end = lines.findIndex((line) => /^at Guard\b/.test(line) || line === `at ${name}` || line.startsWith(`at ${name} `));
  return lines
    .slice(0, end < 0 ? 0 : Math.min(end, 10))
    .map((line) => `${line.slice(0, 300)}\n`)
    .join("");
};

/** The nearest component of the artifact. */
const ownerOf = (node: Any): StackEntry | null => {
  for (let fiber = fiberOf(node); fiber; fiber = fiber.return) {
    const entry = entryOfFiber(fiber);
    if (entry?.cell) return entry;
  }
  return null;
};

/** What a person does last: an error that a handler throws is told with the components around its element. */
let handled: EventTarget | null = null;
const HANDLED = ["click", "dblclick", "input", "change", "submit", "keydown", "keyup", "pointerdown", "pointerup", "mousedown", "mouseup", "focusin", "focusout", "drop"];

const noteHandled = (event: Event) => {
  handled = event.composedPath()[0] ?? null;
  soon(() => {
    handled = null;
  });
};

const listenForHandled = () => {
  for (const type of HANDLED) listen(W, type, noteHandled, true);
};
