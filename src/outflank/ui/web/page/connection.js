// The connection to the server: requests and answers, streams, and reconnection.

/** @import { Answers, ConnectionEvents, Emitter, Message, RequestOf } from "./types.js" */
/** @import { StreamFailure, Streams, Welcome } from "./types.js" */

const VERSION = 1;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8000;

/** The server has refused a request; the message is the reason. */
export class Refusal extends Error {}

/** The connection was lost before the answer arrived. */
export class ConnectionLost extends Error {}

const ConnectionEmitter = /** @type {new () => Emitter<ConnectionEvents>} */ (EventTarget);

/** Emits `welcome`, `game`, `gone`, `running`, `lost` and `outdated`. */
export class Connection extends ConnectionEmitter {
  /** @type {WebSocket | null} */
  #socket = null;
  #number = 0;
  /** @type {Map<number, { resolve: (answer: Message) => void, reject: (error: Error) => void }>} */
  #pending = new Map();
  /** @type {Map<number, (message: Message | StreamFailure) => void>} */
  #streams = new Map();
  #retryDelay = FIRST_WAIT_MS;
  #timer = 0;
  /** @type {Welcome | null} */
  welcome = null;

  /** @param {URL} address */
  constructor(address) {
    super();
    this.address = address;
    // Reconnect at once when the machine wakes up or the network is back.
    addEventListener("online", () => this.#reconnectNow());
    document.addEventListener("visibilitychange", () => document.hidden || this.#reconnectNow());
  }

  get ready() {
    return this.welcome !== null && this.#socket?.readyState === WebSocket.OPEN;
  }

  connect() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const socket = new WebSocket(this.address);
    this.#socket = socket;
    socket.onmessage = (event) => this.#receive(JSON.parse(event.data));
    socket.onclose = () => socket === this.#socket && this.#connectionClosed();
  }

  /**
   * Send a request.
   * @template {keyof Answers} Kind
   * @param {RequestOf<Kind>} message
   * @returns {Promise<Answers[Kind]>} the answer; throws `Refusal` or `ConnectionLost`
   */
  ask(message) {
    return new Promise((resolve, reject) => {
      if (!this.ready) return reject(new ConnectionLost());
      const ask = this.#send(message);
      this.#pending.set(ask, { resolve: /** @type {(answer: Message) => void} */ (resolve), reject });
    });
  }

  /**
   * Send a request with a stream of answers for `listener`; the last one has `done`.
   * Without a connection, `listener` receives a failure, and 0 is returned.
   * @template {keyof Streams} Kind
   * @param {RequestOf<Kind>} message
   * @param {(message: Streams[Kind] | StreamFailure) => void} listener
   * @returns its number
   */
  follow(message, listener) {
    if (!this.ready) {
      queueMicrotask(() => listener({ kind: "refused", why: "", done: true, lost: true }));
      return 0;
    }
    const ask = this.#send(message);
    this.#streams.set(ask, listener);
    this.#pending.set(ask, {
      resolve() {},
      reject: (error) =>
        listener({ kind: "refused", why: error.message, done: true, lost: error instanceof ConnectionLost }),
    });
    return ask;
  }

  /** Ignore further messages of a stream. @param {number} ask */
  forget(ask) {
    this.#streams.delete(ask);
    this.#pending.delete(ask);
  }

  /** @param {object} message @returns its number */
  #send(message) {
    const ask = ++this.#number;
    this.#socket.send(JSON.stringify({ ...message, ask }));
    return ask;
  }

  /** @param {Message} message */
  #receive(message) {
    if (message.kind === "welcome") return this.#acceptWelcome(message);
    const number = "re" in message ? message.re : null;
    const request = number === null ? undefined : this.#pending.get(number);
    if (message.kind === "game") this.#emit("game", message);
    if (message.kind === "gone") this.#emit("gone", message);
    if (message.kind === "running") this.#emit("running", message);
    // A stream can also fail after it has begun, and is over then.
    if (message.kind === "refused" && !request) {
      this.#streams.get(number)?.({ ...message, done: true });
      this.#streams.delete(number);
    }
    if (request) {
      this.#pending.delete(number);
      if (message.kind === "refused") {
        this.#streams.delete(number);
        request.reject(new Refusal(message.why));
      } else request.resolve(message);
    }
    if ("of" in message) {
      this.#pending.delete(message.of);
      this.#streams.get(message.of)?.(message);
      if (message.done) this.#streams.delete(message.of);
    }
  }

  /** @param {Welcome} message */
  #acceptWelcome(message) {
    if (message.version !== VERSION) return this.#emit("outdated", message);
    this.#retryDelay = FIRST_WAIT_MS;
    this.welcome = message;
    return this.#emit("welcome", message);
  }

  #connectionClosed() {
    const [pending, welcomed] = [[...this.#pending.values()], this.welcome];
    this.#pending.clear();
    this.#streams.clear();
    this.#socket = null;
    this.#timer = setTimeout(() => this.connect(), this.#retryDelay);
    this.#emit("lost", { wasConnected: welcomed !== null, wait: this.#retryDelay });
    this.#retryDelay = Math.min(2 * this.#retryDelay, LONGEST_WAIT_MS);
    for (const request of pending) request.reject(new ConnectionLost());
  }

  #reconnectNow() {
    if (this.#timer) this.connect();
  }

  /**
   * @template {keyof ConnectionEvents} Name
   * @param {Name} name
   * @param {ConnectionEvents[Name]} detail
   */
  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
