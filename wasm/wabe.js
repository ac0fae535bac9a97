// wabe for any page: copy this folder to its host, import this file. example.html shows it,
// docs/board.md lists efforts and findings.
export class Wabe {
  constructor() {
    this.waiting = new Map();
    this.line = { game: 'Base', moves: [] };
    this.worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
    this.worker.onmessage = ({ data: reply }) => {
      const { resolve, reject, progress } = this.waiting.get(reply.id) ?? {};
      if (reply.is === 'progress') return progress?.(reply.findings);
      this.waiting.delete(reply.id);
      return reply.is === 'problem' ? reject?.(new Error(reply.message)) : resolve?.(reply);
    };
  }

  /** Begins a game: `contest`, or a type of standard Hive. Resolves with its position: `moves`, `stacks`, `reserves`, `ending` … */
  async newgame(game = 'Base+MLP') {
    return this.#show((await this.ask('new', { game, seed: null })).games[0].line);
  }

  /** Plays a move, written as in the position's `moves`. Resolves with the position after it; rejects an illegal move. */
  async play(move) {
    return this.#show({ ...this.line, moves: [...this.line.moves, move] });
  }

  /** Searches, and resolves with the best `move` and the `findings`. An effort is a `time_ms`, a number of `nodes`, a `level` from 0. */
  bestmove(effort = { time_ms: 1000 }, progress = null) {
    return this.ask('search', { line: this.line, effort: { lines: 1, ...effort } }, progress);
  }

  /** Ends the running search, which resolves with what it has found. */
  stop() {
    this.worker.postMessage({ ask: 'stop' });
  }

  /** Any request of the board's messages. */
  ask(ask, request, progress = null) {
    const id = (this.last = (this.last ?? 0) + 1);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, progress });
      this.worker.postMessage({ ask, id, ...request });
    });
  }

  async #show(line) {
    const { view } = await this.ask('show', { line });
    this.line = line;
    return view;
  }
}
