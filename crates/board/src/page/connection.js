// The socket to the engine: requests with their answers, searches with their reports. After a lost
// connection, all waiting requests are sent again: the engine keeps nothing between requests.

/** The version of the messages that this page speaks. */
export const VERSION = 1;

/** The engine's answer to a request that failed. */
export class Problem extends Error {}

/**
 * @typedef {object} Waiting
 * @property {any} request
 * @property {(reply: any) => void} resolve
 * @property {(error: Error) => void} reject
 * @property {((reply: any) => void) | undefined} progress
 * @property {boolean} [lasting] whether answers follow until it is unsubscribed
 */

export class Connection {
  /** @param {() => WebSocket | import('./worker.js').WorkerSocket} open opens a socket */
  constructor(open) {
    this.open = open;
    /** @type {'connecting' | 'open' | 'lost' | 'refused'} */
    this.state = 'connecting';
    /** @type {(() => void)} */
    this.onstate = () => {};
    /** @type {((welcome: import('./types.js').Welcome) => void)} */
    this.onwelcome = () => {};
    /** @type {string} */
    this.refusal = '';
    this.nextId = 1;
    this.attempts = 0;
    /** @type {Map<number, Waiting>} */
    this.waiting = new Map();
    /** @type {WebSocket | import('./worker.js').WorkerSocket | null} */
    this.socket = null;
    this.retry = 0;
  }

  /** Opens the socket, and opens it again whenever it is lost. */
  connect() {
    clearTimeout(this.retry);
    const socket = this.open();
    this.socket = socket;
    socket.onopen = () => {
      socket.send(JSON.stringify({ ask: 'hello', version: VERSION }));
    };
    socket.onmessage = (/** @type {{data: any}} */ event) => {
      if (typeof event.data === 'string') this.#receive(JSON.parse(event.data));
    };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      if (this.state === 'refused') return;
      this.#enter('lost');
      const pause = Math.min(250 * 2 ** this.attempts, 5000);
      this.attempts += 1;
      this.retry = window.setTimeout(() => this.connect(), pause);
    };
  }

  /** @param {'connecting' | 'open' | 'lost' | 'refused'} state */
  #enter(state) {
    if (this.state === state) return;
    this.state = state;
    this.onstate();
  }

  /** @param {any} reply */
  #receive(reply) {
    if (reply.is === 'welcome') {
      this.attempts = 0;
      this.#enter('open');
      // Waiting requests are sent again; later ones are sent at once.
      for (const { request } of this.waiting.values()) this.#send(request);
      this.onwelcome(reply);
      return;
    }
    if (reply.is === 'problem' && reply.id === null && this.state !== 'open') {
      this.refusal = reply.message;
      this.#enter('refused');
      return;
    }
    const waiting = this.waiting.get(reply.id);
    if (!waiting) {
      if (reply.is === 'problem') console.warn(reply.message);
      return;
    }
    if (reply.is === 'progress' || reply.is === 'reviewing') {
      waiting.progress?.(reply);
      return;
    }
    if (waiting.lasting && reply.is !== 'problem') {
      waiting.resolve(reply);
      return;
    }
    this.waiting.delete(reply.id);
    if (reply.is === 'problem') waiting.reject(new Problem(reply.message));
    else waiting.resolve(reply);
  }

  /** @param {any} request */
  #send(request) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(request));
  }

  /**
   * Sends a request. Resolves to the last reply.
   * @param {string} word what to ask: `show`, `search`, ...
   * @param {object} request the rest of the message
   * @param {(reply: any) => void} [progress] what to do with replies on the way
   * @returns {Promise<any>}
   */
  ask(word, request, progress) {
    const id = this.nextId;
    this.nextId += 1;
    const message = { ask: word, id, ...request };
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { request: message, resolve, reject, progress });
      if (this.state === 'open') this.#send(message);
    });
  }

  /**
   * Sends a request that is answered again and again.
   * @param {string} word
   * @param {object} request
   * @param {(reply: any) => void} onreply
   * @param {(error: Error) => void} onproblem
   * @returns {number} to unsubscribe
   */
  subscribe(word, request, onreply, onproblem) {
    const id = this.nextId;
    this.nextId += 1;
    const message = { ask: word, id, ...request };
    this.waiting.set(id, { request: message, resolve: onreply, reject: onproblem, progress: undefined, lasting: true });
    if (this.state === 'open') this.#send(message);
    return id;
  }

  /**
   * Ends a subscription.
   * @param {number} id
   */
  unsubscribe(id) {
    this.waiting.delete(id);
  }

  /**
   * Sends a message that needs no answer.
   * @param {string} word
   * @param {object} request
   */
  tell(word, request) {
    const id = this.nextId;
    this.nextId += 1;
    if (this.state === 'open') this.#send({ ask: word, id, ...request });
  }

  /** Ends the running search or review; its last answer still comes. */
  stop() {
    if (this.state === 'open') {
      this.#send({ ask: 'stop' });
      return;
    }
    // Nothing runs without a connection, and nothing has to run again after it.
    for (const [id, waiting] of this.waiting) {
      if (waiting.request.ask !== 'search' && waiting.request.ask !== 'review') continue;
      this.waiting.delete(id);
      const findings = { lines: [], nodes: 0, per_second: 0, depth: 0 };
      waiting.resolve({ is: 'found', id, move: null, findings, took_ms: 0, plies: [] });
    }
  }
}
