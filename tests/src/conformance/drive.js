// Streams an artifact into a frame as the page does, with the page's own `FrameHost`: one patch after another, each when the
// one before was shown. Runs in a page of the server's main origin.
globalThis.__conformance = (() => {
  const CORE = ["react", "react/jsx-runtime", "react-dom/client"];
  const SHOWN_MS = 4000;
  let host = null;
  let stage = null;
  const told = { rendered: [], errors: [], logs: [], left: 0, frozen: 0, frames: 0 };

  const clear = () => Object.assign(told, { rendered: [], errors: [], logs: [], left: 0, frozen: 0, frames: 0 });

  const until = async (holds, most) => {
    const end = performance.now() + most;
    while (!holds()) {
      if (performance.now() > end) return false;
      await new Promise((resolve) => {
        const channel = new MessageChannel();
        channel.port1.onmessage = resolve;
        channel.port2.postMessage(0);
      });
    }
    return true;
  };

  const begin = async ({ sandbox, kind, name, state }) => {
    const { FrameHost } = await import("/assets/host/frame-host.js");
    document.body.replaceChildren();
    stage = document.createElement("div");
    stage.style.cssText = "position:fixed;inset:0 auto auto 0;width:900px;height:800px;overflow:auto;background:#fff";
    document.body.append(stage);
    clear();
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const node of addedNodes) if (node.nodeName === "IFRAME") told.frames += 1;
    }).observe(stage, { childList: true });
    let ready = false;
    host = new FrameHost({
      container: stage,
      sandbox,
      artifact: name,
      kind,
      theme: "light",
      state,
      on: {
        ready: () => (ready = true),
        rendered: (message) => told.rendered.push(message),
        error: (message) => told.errors.push(message),
        log: (message) => told.logs.push(message),
        call: () => Promise.resolve(null),
        state: () => {},
        action: () => {},
        left: () => (told.left += 1),
        frozen: () => (told.frozen += 1),
      },
    });
    host.mount();
    if (!(await until(() => ready, 20000))) throw new Error("the frame is not ready");
  };

  const shown = (frame, most) => until(() => told.rendered.some((message) => message.frame >= frame), most);
  const nothingPending = () => (told.rendered.at(-1)?.pending ?? 0) === 0;

  const settle = async (kind, frame) => {
    const late = !(await shown(frame, 20000));
    if (kind === "tsx") await until(nothingPending, 20000);
    // What a first effect, a timer of some milliseconds or a lazy part brings.
    await new Promise((resolve) => setTimeout(resolve, 450));
    return late;
  };

  // ---- an artifact that is written in steps: `{patch, imports}` each ---------------------------------------------------
  let job = null;
  let given = new Set();
  let at = 0;
  let frame = 0;
  let late = 0;

  const give = (names) => {
    const fresh = names.filter((name) => job.imports[name] && !given.has(name));
    if (fresh.length === 0) return;
    for (const name of fresh) given.add(name);
    host.imports(Object.fromEntries(fresh.map((name) => [name, job.imports[name]])));
  };

  const start = async (next) => {
    job = next;
    given = new Set();
    at = frame = late = 0;
    await begin(job);
    if (job.kind === "tsx") give(CORE);
  };

  /** Applies the steps before `end`, each when the one before was shown. */
  const feed = async (end) => {
    for (; at < Math.min(end, job.steps.length); at += 1) {
      const { patch, imports } = job.steps[at];
      give(imports);
      const complete = at === job.steps.length - 1;
      if (!patch && !complete) continue;
      frame += 1;
      if (!host.apply({ rev: 1, frame, complete, ...(patch ?? {}) })) throw new Error(`patch ${at} does not fit`);
      if (job.kind === "tsx") late += Number(!(await shown(frame, frame === 1 ? 20000 : SHOWN_MS)));
      else await new Promise((resolve) => setTimeout(resolve, 0));
      told.rendered.splice(0, Math.max(0, told.rendered.length - 4));
    }
  };

  /** Hands over all imports before anything is written. */
  const preload = () => give(Object.keys(job.imports));

  let arrivals = [];
  /** Applies the steps that are left, each `pause` milliseconds after the one before was shown. */
  const paced = async (pause) => {
    arrivals = [];
    while (at < job.steps.length - 1) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      if (job.steps[at].patch) arrivals.push(performance.timeOrigin + performance.now());
      await feed(at + 1);
    }
  };

  const finish = async () => {
    await feed(Infinity);
    give(Object.keys(job.imports));
    if (await settle(job.kind, frame)) late += 1;
    return { late, frame };
  };

  /** The whole at once, as after a reload, or as a later revision. */
  const load = async ({ kind, whole, imports }, rev = 1) => {
    told.rendered.length = 0;
    host.imports(imports);
    host.load(whole, { rev, frame: 1, complete: true });
    return { late: Number(await settle(kind, 1)), frame: 1 };
  };

  const end = () => {
    host?.remove();
    host = null;
    stage?.remove();
  };

  const answering = (work) => {
    globalThis.__answer = null;
    work().then(
      (answer) => (globalThis.__answer = { answer: { ...answer, errors: told.errors, left: told.left, frozen: told.frozen, frames: told.frames } }),
      (error) => (globalThis.__answer = { error: String(error?.stack ?? error) }),
    );
  };
  /** Streams or loads, whichever the job is for. */
  const run = (next) =>
    answering(async () => {
      if (next.steps) {
        await start(next);
        return finish();
      }
      await begin(next);
      return load(next);
    });
  return {
    run,
    start: (next) => answering(() => start(next)),
    feed: (end) => answering(() => feed(end)),
    finish: () => answering(finish),
    preload,
    paced: (pause) => answering(() => paced(pause)),
    arrivals: () => arrivals,
    revise: (next, rev) => answering(() => load(next, rev)),
    end,
    told,
    host: () => host,
    stage: () => stage,
  };
})();
