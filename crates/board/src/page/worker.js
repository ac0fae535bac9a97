// Runs the engine in workers, for a page without a server.

/** Maximum number of workers per review. Each has its own tree. */
const MAX_REVIEWERS = 4;

/** Minimum number of plies per worker. Starting one for fewer takes longer than it saves. */
const MIN_PLIES_PER_WORKER = 6;

/** Distributes requests to workers. Has the subset of WebSocket that `Connection` uses. */
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
    // Requests without a search get a separate worker, so that they need not wait.
    this.answering = this.#worker((reply) => this.#emit(reply));
    /** The first one searches, all of them review. @type {Worker[]} */
    this.searching = [];
    /** The running review, with the last reply per worker. @type {{id: number, parts: any[]} | null} */
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
      if (this.review && reply.id === this.review.id) this.#mergeReview(this.review, index, reply);
      else this.#emit(reply);
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
  #emit(reply) {
    this.onmessage?.({ data: JSON.stringify(reply) });
  }

  /** @param {string} text */
  send(text) {
    const request = JSON.parse(text);
    if (['search', 'review', 'stop'].includes(request.ask)) {
      // A new search or review ends the running one, like on the server.
      for (const worker of this.searching) worker.postMessage({ ask: 'stop' });
      if (request.ask === 'search') this.#searcher(0).postMessage(request);
      if (request.ask === 'review') this.#splitReview(request);
    } else {
      this.answering.postMessage(request);
    }
  }

  /**
   * Assigns a part of the game to each worker.
   * @param {any} request
   */
  #splitReview(request) {
    const { moves } = request.line;
    const count = Math.max(1, Math.min(navigator.hardwareConcurrency ?? 2, MAX_REVIEWERS, Math.floor(moves.length / MIN_PLIES_PER_WORKER)));
    const ends = Array.from({ length: count }, (_, i) => Math.round((moves.length * (i + 1)) / count));
    // Workers may still finish their last task. Its replies have a different id and are ignored.
    this.review = { id: request.id, parts: ends.map(() => ({ is: 'reviewing', done: 0, all: 0 })) };
    ends.forEach((end, i) => this.#searcher(i).postMessage({ ...request, line: { ...request.line, moves: moves.slice(0, end) }, from: ends[i - 1] ?? 0 }));
  }

  /**
   * Merges a worker's reply into the progress or result of the whole review.
   * @param {{id: number, parts: any[]}} review
   * @param {number} index
   * @param {any} reply
   */
  #mergeReview({ id, parts }, index, reply) {
    const all = parts[index].all;
    parts[index] = reply.is === 'reviewed' ? { ...reply, done: all, all } : reply;
    if (reply.is === 'problem') {
      this.review = null;
      for (const worker of this.searching) worker.postMessage({ ask: 'stop' });
      this.#emit(reply);
    } else if (parts.some((part) => part.is === 'reviewing')) {
      const sum = (/** @type {'done' | 'all'} */ name) => parts.reduce((all, part) => all + part[name], 0);
      this.#emit({ is: 'reviewing', id, done: sum('done'), all: sum('all') });
    } else {
      this.review = null;
      const isComplete = parts.every((part) => part.plies.length > 0);
      this.#emit({ is: 'reviewed', id, plies: isComplete ? parts.flatMap((part) => part.plies) : [] });
    }
  }
}
