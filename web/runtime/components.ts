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

const component = (name: string, signature: string, fn: Any): Any => {
  const old = components[name];
  if (old && old.shape.signature === signature) {
    old.shape.current = fn;
    return old.proxy;
  }
  const it: Component = old ?? { name, cell: current?.cell ?? name, proxy: null, shape: null as Any, before: null };
  if (!old) {
    const Guard = makeGuard(it);
    it.proxy = (props: unknown, ref: unknown) => create(Guard, { given: props, ref2: ref });
    define(it.proxy, "name", { value: name, configurable: true });
    unnamed.add(it.proxy);
    components[name] = it;
  } else if (old.shape.good !== null) {
    it.before = old.shape;
  }
  it.shape = makeShape(name, signature, fn, it);
  return it.proxy;
};

const makeShape = (name: string, signature: string, fn: Any, it: Component): Shape => {
  const Inner = ({ given, ref2 }: Any) => {
    renderGuard(name);
    const ran = shape.current;
    const around = renderedNow;
    renderedNow = it;
    try {
      const shownElement = ran(given, ref2);
      shape.running = ran;
      renderedNow = around;
      return shownElement;
    } catch (error) {
      renderedNow = around;
      if (!isSuspense(error) && it.shape === shape) fallBack(it, error);
      throw error;
    }
  };
  define(Inner, "name", { value: name, configurable: true });
  unnamed.add(Inner);
  const shape: Shape = { signature, Inner, current: fn, running: null, good: null };
  return shape;
};

/** Puts the last shown function back, for the retry. The new one is tried again at the next frame. */
const fallBack = (it: Component, error: unknown) => {
  const { shape, before } = it;
  if (shape.good !== null && shape.good !== shape.current) {
    shape.current = shape.good;
  } else if (shape.good === null && before !== null) {
    it.shape = before;
    it.before = null;
    before.current = before.good;
  } else {
    return;
  }
  report("render", error, { stack: nameIn(it) });
};

/** The component whose function runs now. */
let renderedNow: Component | null = null;

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
      fallBack(it, error);
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
      report("render", error, { stack: below(info?.componentStack, it.name) + stackOf(this._reactInternals) });
    }
    render() {
      guarded.set(this, it);
      const error: Any = this.state.error;
      if (!this.depth) depthGuard(it.name, (this.depth = depthOf(this)));
      if (!error) return create(it.shape.Inner, this.props);
      if (error.thrown instanceof Pending || !shown.complete) return create(Skeleton);
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

const renderable = (child: unknown): unknown => {
  if (Array.isArray(child)) return child.map(renderable);
  return typeof child === "string" || typeof child === "number" || react().isValidElement(child) ? child : null;
};

const spread = (children: unknown) => create(react().Fragment, null, ...[renderable(children)].flat());

function Skeleton({ children }: Any = {}) {
  const inner = children === undefined ? null : renderable(children);
  return inner ? spread(children) : create("span", { className: "ui4a-skeleton", "aria-hidden": true });
}

function StubBox({ name, children }: Any) {
  return create("span", { className: "ui4a-stub", title: `${name} is not available` }, name, children === undefined ? null : spread(children));
}

function ErrorBox({ name, error, again }: Any) {
  return create(
    "div",
    { className: "ui4a-error", role: "alert" },
    create("strong", null, name),
    " ",
    readable(messageOf(error)),
    again ? create("button", { type: "button", onClick: again }, "Try again") : null,
  );
}

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
  if (!shown.complete || pendingCount > 0) return Skeleton;
  report("render", new Error("An element's component is undefined: it is neither imported nor defined"));
  return UnknownComponent;
};
