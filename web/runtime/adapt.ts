// Changes to a few modules before model code sees them. The modules themselves stay as they are, and what packages import
// from one another is untouched.

/** Replacements for the exports of `specifier`, by name. */
const adapt = (specifier: string, module: Any): Dict => {
  switch (specifier) {
    case "react": {
      const changed = Object.assign(dict(), reactChanges(module));
      if (module.default) changed.default = Object.assign(Object.create(module.default), changed);
      return changed;
    }
    case "react/jsx-runtime":
    case "react/jsx-dev-runtime":
      return Object.assign(dict(), jsxChanges(module));
    case "react-dom/client":
      return withDefault(module, { createRoot: adoptRoot(module.createRoot) });
    case "react-router-dom":
    case "react-router":
      return withDefault(module, routerChanges(module));
    default:
      return dict();
  }
};

const withDefault = (module: Any, changes: Dict): Dict => {
  const changed = Object.assign(dict(), changes);
  if (module.default && typeof module.default === "object") changed.default = Object.assign(Object.create(module.default), changes);
  return changed;
};

const reactChanges = (R: Any): Dict => {
  const make = substituting(R.createElement);
  const createElement = (type: Any, props?: Any, ...children: unknown[]) => {
    const key = boundaryKey(type, props?.key);
    return make(type, key === props?.key ? props : { ...props, key }, ...children);
  };
  const changes: Dict = { createElement };
  for (const name of ["useEffect", "useLayoutEffect", "useInsertionEffect"]) {
    changes[name] = (effect: Any, dependencies?: unknown) => {
      const box = R.useRef(null) as { current: WaitingBox | null };
      box.current ??= { since: 0, runs: 0, stopped: -1, stack: renderedNow ? nameIn(renderedNow) : "", pending: false, ran: false, turn: 0 };
      if (box.current.pending) box.current.turn = version;
      const waits = effectsWait(box.current.ran);
      const run = () => (waits ? undefined : runEffect(effect, box.current!));
      return R[name](run, Array.isArray(dependencies) ? [...dependencies, waits, box.current.turn] : dependencies);
    };
  }
  return changes;
};

interface WaitingBox extends EffectBox {
  /** It looked at an import that was not there yet: it runs again at the next frame. */
  pending: boolean;
  ran: boolean;
  /** The frame for which it runs again. */
  turn: number;
}

let runningEffect: WaitingBox | null = null;

awaited = () => {
  if (runningEffect) runningEffect.pending = true;
};

/** An effect that throws would remove the whole tree: its error is told, and the tree stays. */
const runEffect = (effect: Any, box: WaitingBox) => {
  if (!effectMayRun(box)) return undefined;
  const { stack } = box;
  box.pending = false;
  box.ran = true;
  const around = runningEffect;
  runningEffect = box;
  try {
    const cleanup = effect();
    // `useEffect(async () => …)`: a promise is no cleanup.
    if (typeof cleanup !== "function") return undefined;
    return () => {
      try {
        cleanup();
      } catch (error) {
        report("effect", error, { stack });
      }
    };
  } catch (error) {
    report("effect", error, { stack });
    return undefined;
  } finally {
    runningEffect = around;
  }
};

const jsxChanges = (runtime: Any): Dict => {
  const changes: Dict = {};
  for (const name of ["jsx", "jsxs", "jsxDEV"]) {
    if (!runtime[name]) continue;
    const make = substituting(runtime[name]);
    changes[name] = (type: Any, props: Any, key: unknown, ...rest: unknown[]) => {
      placeChildren(type, props, name === "jsxs" || rest[0] === true);
      return make(type, props, boundaryKey(type, key), ...rest);
    };
  }
  return changes;
};

/** Elements of stand-ins become elements of components that show them. */
const substituting =
  (make: Any) =>
  (type: Any, props?: unknown, ...rest: unknown[]) => {
    if (typeof type === "function") {
      const standIn = standIns.get(type);
      if (standIn) type = standInComponent(standIn);
      else watchBoundary(type);
    } else if (type === undefined || type === null) {
      type = missingComponent();
    }
    return make(type, withOwnAddresses(type, props), ...rest);
  };

/** A module that mounts itself, as an entry file does: what it mounts becomes what is shown. */
const adoptRoot = (create: Any) => (container: Any, options?: unknown) => {
  if (container && container !== mountPoint()) return create(container, options);
  return {
    render: (element: unknown) => {
      adopted = element;
      scheduleRender();
    },
    unmount: () => {},
  };
};

/** The frame has no address of its own, so routers keep theirs in memory. */
const routerChanges = (router: Any): Dict => {
  const changes: Dict = {};
  if (router.MemoryRouter) {
    const InMemory = ({ basename, children }: Any) => react().createElement(router.MemoryRouter, { basename }, children);
    for (const name of ["BrowserRouter", "HashRouter"]) changes[name] = InMemory;
  }
  if (router.createMemoryRouter) {
    for (const name of ["createBrowserRouter", "createHashRouter"]) {
      changes[name] = (routes: unknown, options: Any) => router.createMemoryRouter(routes, { basename: options?.basename });
    }
  }
  return changes;
};
