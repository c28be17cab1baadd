// The conversation page: puts its parts together. Holds the session, its model and its stream; decides nothing else.

import { api, ApiError } from "./api.js";
import type { Card } from "./card.js";
import { Composer } from "./composer.js";
import { Conversation, emptyState } from "./conversation.js";
import { el, required, setText } from "./dom.js";
import { isOutside, Model, status } from "./model.js";
import { askForFix, describe, handlersFor, outbox, sendReport } from "./page-host.js";
import { Side } from "./sessions.js";
import { type Link, Stream } from "./stream.js";
import { themeButton } from "./theme.js";

/** This page's name for itself, while it is open. */
const PAGE = crypto.randomUUID();
const model = new Model();
const side = new Side();
const list = required<HTMLElement>("#turns");
const banner = required<HTMLElement>("#banner");
const announcer = required<HTMLElement>("#announcer");
const heading = required<HTMLElement>("#session-title");
let session = document.body.dataset["session"] ?? "";
let large: Card | undefined;
let sending = false;
let loading = session !== "";

const conversation = new Conversation(
  model,
  { list, scroller: required("#scroller"), jump: required("#jump") },
  {
    sandbox: document.body.dataset["sandbox"] ?? "",
    exportable: true,
    handlers: handlersFor,
    report: sendReport,
    mend: ({ artifact }) => ({
      stop: () => api.cancel(session),
      again: () => api.repair(artifact.id),
      goOn: () => api.goOn(artifact.id),
    }),
    fix: async (card, text) => {
      // What a turn wrote is mended with its evidence; where there is none, and elsewhere, words say it.
      const words = (): Promise<void> => askForFix(card, text);
      await (isOutside(card.current) ? words() : api.repair(card.artifact.id).catch(words));
    },
    isEcho: (card, key, value) => outbox(card).isEcho(key, value),
    enlarged: (card) => {
      if (card && large && large !== card) large.enlarge(false);
      large = card;
      document.body.dataset["large"] = card ? "yes" : "no";
    },
  },
  (text) => void composer.send(text),
);

const composer = new Composer({
  send: async (text) => {
    sending = true;
    showEmpty();
    try {
      if (session === "") await begin();
      await api.send(session, text);
      refresh();
    } finally {
      sending = false;
    }
    conversation.follow();
  },
  stop: async () => {
    await api.cancel(session);
  },
});

required("#theme").append(themeButton());
model.subscribe((change) => {
  if (change.type === "turn" || change.type === "queue") settle();
  if (change.type === "turn" && change.turn.state !== "running") void refresh();
  if (change.type === "artifact" && change.revision.closed) {
    setText(announcer, `${change.revision.title || "The interface"}: ${status(model, change.artifact)}`);
  }
});

document.addEventListener("visibilitychange", present);
void open();

async function open(): Promise<void> {
  void side.refresh(session);
  showEmpty();
  if (session === "") return composer.focus();
  try {
    const { title, head } = await api.session(session);
    named(title);
    connect(head);
  } catch (error) {
    say(error instanceof ApiError ? error.message : String(error));
  }
}

/** Makes the session that the first message needs. */
async function begin(): Promise<void> {
  const made = await api.createSession();
  session = made.id;
  document.body.dataset["session"] = session;
  history.replaceState(null, "", `/sessions/${encodeURIComponent(session)}`);
  connect(made.head);
}

function connect(head: number): void {
  new Stream((after) => api.eventsUrl(session, after, PAGE), head, {
    event: (event, replaying) => model.apply(event, replaying),
    replayed: () => {
      loading = false;
      conversation.showAll();
      settle();
    },
    link: (link: Link) => {
      say(link === "open" ? "" : "The connection to UI4A is lost. Trying again.");
      if (link === "open") present(); // it may have gone to the background while there was none
    },
  });
}

/** Says whether this page is to be seen: who waits for a first paint is told. */
function present(): void {
  if (session !== "") void api.presence(session, PAGE, !document.hidden).catch(() => undefined); // asked again at the next change
}

function settle(): void {
  const turn = model.running;
  composer.running(turn !== undefined);
  composer.queued(model.queue.map(describe));
  showEmpty();
  document.body.dataset["running"] = turn ? "yes" : "no";
}

function showEmpty(): void {
  const shown = list.querySelector(".empty");
  const wanted = model.turns.length === 0 && !loading && !sending;
  if (wanted && !shown) list.append(emptyState((text) => void composer.send(text)));
  else if (!wanted) shown?.remove();
}

let refreshing: ReturnType<typeof setTimeout> | undefined;
function refresh(): void {
  clearTimeout(refreshing);
  refreshing = setTimeout(() => {
    void side.refresh(session);
    void api.session(session).then(({ title }) => named(title), () => undefined); // the list says what is wrong
  }, 250);
}

function named(title: string): void {
  setText(heading, title || "New session");
  document.title = title ? `${title} · UI4A` : "UI4A";
}

function say(text: string): void {
  banner.hidden = text === "";
  banner.replaceChildren(...(text ? [el("p", {}, text)] : []));
}
