// From a patch to something shown: applies frames, keeps them from outrunning React, and says what came of each.
//
// A frame is rendered in a transition, so what is on the screen stays until the new tree is whole. While one is being
// rendered the next ones are only stored; the newest is rendered when it is shown, or after a quarter of a second.

const COMMIT_PATIENCE_MS = 250;
const SECOND_LOOK_MS = 300;

interface Shown {
  rev: number;
  frame: number;
  complete: boolean;
  at: number;
}

let root: Any = null;
let adopted: unknown = undefined;
let latest: Shown | null = null;
let renderQueued = false;
let renderingSince = 0;

const coreReady = () => CORE.every((name) => entries[name]?.state === "ready");

const takeFrame = (message: Dict) => {
  latest = { rev: Number(message.rev), frame: Number(message.frame), complete: message.complete === true, at: now() };
  if (!applyStyle(message)) return askRemount("a patch of the style sheet does not fit");
  if (kind === "tsx") {
    if (!applyCells(message)) return askRemount("a patch of a cell does not fit");
    return scheduleRender();
  }
  const patch = typeof own(message, "insert") === "string" ? message : null;
  takeText(patch);
};

/** Something arrived or changed: render as soon as the render before was shown. */
const scheduleRender = () => {
  if (renderQueued || kind === "html") return;
  renderQueued = true;
  const wait = renderingSince === 0 ? 0 : COMMIT_PATIENCE_MS - (now() - renderingSince);
  if (wait <= 0) soon(renderNow);
  else setTimer(renderNow, wait);
};

const renderNow = () => {
  if (!renderQueued || latest === null || !coreReady()) {
    renderQueued = false;
    return;
  }
  renderQueued = false;
  if (latest.rev !== shown.rev || latest.frame !== shown.frame) forgetReports();
  shown = { rev: latest.rev, frame: latest.frame, complete: latest.complete };
  renderingSince = now();
  version += 1;
  resetGuards();
  retryBoundaries();
  hasNews = false;
  if (kind === "tsx") evaluateChanged();
  tryNewest();
  const R = react();
  root ??= entries["react-dom/client"].module.createRoot(mountPoint(), { onCaughtError() {}, onRecoverableError() {} });
  const what = latest;
  R.startTransition(() => {
    root.render(create(rootBoundary(), null, create(R.Suspense, { fallback: null }, content(), create(committer(), { what, version }))));
    for (const guard of guards) guard.forceUpdate();
  });
};

/** What the artifact shows: its default export, or what it mounted itself. */
const content = (): unknown => {
  if (kind !== "tsx") return textContent();
  let exported = scope.$default;
  // `export default memo(App)`: nothing is given to what is shown, and App was shown before this line was written.
  while (exported?.$$typeof === Symbol.for("react.memo")) exported = exported.type;
  if (exported === undefined || exported === null) return adopted ?? null;
  if (react().isValidElement(exported)) return exported;
  const standIn = typeof exported === "function" ? standIns.get(exported) : undefined;
  return create(standIn ? standInComponent(standIn) : exported);
};

let Boundary: Any = null;
const rootBoundary = () =>
  (Boundary ??= class RootBoundary extends react().Component {
    state = { error: null as unknown, version: 0 };
    static getDerivedStateFromError(error: unknown) {
      if (!blamed.has(error)) fallBackAll(error);
      return { error: { thrown: error }, version };
    }
    static getDerivedStateFromProps(_: unknown, state: Any) {
      return state.error && state.version !== version ? { error: null } : null;
    }
    componentDidCatch(error: unknown, info: Any) {
      tellOfRender(error, below(info?.componentStack, "RootBoundary"));
      renderShown();
    }
    render() {
      const error: Any = this.state.error;
      if (!error) return this.props.children;
      return isSettled() ? create(ErrorBox, { name: "This interface failed.", error: error.thrown }) : create(Skeleton);
    }
  });

let Committer: Any = null;
const committer = () =>
  (Committer ??= ({ what, version: shownVersion }: Any) => {
    react().useLayoutEffect(() => {
      keepShown();
      rendersCommitted();
      soon(() => tellRendered(what));
      renderShown();
    }, [shownVersion]);
    return null;
  });

const renderShown = () => {
  renderingSince = 0;
  if (!renderQueued) return;
  soon(renderNow);
};

/** An import arrived. Whatever waited for it runs and renders again. */
const importSettled = (_specifier: string) => {
  if (latest !== null) scheduleRender();
};

let secondLook = 0;

const tellRendered = (what: Shown) => {
  const ms = Math.round(now() - what.at);
  const tell = () => {
    const { width, height } = measure();
    const fields = dict();
    Object.assign(fields, { rev: what.rev, frame: what.frame, ms, blank: isBlank(), width, height, pending: pendingCount });
    send("rendered", fields);
    return fields.blank as boolean;
  };
  clearTimer(secondLook);
  watchSize();
  tellSize();
  lookAtLayout(what);
  // Content that comes by an effect or a font is not there at first sight.
  if (tell()) secondLook = setTimer(() => latest?.frame === what.frame && latest.rev === what.rev && tell(), SECOND_LOOK_MS);
};

let remountAsked = false;
const askRemount = (reason: string) => {
  if (remountAsked) return;
  remountAsked = true;
  sendWhatWaits();
  const fields = dict();
  fields.reason = reason;
  send("remount", fields);
};
