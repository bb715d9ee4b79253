// The connection to the server: questions with their answers, streams, and coming back when it was lost.

const VERSION = 1;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8000;

/** The server says that it cannot be done, and why. */
export class Refusal extends Error {}

/** The connection went away before there was an answer. */
export class Lost extends Error {}

/** Tells of `welcome`, `game`, `gone`, `running`, `lost` and `outdated`. */
export class Link extends EventTarget {
  #socket = null;
  #number = 0;
  #asked = new Map();
  #streams = new Map();
  #wait = FIRST_WAIT_MS;
  #timer = 0;
  welcome = null;

  constructor(address) {
    super();
    this.address = address;
    // A machine that wakes up, or a network that is back, is no time to wait.
    addEventListener("online", () => this.#hurry());
    document.addEventListener("visibilitychange", () => document.hidden || this.#hurry());
  }

  get ready() {
    return this.welcome !== null && this.#socket?.readyState === WebSocket.OPEN;
  }

  connect() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const socket = new WebSocket(this.address);
    this.#socket = socket;
    socket.onmessage = (event) => this.#heard(JSON.parse(event.data));
    socket.onclose = () => socket === this.#socket && this.#closed();
  }

  /** Ask for something; the answer, or a `Refusal`, or `Lost`. */
  ask(message) {
    return new Promise((resolve, reject) => {
      if (!this.ready) return reject(new Lost());
      const ask = this.#say(message);
      this.#asked.set(ask, { resolve, reject });
    });
  }

  /** Ask for something that goes on: `told` hears every message of it, the last says `done`. Its number. */
  follow(message, told) {
    if (!this.ready) return 0;
    const ask = this.#say(message);
    this.#streams.set(ask, told);
    this.#asked.set(ask, {
      resolve() {},
      reject: (error) => told({ kind: "refused", why: error.message, done: true, lost: error instanceof Lost }),
    });
    return ask;
  }

  /** Hear no more of it. */
  forget(ask) {
    this.#streams.delete(ask);
    this.#asked.delete(ask);
  }

  #say(message) {
    const ask = ++this.#number;
    this.#socket.send(JSON.stringify({ ...message, ask }));
    return ask;
  }

  #heard(message) {
    if (message.kind === "welcome") return this.#welcomed(message);
    const number = message.re ?? null;
    const waiting = number === null ? undefined : this.#asked.get(number);
    if (message.kind === "game") this.#tell("game", message);
    if (message.kind === "gone") this.#tell("gone", message);
    if (message.kind === "running") this.#tell("running", message);
    // What has begun can fail later on: then it is over.
    if (message.kind === "refused" && !waiting) {
      this.#streams.get(number)?.({ ...message, done: true });
      this.#streams.delete(number);
    }
    if (waiting) {
      this.#asked.delete(number);
      if (message.kind === "refused") {
        this.#streams.delete(number);
        waiting.reject(new Refusal(message.why));
      } else waiting.resolve(message);
    }
    if (message.of) {
      this.#asked.delete(message.of);
      this.#streams.get(message.of)?.(message);
      if (message.done) this.#streams.delete(message.of);
    }
  }

  #welcomed(message) {
    if (message.version !== VERSION) return this.#tell("outdated", message);
    this.#wait = FIRST_WAIT_MS;
    this.welcome = message;
    return this.#tell("welcome", message);
  }

  #closed() {
    const [asked, was] = [[...this.#asked.values()], this.welcome];
    this.#asked.clear();
    this.#streams.clear();
    this.#socket = null;
    this.#timer = setTimeout(() => this.connect(), this.#wait);
    this.#tell("lost", { again: was !== null, wait: this.#wait });
    this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT_MS);
    for (const each of asked) each.reject(new Lost());
  }

  #hurry() {
    if (this.#timer) this.connect();
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
