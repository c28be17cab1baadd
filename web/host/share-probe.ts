// A worker that does nothing but read the clock, to learn what share of a processor it is given: whenever two readings lie
// far apart, it was not running. Lives only while a frame is in doubt.

const WINDOW_MS = 100;
/** Two readings lie microseconds apart; the clock itself moves in tenths of a millisecond. */
const PAUSE_MS = 1;

const measure = (): void => {
  const from = performance.now();
  let before = from;
  let away = 0;
  while (before - from < WINDOW_MS) {
    const now = performance.now();
    if (now - before > PAUSE_MS) away += now - before;
    before = now;
  }
  postMessage(1 - away / (before - from));
  setTimeout(measure, WINDOW_MS);
};

measure();
