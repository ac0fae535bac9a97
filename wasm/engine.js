// Wraps the exports of the engine's module (src/lib.rs): requests and answers are JSON.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Engine {
  /**
   * @param {WebAssembly.Module} module
   * @returns {Promise<Engine>}
   */
  static async open(module) {
    const { exports } = await WebAssembly.instantiate(module, { env: { now: () => performance.now() } });
    const engine = new Engine(/** @type {any} */ (exports));
    engine.exports.open(crypto.getRandomValues(new BigUint64Array(1))[0]);
    return engine;
  }

  /** @param {any} exports */
  constructor(exports) {
    this.exports = exports;
  }

  /**
   * Handles a request.
   * @param {string} request
   * @returns {any[]} answers
   */
  take(request) {
    const bytes = encoder.encode(request);
    const at = this.exports.input(bytes.length);
    new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
    return this.#output(this.exports.take());
  }

  /**
   * Runs the current search for some milliseconds.
   * @returns {any[]} answers
   */
  step() {
    return this.#output(this.exports.step());
  }

  /** True while a search is running, which needs calls of `step`. */
  get isRunning() {
    return this.exports.is_running() !== 0;
  }

  /**
   * Runs `wabe bench`.
   * @param {boolean} isContest false for standard Hive
   * @param {number} nodes
   * @returns {{signature: string, nodes: number, per_second: number}}
   */
  bench(isContest, nodes) {
    return this.#output(this.exports.bench(isContest, nodes));
  }

  /** @param {number} length */
  #output(length) {
    return JSON.parse(decoder.decode(new Uint8Array(this.exports.memory.buffer, this.exports.output(), length)));
  }
}

/**
 * Fetches the module. The file is gzipped, because some hosts do not compress their responses.
 * @param {string | URL} address
 */
export async function load(address) {
  const response = await fetch(address);
  if (!response.ok || !response.body) throw new Error(`${address}: ${response.status} ${response.statusText}`);
  const unpacked = new Response(response.body.pipeThrough(new DecompressionStream('gzip')));
  return WebAssembly.compile(await unpacked.arrayBuffer());
}
