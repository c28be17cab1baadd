// Error boundaries that the artifact, or a library it uses, puts around its own parts.
//
// The guard around each component stands closer to what throws than they do, so it steps aside where one of them is
// around it. A boundary keeps what it shows instead for ever; here one that caught something is mounted anew with the next
// frame, which may have mended it. What a boundary of the module itself catches was expected and goes to the console; what
// one of a library catches (a router has its own) is told like any other error.

/** Types that are watched. */
const boundaries = new WeakSet<object>();
/** Those that caught something since the last frame. */
const caught = new Set<Any>();
/** How often each was mounted anew. */
const turns = new Map<Any, number>();

const isBoundary = (type: Any): boolean =>
  typeof type === "function" &&
  Boolean(type.prototype?.isReactComponent) &&
  (typeof type.getDerivedStateFromError === "function" || typeof type.prototype.componentDidCatch === "function");

/** Whether a boundary that is none of the runtime's stands around a guard. */
const hasBoundary = (guard: Any): boolean => {
  for (let fiber = guard._reactInternals?.return; fiber; fiber = fiber.return) {
    if (boundaries.has(fiber.type)) return true;
  }
  return false;
};

/** Notices what instances of a class catch. */
const watchBoundary = (type: Any) => {
  if (boundaries.has(type) || !isBoundary(type)) return;
  boundaries.add(type);
  const proto = type.prototype;
  const own = proto.componentDidCatch;
  const value = function (this: Any, error: unknown, info: Any) {
    caught.add(type);
    if (isSettled() && !(error instanceof Pending)) {
      if (cellOfType(type)) console.error(`${type.displayName || type.name || "An error boundary"} caught: ${readable(messageOf(error))}`);
      else tellOfRender(error, below(info?.componentStack, ""));
    }
    return own?.call(this, error, info);
  };
  // A frozen class stays as it is, and mounted.
  Reflect.defineProperty(proto, "componentDidCatch", { value, configurable: true, writable: true });
};

/** With each frame, what failed is tried again. */
const retryBoundaries = () => {
  for (const type of caught) turns.set(type, (turns.get(type) ?? 0) + 1);
  caught.clear();
};

/** The key of an element: another one, and so another mount, once its boundary caught something. */
const boundaryKey = (type: Any, key: unknown): unknown => {
  const turn = turns.size > 0 ? turns.get(type) : undefined;
  return turn === undefined ? key : `${key ?? ""}~${turn}`;
};
