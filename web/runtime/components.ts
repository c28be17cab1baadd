// Components that keep their state while their code changes: `$c(name, signature, fn)`.
//
// Owns the stable stand-in for each component of the artifact, the boundary around it, and what it falls back to. A
// component is three fibers: the stand-in (its identity, for ever), a guard (catches, and renders again at each frame), and
// the inner one, which runs the newest function and holds its hooks; other hooks need another inner one, which starts
// afresh. A function that throws is replaced, in React's own retry, by the last one that was shown, so a bad frame loses no
// state.

/** One hook signature of a component: what React sees as a type of its own. */
interface Shape {
  signature: string;
  Inner: Any;
  /** The newest function. */
  newest: Any;
  /** The function that runs: the newest, or the last that was shown while the newest fails. */
  current: Any;
  /** What ran in the render that is under way. */
  running: Any;
  /** What ran in the last render that was shown. */
  good: Any;
}

interface Component {
  name: string;
  /** The cell that it was defined in. */
  cell: string;
  proxy: Any;
  /** The newest shape. */
  newest: Shape;
  /** The shape that is rendered: the newest, or the last that was shown while the newest fails. */
  shape: Shape;
  /** The shape that was shown before this one, as long as this one has not been. */
  before: Shape | null;
}

let components: Dict<Component> = dict();
const guards = new Set<Any>();
/** Counts what may change what components show: frames, and imports that arrive. */
let version = 0;

const react = (): Any => {
  const module = entries.react?.module;
  return module?.useState ? module : module?.default;
};
const create = (...parts: unknown[]): Any => react().createElement(...parts);

const isSuspense = (error: Any) => typeof error?.then === "function" || /Suspense Exception/.test(error?.message ?? "");

/** Components that are still being written, or that name something that is. */
let unfinished: string[] = [];

/** `$c(name, signature, function)`; `$c([…names])` says which components are not whole yet. */
const component = (name: Any, signature: string, fn: Any): Any => {
  if (Array.isArray(name)) return void (unfinished = name);
  const old = components[name];
  if (old && old.newest.signature === signature) {
    old.newest.newest = old.newest.current = fn;
    return old.proxy;
  }
  const it: Component = old ?? { name, cell: current?.cell ?? name, proxy: null, newest: null as Any, shape: null as Any, before: null };
  if (!old) {
    const Guard = makeGuard(it);
    it.proxy = (props: unknown, ref: unknown) => create(Guard, { given: props, ref2: ref });
    define(it.proxy, "name", { value: name, configurable: true });
    unnamed.add(it.proxy);
    proxies.add(it.proxy);
    components[name] = it;
  } else if (old.shape.good !== null) {
    it.before = old.shape;
  }
  it.newest = it.shape = makeShape(name, signature, fn, it);
  return it.proxy;
};

/** The component whose function runs now. */
let renderedNow: Component | null = null;

/**
 * Whether effects must wait: an effect that runs while the rest of its component is still to come finds refs without their
 * elements, and names without their values, and would never run again. So does one that runs before what was imported for
 * its deeds alone, as adapters and plugins are; one that ran (`ran`) before such an import was written is not run twice.
 */
const effectsWait = (ran: boolean) =>
  renderedNow !== null && ((!shown.complete && unfinished.includes(renderedNow.name)) || (!ran && hasPendingDeeds()));

const makeShape = (name: string, signature: string, fn: Any, it: Component): Shape => {
  const Inner = ({ given, ref2 }: Any) => {
    renderGuard(name);
    const ran = shape.current;
    const around = renderedNow;
    renderedNow = it;
    try {
      const shownElement = ran(given, ref2);
      shape.running = ran;
      return shownElement;
    } catch (error) {
      if (!isSuspense(error) && it.shape === shape) {
        blamed.add(error);
        fallBack(it, error);
      }
      throw error;
    } finally {
      renderedNow = around;
    }
  };
  define(Inner, "name", { value: name, configurable: true });
  unnamed.add(Inner);
  const shape: Shape = { signature, Inner, newest: fn, current: fn, running: null, good: null };
  return shape;
};

