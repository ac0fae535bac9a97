// The engine in workers, in the place of a socket: a page without a server.

/** Largest number of workers of a review: each has a tree of its own. */
const MOST_REVIEWERS = 4;

/** Fewest plies of a game for which another worker is worth its start. */
const PLIES_EACH = 6;

/** The part of a WebSocket that a connection uses. */
export class WorkerSocket {
  /** @param {string} address of the worker's script */
  constructor(address) {
    this.address = address;
    /** @type {number} */
    this.readyState = WebSocket.CONNECTING;
    /** @type {((event: {data: any}) => void) | null} */
    this.onmessage = null;
    /** @type {(() => void) | null} */
    this.onopen = null;
    /** @type {(() => void) | null} */
    this.onclose = null;
    // One worker answers requests at once while another one searches.
    this.answering = this.#worker((reply) => this.#tell(reply));
    /** The first one searches; all of them review. @type {Worker[]} */
    this.searching = [];
    /** The last reply of each worker of the running review. @type {{id: number, said: any[]} | null} */
    this.review = null;
    this.#searcher(0);
    queueMicrotask(() => {
      this.readyState = WebSocket.OPEN;
      this.onopen?.();
    });
  }

  /** @param {(reply: any) => void} onreply */
  #worker(onreply) {
    const worker = new Worker(this.address, { type: 'module' });
    worker.onmessage = ({ data }) => onreply(data);
    worker.onerror = () => this.#close();
    return worker;
  }

  /** @param {number} index */
  #searcher(index) {
    this.searching[index] ??= this.#worker((reply) => {
      if (this.review && reply.id === this.review.id) this.#gather(this.review, index, reply);
      else this.#tell(reply);
    });
    return this.searching[index];
  }

  #close() {
    if (this.readyState === WebSocket.CLOSED) return;
    this.readyState = WebSocket.CLOSED;
    for (const worker of [this.answering, ...this.searching]) worker.terminate();
    this.onclose?.();
  }

  /** @param {any} reply */
  #tell(reply) {
    this.onmessage?.({ data: JSON.stringify(reply) });
  }

  /** @param {string} text */
  send(text) {
    const request = JSON.parse(text);
    if (['search', 'review', 'stop'].includes(request.ask)) {
      // Whatever runs ends, as it does with one engine.
      for (const worker of this.searching) worker.postMessage({ ask: 'stop' });
      if (request.ask === 'search') this.#searcher(0).postMessage(request);
      if (request.ask === 'review') this.#share(request);
    } else {
      this.answering.postMessage(request);
    }
  }

  /**
   * Gives each worker a part of the game.
   * @param {any} request
   */
  #share(request) {
    const { moves } = request.line;
    const count = Math.max(1, Math.min(navigator.hardwareConcurrency ?? 2, MOST_REVIEWERS, Math.floor(moves.length / PLIES_EACH)));
    const ends = Array.from({ length: count }, (_, i) => Math.round((moves.length * (i + 1)) / count));
    // A worker that still ends its last task answers with that number, which is ignored.
    this.review = { id: request.id, said: ends.map(() => ({ is: 'reviewing', done: 0, all: 0 })) };
    ends.forEach((end, i) => this.#searcher(i).postMessage({ ...request, line: { ...request.line, moves: moves.slice(0, end) }, from: ends[i - 1] ?? 0 }));
  }

  /**
   * Reports a part of a review as a part of the whole.
   * @param {{id: number, said: any[]}} review
   * @param {number} index
   * @param {any} reply
   */
  #gather({ id, said }, index, reply) {
    const all = said[index].all;
    said[index] = reply.is === 'reviewed' ? { ...reply, done: all, all } : reply;
    if (reply.is === 'problem') {
      this.review = null;
      for (const worker of this.searching) worker.postMessage({ ask: 'stop' });
      this.#tell(reply);
    } else if (said.some((part) => part.is === 'reviewing')) {
      const sum = (/** @type {'done' | 'all'} */ name) => said.reduce((all, part) => all + part[name], 0);
      this.#tell({ is: 'reviewing', id, done: sum('done'), all: sum('all') });
    } else {
      this.review = null;
      const isWhole = said.every((part) => part.plies.length > 0);
      this.#tell({ is: 'reviewed', id, plies: isWhole ? said.flatMap((part) => part.plies) : [] });
    }
  }
}
