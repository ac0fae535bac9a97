// The connection to the engine. When it is lost, it reconnects and resends pending requests. That
// works because the engine keeps no state between requests.
import { describeProblem, Problem } from 'wabe/problems.js';

/** Version of the message format. */
export const VERSION = 3;

/** Maximum length of a request, in bytes. The engine's server closes the connection on longer ones. */
const MAX_REQUEST_BYTES = 24 << 20;

/**
 * @typedef {object} PendingRequest
 * @property {any} request
 * @property {(reply: any) => void} resolve
 * @property {(error: Error) => void} reject
 * @property {(reply: any) => void} [progress]
 * @property {boolean} [subscribed] whether answers keep coming until `unsubscribe`
 */

export class Connection {
  /** @param {() => WebSocket | import('./worker.js').WorkerSocket} open */
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
    /** @type {Map<number, PendingRequest>} */
    this.pending = new Map();
    /** @type {WebSocket | import('./worker.js').WorkerSocket | null} */
    this.socket = null;
    this.retry = 0;
  }

  /** Opens the socket. Reopens it with increasing delays whenever it closes. */
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
      this.#setState('lost');
      const delay = Math.min(250 * 2 ** this.attempts, 5000);
      this.attempts += 1;
      this.retry = window.setTimeout(() => this.connect(), delay);
    };
  }

  /** @param {'connecting' | 'open' | 'lost' | 'refused'} state */
  #setState(state) {
    if (this.state === state) return;
    this.state = state;
    this.onstate();
  }

  /** @param {any} reply */
  #receive(reply) {
    if (reply.is === 'welcome') {
      this.attempts = 0;
      this.#setState('open');
      for (const { request } of this.pending.values()) this.#send(request);
      this.onwelcome(reply);
      return;
    }
    if (reply.is === 'problem' && reply.id === null && this.state !== 'open') {
      this.refusal = describeProblem(reply.problem);
      this.#setState('refused');
      return;
    }
    const pending = this.pending.get(reply.id);
    if (!pending) {
      if (reply.is === 'problem') console.warn(describeProblem(reply.problem));
      return;
    }
    if (reply.is === 'progress' || reply.is === 'reviewing') {
      pending.progress?.(reply);
      return;
    }
    if (pending.subscribed && reply.is !== 'problem') {
      pending.resolve(reply);
      return;
    }
    this.pending.delete(reply.id);
    if (reply.is === 'problem') pending.reject(new Problem(reply.problem));
    else pending.resolve(reply);
  }

  /** @param {any} request */
  #send(request) {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    const text = JSON.stringify(request);
    // A character takes at most three bytes.
    if (3 * text.length > MAX_REQUEST_BYTES && new Blob([text]).size > MAX_REQUEST_BYTES) {
      // Otherwise it would close every new connection as well.
      const problem = { code: 'message_too_long', max_kib: MAX_REQUEST_BYTES >> 10 };
      this.#receive({ is: 'problem', id: request.id, problem });
      return;
    }
    this.socket.send(text);
  }

  /**
   * @param {string} word
   * @param {object} request
   * @param {Omit<PendingRequest, 'request'>} [handlers] without them, the request is sent at most once
   */
  #request(word, request, handlers) {
    const message = { ask: word, id: this.nextId, ...request };
    this.nextId += 1;
    if (handlers) this.pending.set(message.id, { request: message, ...handlers });
    if (this.state === 'open') this.#send(message);
    return message.id;
  }

  /**
   * Sends a request. Resolves to the final reply.
   * @param {string} word the message's `ask`: `show`, `search`, ...
   * @param {object} request the other fields
   * @param {(reply: any) => void} [progress] called with intermediate replies
   * @returns {Promise<any>}
   */
  ask(word, request, progress) {
    return new Promise((resolve, reject) => this.#request(word, request, { resolve, reject, progress }));
  }

  /**
   * Sends a request with repeated replies.
   * @param {string} word
   * @param {object} request
   * @param {(reply: any) => void} onreply
   * @param {(error: Error) => void} onproblem
   * @returns {number} for `unsubscribe`
   */
  subscribe(word, request, onreply, onproblem) {
    return this.#request(word, request, { resolve: onreply, reject: onproblem, subscribed: true });
  }

  /**
   * Ends a subscription.
   * @param {number} id
   */
  unsubscribe(id) {
    this.pending.delete(id);
  }

  /**
   * Sends a message and ignores its reply.
   * @param {string} word
   * @param {object} request
   */
  notify(word, request) {
    this.#request(word, request);
  }

  /** Ends the running search or review, which still sends its final reply. */
  stop() {
    if (this.state === 'open') {
      this.#send({ ask: 'stop' });
      return;
    }
    // Nothing runs without a connection. Searches must not restart after reconnecting.
    for (const [id, pending] of this.pending) {
      if (pending.request.ask !== 'search' && pending.request.ask !== 'review') continue;
      this.pending.delete(id);
      const findings = { lines: [], nodes: 0, per_second: 0, depth: 0 };
      pending.resolve({ is: 'found', id, move: null, findings, plies: [] });
    }
  }
}
