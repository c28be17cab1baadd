// Notes when animation frames began and when React committed, in the clock that all frames share. It keeps nothing else:
// the frame's heap is being measured.
(() => {
  const now = () => performance.timeOrigin + performance.now();
  const ticks = [];
  const commits = [];
  let watching = false;
  globalThis.__probe = {
    watchTicks: () => {
      watching = true;
      const tick = () => {
        ticks.push(now());
        requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
    },
    times: () => ({ ticks, commits }),
  };
  globalThis.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
    supportsFiber: true,
    inject: () => 1,
    onCommitFiberRoot: () => watching && commits.push(now()),
    onCommitFiberUnmount() {},
    onPostCommitFiberRoot() {},
    onScheduleFiberRoot() {},
    checkDCE() {},
  };
})();
