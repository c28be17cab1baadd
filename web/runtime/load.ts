// How many elements the artifact holds. The host stops a frame that holds too many; this says so before it does. Memory is
// the browser's to limit: it tells a page its heap once in twenty minutes, and ends a process that takes too much.

/** No interface that a person can read has this many. */
const ELEMENTS_TOO_MANY = 20_000;
const elementsOf = uncurry(Document.prototype.getElementsByTagName);
const lengthOf = uncurry(accessor(HTMLCollection.prototype, "length").get);
let allElements: Any = null;
let toldTooMany = "";

const countElements = (): number => {
  allElements ??= elementsOf(D, "*");
  const count = lengthOf(allElements);
  const frame = `${shown.rev} ${shown.frame}`;
  if (count > ELEMENTS_TOO_MANY && toldTooMany !== frame) {
    toldTooMany = frame;
    report("handler", new Error(`The page holds ${count} elements and goes on growing: show fewer at a time`), { code: "too-many-elements" });
  }
  return count;
};
