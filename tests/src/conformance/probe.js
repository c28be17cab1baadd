// Watches a frame from before its first script: what it shows, which components it mounts, which effects run, which timers
// and listeners it holds. Put there by the browser's debugger, so the product knows nothing of it.
(() => {
  const probe = (globalThis.__probe = {});

  // ---- timers and listeners ------------------------------------------------------------------------------------------
  const intervals = new Set();
  const frames = new Set();
  const { setInterval, clearInterval, requestAnimationFrame, cancelAnimationFrame, setTimeout } = globalThis;
  globalThis.setInterval = (...args) => {
    const id = setInterval(...args);
    intervals.add(id);
    return id;
  };
  // Both names end both kinds of timer.
  globalThis.clearInterval = (id) => (intervals.delete(id), clearInterval(id));
  globalThis.clearTimeout = globalThis.clearInterval;
  globalThis.requestAnimationFrame = (run) => {
    const id = requestAnimationFrame((time) => (frames.delete(id), run(time)));
    frames.add(id);
    return id;
  };
  globalThis.cancelAnimationFrame = (id) => (frames.delete(id), cancelAnimationFrame(id));

  let listeners = [];
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  const kept = (target) => target === window || target === document || target === document.body || target === document.documentElement;
  const captures = (options) => options === true || options?.capture === true;
  const same = (type, run, options) => (one) => one.type === type && one.run === run && one.capture === captures(options);
  EventTarget.prototype.addEventListener = function (type, run, options) {
    const target = this ?? window;
    if (run && kept(target) && !options?.once && !listeners.some((one) => one.target === target && same(type, run, options)(one))) {
      const entry = { target, type, run, capture: captures(options) };
      listeners.push(entry);
      if (options?.signal) addEventListener.call(options.signal, "abort", () => (listeners = listeners.filter((one) => one !== entry)));
    }
    return addEventListener.call(target, type, run, options);
  };
  EventTarget.prototype.removeEventListener = function (type, run, options) {
    const target = this ?? window;
    listeners = listeners.filter((one) => !(one.target === target && same(type, run, options)(one)));
    return removeEventListener.call(target, type, run, options);
  };
  const { open } = Document.prototype;
  Document.prototype.open = function (...args) {
    const opened = open.apply(this, args);
    if (this === document) listeners = [];
    return opened;
  };

  // ---- what is visible -----------------------------------------------------------------------------------------------
  const GRAPHICS = "canvas,svg,img,input,button,textarea,select,video,progress,hr";
  const OWN = ".ui4a-skeleton,.ui4a-toast";
  const weigh = () => {
    if (!document.body) return 0;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
      node.nodeType === 1 && (/^(SCRIPT|STYLE|TEMPLATE|NOSCRIPT)$/i.test(node.nodeName) || node.matches(OWN)) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
    );
    let weight = 0;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      weight += node.nodeType === 3 ? node.nodeValue.trim().length : Number(node.matches(GRAPHICS));
    }
    return weight;
  };
  let most = 0;
  let empty = true;
  let small = false;
  probe.cleared = 0;
  probe.shrunk = 0;
  probe.errorsShown = 0;
  const look = () => {
    const weight = weigh();
    if (weight === 0 && !empty) probe.cleared += 1;
    empty = weight === 0;
    if (weight * 2 < most && !small) probe.shrunk += 1;
    small = weight * 2 < most;
    most = Math.max(most, weight);
    if (document.querySelector(".ui4a-error,.ui4a-stub")) probe.errorsShown += 1;
    probe.seenAt = performance.now();
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });

  // ---- components, by React's own tree -------------------------------------------------------------------------------
  const COMPONENTS = new Set([0, 1, 11, 14, 15]);
  const instances = new WeakMap();
  const counted = new WeakSet();
  let last = new Map();
  const gone = new Map();
  let ids = 0;
  let round = 0;
  probe.mounts = 0;
  probe.reshaped = [];
  probe.remounts = [];
  probe.reruns = [];

  const nameOf = (type) => type?.displayName || type?.name || nameOf2(type);
  const nameOf2 = (type) => (type?.render ? nameOf(type.render) : type?.type ? nameOf(type.type) : "?");
  const isGuard = (type) => type?.name === "Guard";
  // What the runtime shows while something is missing.
  const STAND_INS = new Set(["Skeleton", "skeleton", "StubBox", "stubBox", "ErrorBox", "errorBox", "Committer"]);

  const countEffects = (fiber, it) => {
    const lastEffect = fiber.updateQueue?.lastEffect;
    if (!lastEffect || fiber.tag === 1) return;
    let effect = lastEffect;
    let at = 0;
    do {
      effect = effect.next;
      at += 1;
      if ((effect.tag & 1) !== 0 && !counted.has(effect)) {
        counted.add(effect);
        // A mount effect of the artifact has no dependency but the hash of its own text, and whether it still waits.
        const [hash, waits, turn, ...more] = effect.deps ?? [];
        if (!/^[0-9a-f]{10}$/.test(hash) || typeof turn !== "number" || more.length > 0 || waits) continue;
        const runs = (it.effects[at] = (it.effects[at] ?? 0) + 1);
        if (runs > 1) probe.reruns.push(`${it.name} effect ${at}`);
      }
    } while (effect !== lastEffect && at < 100);
  };

  const walk = (fiber, owner, now) => {
    for (let at = fiber; at; at = at.sibling) {
      if (!COMPONENTS.has(at.tag)) {
        // What a chart library draws, it moves between its own layers; in a fresh frame, too.
        if (at.tag === 5 && /(^| )recharts-wrapper( |$)/.test(at.memoizedProps?.className)) continue;
        if (at.tag === 5 || at.tag === 6) for (let up = owner; up && up.shownAt !== round; up = up.up) up.shownAt = round;
        walk(at.child, owner, now);
        continue;
      }
      let it = instances.get(at) ?? (at.alternate ? instances.get(at.alternate) : undefined);
      const fresh = !it;
      it ??= { id: (ids += 1), name: nameOf(at.type), type: at.type, key: at.key, owner: owner?.id ?? 0, up: owner, shownAt: 0, guarded: isGuard(at.return?.type), effects: [] };
      instances.set(at, it);
      if (fresh) probe.mounts += 1;
      countEffects(at, it);
      now.set(it, true);
      walk(at.child, it, now);
    }
  };

  const slot = (it) => `${it.owner} ${it.name} ${it.key}`;
  const commit = (root) => {
    const now = new Map();
    round += 1;
    walk(root.current.child, null, now);
    for (const it of last.keys()) if (!now.has(it)) (gone.get(slot(it)) ?? gone.set(slot(it), []).get(slot(it))).push(it);
    for (const it of now.keys()) {
      if (last.has(it)) continue;
      const before = gone.get(slot(it))?.shift();
      // Nobody notices the state of what never showed anything.
      if (!before || before.shownAt === 0 || STAND_INS.has(it.name)) continue;
      // Other hooks make another component: that is what the signature is for.
      if (it.guarded && before.type !== it.type) probe.reshaped.push(it.name);
      else probe.remounts.push(it.name);
    }
    last = now;
  };
  const roots = new Map();
  globalThis.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
    supportsFiber: true,
    renderers: new Map(),
    inject: () => 1,
    onCommitFiberRoot: (_, root) => {
      probe.commits = (probe.commits ?? 0) + 1;
      if (!roots.size || roots.has(root)) (roots.set(root, true), commit(root));
    },
    onCommitFiberUnmount() {},
    onPostCommitFiberRoot(_, root) {
      // Passive effects ran after the commit; those of this tree are marked since.
      if (roots.has(root)) commit(root);
    },
    onScheduleFiberRoot() {},
    checkDCE() {},
  };

  // ---- what is there at the end --------------------------------------------------------------------------------------
  const count = (all) => {
    const counts = {};
    for (const one of all) counts[one] = (counts[one] ?? 0) + 1;
    return counts;
  };
  const nameTarget = (target) => (target === window ? "window" : target.nodeName.toLowerCase());
  probe.end = () => ({
    cleared: probe.cleared,
    shrunk: probe.shrunk,
    errorsShown: probe.errorsShown,
    mounts: probe.mounts,
    commits: probe.commits ?? 0,
    reshaped: probe.reshaped,
    remounts: probe.remounts,
    reruns: probe.reruns,
    intervals: intervals.size,
    frames: frames.size,
    listeners: count(listeners.map((one) => `${nameTarget(one.target)} ${one.type}`)),
    empty,
    tree: __tree(),
  });
  probe.live = () => ({ intervals: intervals.size, frames: frames.size, listeners: count(listeners.map((one) => `${nameTarget(one.target)} ${one.type}`)) });
})();
