// The start, and what each message of the host does.

const start = (message: Dict) => {
  const given = own(message, "kind");
  kind = given === "html" || given === "svg" || given === "markdown" ? given : "tsx";
  const locale = own(message, "locale");
  if (typeof locale === "string" && locale) D.documentElement.lang = locale;
  applyState(own(message, "state"));
  applyTheme(own(message, "theme"));
  toldReady = true;
  send("ready");
  watchSize();
};

const teardown = () => {
  closePort();
  root?.unmount();
  D.documentElement?.replaceChildren();
};

const handlers: Dict<(message: Dict) => void> = Object.assign(dict(), {
  init: (message: Dict) => void (toldReady || start(message)),
  imports: (message: Dict) => applyImports(own(message, "imports") ?? {}),
  frame: takeFrame,
  theme: (message: Dict) => applyTheme(own(message, "theme")),
  state: (message: Dict) => applyState(own(message, "state") ?? { [String(own(message, "key"))]: own(message, "value") }),
  result: applyResult,
  ping: (message: Dict) => {
    const fields = dict();
    fields.id = own(message, "id");
    fields.elements = countElements();
    send("pong", fields);
  },
  teardown,
});

/** Every message in a task of its own, which is never the port's. */
function handle(message: Dict) {
  const handler = handlers[String(own(message, "type"))];
  if (!handler) return;
  try {
    handler(message);
  } catch (error) {
    report("module", error);
  }
}

/** A page of its own has a real origin, real storage and real links; it only has no host. */
if (startOfPage) {
  startAlone(startOfPage);
} else {
  captureConsole();
  installStorage();
  installHistory();
  installDialogs();
  installWorkers();
  installLeaving();
  listenForLeaving();
  listenForFragments();
  listen(W, "message", boot, true);
}
installGlobals();
listenForErrors();
D.currentScript?.remove();
