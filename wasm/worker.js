// Runs the engine in a worker. Messages are requests and answers as in docs/board.md. A search runs
// in slices of some milliseconds, so that other messages are handled in between.
import { Engine, load } from './engine.js';

const loaded = load(new URL('engine.bin', import.meta.url));
/** @type {Engine | null} */
let engine = null;
/** Requests received before the engine was loaded. @type {any[]} */
const early = [];
/** The request of the running search. @type {any} */
let running = null;
/** Schedules the next slice after queued messages. Unlike a timer, it adds no delay. */
const next = new MessageChannel();
let isNextSent = false;
next.port1.onmessage = () => {
  isNextSent = false;
  if (engine?.isRunning) attempt(running, (ready) => ready.step());
};

/**
 * Posts the engine's answers. Replaces the module if it fails.
 * @param {any} request the request that `work` belongs to
 * @param {(engine: Engine) => any[]} work
 */
function attempt(request, work) {
  if (!engine) {
    early.push(request);
    return;
  }
  try {
    for (const reply of work(engine)) postMessage(reply);
    if (!engine.isRunning || isNextSent) return;
    isNextSent = true;
    next.port2.postMessage(null);
  } catch (error) {
    console.error(error);
    engine = null;
    postMessage({ is: 'problem', id: request.id ?? null, problem: { code: 'engine_failed' } });
    start();
  }
}

/** @param {any} request */
function take(request) {
  if (request.ask === 'search' || request.ask === 'review') running = request;
  attempt(request, (ready) => ready.take(JSON.stringify(request)));
}

async function start() {
  engine = await Engine.open(await loaded);
  early.splice(0).forEach(take);
}

onmessage = ({ data }) => take(data);

// Thrown outside the promise, so that the page receives an error event and retries.
start().catch((error) => setTimeout(() => {
  throw error;
}));
