// One artifact alone, inside another page. No token, no session: the page holds all it needs, and what a person does goes to
// the page around it, if that is one of those the artifact was shared with.

import { FrameHost } from "../host/frame-host.js";
import type { FrameState, Imports, Kind } from "./api.js";
import { required } from "./dom.js";
import { Notices } from "./notices.js";
import { draftOf, openLink, save } from "./page-host.js";
import { onTheme, theme } from "./theme.js";

/** What the server writes into the page: see `pages::EmbedPage`. */
interface EmbedData {
  artifact: string;
  kind: Kind;
  rev: number;
  frame: number;
  compiled: FrameState;
  imports: Imports;
  state: Record<string, unknown>;
  /** Whether it froze on the page that it was made on. */
  frozen?: boolean;
  /** Origins of the pages that may learn what is done here. */
  parents?: string[];
}

// The page around it may say which theme it has.
const wanted = new URLSearchParams(location.search).get("theme");
if (wanted === "light" || wanted === "dark") document.documentElement.dataset["theme"] = wanted;

const data = JSON.parse(required("#data").textContent ?? "") as EmbedData;
const stage = required<HTMLElement>("#stage");
const notices = new Notices();
document.body.append(notices.element);

const frame = new FrameHost({
  container: stage,
  sandbox: document.body.dataset["sandbox"] ?? "",
  artifact: data.artifact,
  kind: data.kind,
  title: document.title,
  theme: theme(),
  locale: navigator.language,
  state: data.state,
  mostHeight: 20_000,
  on: {
    action: (message) => {
      const draft = draftOf(message);
      if (draft) for (const origin of data.parents ?? []) tell({ type: "ui4a:action", artifact: data.artifact, ...draft }, origin);
    },
    open: (url, { gesture }) => openLink(notices, url, gesture),
    download: (name, file, { gesture }) => save(notices, name, file, gesture),
    frozen: () => {
      frame.remove();
      remember(true);
      ask("The interface stopped answering, so it was stopped.");
    },
  },
});
/** A page that is loaded again must not freeze again. */
const MARK = `ui4a-frozen ${data.artifact} ${data.rev}`;
if (data.frozen || remembered()) ask("This interface froze when it ran before, so it was not run again.");
else run();
onTheme((now) => frame.theme(now));

function run(): void {
  frame.imports(data.imports);
  frame.mount();
  frame.load(data.compiled, { rev: data.rev, frame: data.frame, complete: true });
}

function ask(text: string): void {
  const accept = (): void => {
    remember(false);
    run();
  };
  notices.ask({ text, confirm: "Run it", accept });
}

function remembered(): boolean {
  try {
    return localStorage.getItem(MARK) !== null;
  } catch {
    return false; // a page around this one may have had storage taken away
  }
}

function remember(frozen: boolean): void {
  try {
    if (frozen) localStorage.setItem(MARK, "1");
    else localStorage.removeItem(MARK);
  } catch {
    // as above: then it is run again when the page is
  }
}

// A height is no secret: whoever embeds the page measures it anyway.
new ResizeObserver(() => tell({ type: "ui4a:size", height: document.body.scrollHeight }, "*")).observe(document.body);

function tell(message: object, origin: string): void {
  if (parent === window) return;
  try {
    parent.postMessage(message, origin);
  } catch {
    // Not an origin: the list of the share is wrong, and nobody else may hear it.
  }
}