/** Errors that a component's own function threw. */
const blamed = {
  errors: new WeakSet<object>(),
  add(error: unknown) {
    if (error !== null && typeof error === "object") this.errors.add(error);
  },
  has(error: unknown) {
    return error !== null && typeof error === "object" && this.errors.has(error);
  },
};

/** Whether the module is whole and all that it imports is there, or known to be missing. */
const isSettled = () => shown.complete && pendingCount === 0 && !hasNews;

/** What is wrong with an unfinished module is not a mistake: it is told of the whole one, which is tried again then. */
const tellOfRender = (error: unknown, stack: string | undefined) => {
  if (isSettled()) report("render", error, { stack });
};

/**
 * Puts the last shown function back, for React's own retry. The new one is tried again at the next frame. False when there is
 * none to go back to.
 */
const fallBack = (it: Component, error: unknown): boolean => {
  const { shape, before } = it;
  if (shape.good !== null && shape.good !== shape.current) {
    shape.current = shape.good;
  } else if (shape.good === null && before !== null) {
    it.shape = before;
    it.before = null;
    before.current = before.good;
  } else {
    return false;
  }
  tellOfRender(error, nameIn(it));
  return true;
};

/** An element failed that no component of the artifact is: whatever changed in this frame goes back. */
const fallBackAll = (error: unknown): boolean => {
  let any = false;
  for (const name in components) any = fallBack(components[name], error) || any;
  return any;
};

/** The newest of everything is tried again, at each frame. */
const tryNewest = () => {
  for (const name in components) {
    const it = components[name];
    if (it.shape !== it.newest) {
      it.before = it.shape.good === null ? null : it.shape;
      it.shape = it.newest;
    }
    it.shape.current = it.shape.newest;
  }
};

/** A component as a line of a stack. */
const nameIn = ({ name, cell }: Component) => `at ${name.split("$")[0]} (${CELL_URL}${encodeURIComponent(cell)})`;

/** How many guards are around this one. A look at React's own tree, once a mount: a context would cost a fiber each. */
const depthOf = (guard: Any): number => {
  for (let fiber = guard._reactInternals?.return; fiber; fiber = fiber.return) {
    if (fiber.stateNode?.depth > 0) return fiber.stateNode.depth + 1;
  }
  return 1;
};

const makeGuard = (it: Component) => {
  const R = react();
  return class Guard extends R.Component {
    state = { error: null as unknown, version: 0 };
    depth = 0;
    static getDerivedStateFromError(error: unknown) {
      if (!fallBack(it, error) && !blamed.has(error)) fallBackAll(error);
      return { error: { thrown: error }, version };
    }
    static getDerivedStateFromProps(_: unknown, state: Any) {
      return state.error && state.version !== version ? { error: null } : null;
    }
    componentDidMount() {
      guards.add(this);
    }
    componentWillUnmount() {
      guards.delete(this);
    }
    componentDidCatch(error: unknown, info: Any) {
      tellOfRender(error, below(info?.componentStack, it.name) + stackOf(this._reactInternals));
    }
    render() {
      guarded.set(this, it);
      const error: Any = this.state.error;
      if (!this.depth) depthGuard(it.name, (this.depth = depthOf(this)));
      if (!error) return create(it.shape.Inner, this.props);
      if (error.thrown instanceof Pending || !isSettled()) return create(Skeleton);
      if (hasBoundary(this)) throw error.thrown;
      return create(ErrorBox, { name: it.name.split("$")[0], error: error.thrown, again: () => this.setState({ error: null }) });
    }
  };
};

/** The frame was shown: what ran in it is good. */
const keepShown = () => {
  for (const name in components) {
    const it = components[name];
    if (it.shape.running === null) continue;
    it.shape.good = it.shape.running;
    it.before = null;
  }
};

/** Elements and lists that were a component's only child. */
const onlyChildren = new WeakSet<object>();
/** Lists of children as they are written, one beside the other. All other lists were made by an expression. */
const writtenLists = new WeakSet<object>();
const proxies = new WeakSet<object>();

const CONTEXT = /^react\.(context|provider|consumer)$/;

