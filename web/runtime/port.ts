// The channel to the host page: one port, from the one `init` that the captured parent sends.
//
// Owns the port and lets nothing else see it. In the port's own task `window.event.target` is the port, so that task does
// nothing but copy a string into a linked list (own properties only: an array's index could be a setter that model code
// put on `Array.prototype`) and wake another channel, whose task does the work.

interface Waiting {
  text: unknown;
  next: Waiting | null;
}

let port: MessagePort | null = null;
let waiting: Waiting = { __proto__: null, text: null, next: null } as Any;
let lastWaiting: Waiting = waiting;
let toldReady = false;
const wake = new MessageChannel();
const wakePort = wake.port2;

const receive = (event: MessageEvent) => {
  const text = eventData(event);
  const node = { __proto__: null, text, next: null } as Any;
  lastWaiting.next = node;
  lastWaiting = node;
  portPost(wakePort, 0);
};

setOnMessage(wake.port1, () => {
  const node = waiting.next;
  if (node === null) return;
  waiting = node;
  const text = node.text;
  node.text = null;
  const message = typeof text === "string" ? parseJson(text) : text;
  if (message !== null && typeof message === "object") handle(message);
});

const boot = (event: MessageEvent) => {
  if (port !== null || eventSource(event) !== hostWindow) return;
  const message = eventData(event);
  const given = eventPorts(event);
  if (own(message, "type") !== "init" || given.length !== 1) return;
  stopEvent(event);
  unlisten(W, "message", boot, true);
  port = given[0];
  // The first message is handled like all others: later, in another task.
  const node = { __proto__: null, text: message, next: null } as Any;
  lastWaiting.next = node;
  lastWaiting = node;
  setOnMessage(port, receive);
  portPost(wakePort, 0);
};

/** Takes messages where there is no host. */
let sendAlone: ((type: string, fields: Dict) => void) | null = null;

/** Sends one message. `fields` must hold JSON values alone. */
const send = (type: string, fields: Dict = dict()) => {
  if (port === null) return void sendAlone?.(type, fields);
  const message = dict();
  message.type = type;
  for (const key in fields) if (hasOwn(fields, key)) message[key] = fields[key];
  portPost(port, writeJson(message));
};

const closePort = () => {
  if (port === null) return;
  setOnMessage(port, null);
  portClose(port);
  port = null;
};

/** A limit: at most `burst` at once, refilled at `perSecond`. The answer is whether one more may pass. */
const bucket = (perSecond: number, burst: number) => {
  let left = burst;
  let last = now();
  return () => {
    const time = now();
    left = Math.min(burst, left + ((time - last) * perSecond) / 1000);
    last = time;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
};

/** A copy of `value` that is nothing but JSON, at most `limit` characters long. Throws when it is neither. */
const plain = (value: unknown, limit: number, what: string): Any => {
  const text = writeJson(value === undefined ? null : value);
  if (text === undefined) throw new TypeError(`${what} must be JSON`);
  if (text.length > limit) throw new RangeError(`${what} is ${text.length} characters long; at most ${limit} are sent`);
  return parseJson(text);
};
