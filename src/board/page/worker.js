// The engine in workers, in the place of a socket: a page without a server.

/** The part of a WebSocket that a connection uses. */
export class WorkerSocket {
  /** @param {string} address of the worker's script */
  constructor(address) {
    /** @type {number} */
    this.readyState = WebSocket.CONNECTING;
    /** @type {((event: {data: any}) => void) | null} */
    this.onmessage = null;
    /** @type {(() => void) | null} */
    this.onopen = null;
    /** @type {(() => void) | null} */
    this.onclose = null;
    // One answers at once while the other one searches.
    this.answering = this.#worker(address);
    this.searching = this.#worker(address);
    queueMicrotask(() => {
      this.readyState = WebSocket.OPEN;
      this.onopen?.();
    });
  }

  /** @param {string} address */
  #worker(address) {
    const worker = new Worker(address, { type: 'module' });
    worker.onmessage = ({ data }) => this.onmessage?.({ data: JSON.stringify(data) });
    worker.onerror = () => this.#close();
    return worker;
  }

  #close() {
    if (this.readyState === WebSocket.CLOSED) return;
    this.readyState = WebSocket.CLOSED;
    this.answering.terminate();
    this.searching.terminate();
    this.onclose?.();
  }

  /** @param {string} text */
  send(text) {
    const request = JSON.parse(text);
    const worker = ['search', 'review', 'stop'].includes(request.ask) ? this.searching : this.answering;
    worker.postMessage(request);
  }
}
