// The engine in a worker: a message is a request, each answer is a message; docs/board.md has them.
// A search runs in slices of some milliseconds, so that other messages are heard in between.
import { Engine, load } from './engine.js';

const loaded = load(new URL('engine.bin', import.meta.url));
/** @type {Engine | null} */
let engine = null;
/** Requests that came before the engine. @type {any[]} */
const early = [];
/** The request of the running search. @type {any} */
let running = null;
/** Its messages come after those that wait, and without the pause of a timer. */
const next = new MessageChannel();
let isNextSent = false;
next.port1.onmessage = () => {
  isNextSent = false;
  if (engine?.isRunning) attempt(running, (ready) => ready.step());
};

/**
 * Posts what the engine answers, and replaces a module that has failed.
 * @param {any} request what it works for
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
    postMessage({ is: 'problem', id: request.id ?? null, message: 'The engine failed.' });
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

// The page hears of an error, and tries again.
start().catch((error) => setTimeout(() => {
  throw error;
}));