/**
 * React finds a child again by its place among the others. What is one child now stands in a list when a second one is
 * written, and what an expression lists stands in a list of lists: both would be mounted again. So whatever may get company
 * is put where it would stand then.
 *
 * `<ul>{items.map(…)}</ul>` is `<ul>` with a list in a list, and `{children}` beside other children is a list, of one if need
 * be. A component of the artifact gets its children as it expects them; those of libraries take lists in lists.
 */
const placeChildren = (type: Any, props: Any, many: boolean) => {
  const given = props?.children;
  if (given === null || typeof given !== "object") return;
  if (many && Array.isArray(given)) {
    if (given.some((child) => onlyChildren.has(child))) props.children = given.map((child) => (onlyChildren.has(child) ? [child] : child));
    writtenLists.add(props.children);
    return;
  }
  const listed = Array.isArray(given) && !writtenLists.has(given);
  const isPlain = typeof type === "string" || typeof type === "symbol" || CONTEXT.test(type?.$$typeof?.description ?? "");
  if (!isPlain) onlyChildren.add(given);
  if (listed && !proxies.has(type)) writtenLists.add((props.children = [given]));
};

const renderable = (child: unknown): unknown => {
  if (Array.isArray(child)) return child.map(renderable);
  return typeof child === "string" || typeof child === "number" || react().isValidElement(child) ? child : null;
};

const spread = (children: unknown) => create(react().Fragment, null, ...[renderable(children)].flat());

/** Whether an instance stands in a document. Other renderers (of scenes, of canvases) know no `<span>`. */
const isInDocument = (instance: Any): boolean => {
  let fiber = instance._reactInternals;
  while (fiber?.return) fiber = fiber.return;
  const { nodeType } = fiber?.stateNode?.containerInfo ?? {};
  return nodeType === undefined ? false : nodeType === 1 || nodeType === 9 || nodeType === 11;
};

const documentOnly = new Map<(props: Any) => unknown, Any>();

/** A component that shows what `show` makes, in documents, and nothing elsewhere. */
const inDocument = (show: (props: Any) => unknown): Any => {
  if (!documentOnly.has(show)) {
    const It = class extends react().Component {
      render() {
        return isInDocument(this) ? show(this.props) : null;
      }
    };
    define(It, "name", { value: show.name });
    unnamed.add(It);
    documentOnly.set(show, It);
  }
  return documentOnly.get(show);
};

/**
 * Stands where something is still on its way. It holds back what stands inside: shown without what is around it, that would
 * be mounted again, and lose what was typed, when the rest comes.
 */
function Skeleton() {
  return create(inDocument(skeleton));
}
const skeleton = () => create("span", { className: "ui4a-skeleton", "aria-hidden": true });

function StubBox({ name, children }: Any) {
  return create(inDocument(stubBox), { name }, children === undefined ? null : spread(children));
}
const stubBox = ({ name, children }: Any) => create("span", { className: "ui4a-stub", title: `${name} is not available` }, name, children);

function ErrorBox(props: Any) {
  return create(inDocument(errorBox), props);
}
const errorBox = ({ name, error, again }: Any) =>
  create(
    "div",
    { className: "ui4a-error", role: "alert" },
    create("strong", null, name),
    " ",
    readable(messageOf(error)),
    again ? create("button", { type: "button", onClick: again }, "Try again") : null,
  );

const standInComponents = new Map<string, Any>();

const standInComponent = ({ kind, specifier, path }: StandIn): Any => {
  const key = `${kind} ${specifier} ${path}`;
  if (!standInComponents.has(key)) {
    standInComponents.set(key, kind === "pending" ? Skeleton : ({ children }: Any) => create(StubBox, { name: path }, children));
  }
  return standInComponents.get(key);
};

const UnknownComponent = ({ children }: Any) => create(StubBox, { name: "unknown component" }, children);

/** For an element whose type is undefined: its definition may still be on its way. */
const missingComponent = () => {
  if (!isSettled()) return Skeleton;
  report("render", new Error("An element's component is undefined: it is neither imported nor defined"));
  return UnknownComponent;
};
