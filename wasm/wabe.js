// wabe for other pages: copy this folder to the host and import this file. See example.html, and
// docs/board.md for efforts and findings.
export class Wabe {
  constructor() {
    this.waiting = new Map();
    this.line = { game: 'Base', moves: [] };
    this.worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
    this.worker.onmessage = ({ data: reply }) => {
      const { resolve, reject, progress } = this.waiting.get(reply.id) ?? {};
      if (reply.is === 'progress') return progress?.(reply.findings);
      this.waiting.delete(reply.id);
      return reply.is === 'problem' ? reject?.(Object.assign(new Error(reply.problem.code), reply.problem)) : resolve?.(reply);
    };
  }

  /** Starts a game of `contest` or a type of standard Hive. Resolves with its position: `moves`, `stacks`, `reserves`, `ending` … */
  async newgame(game = 'Base+MLP') {
    return this.#show((await this.ask('new', { game })).games[0].line);
  }

  /** Plays a move from the position's `moves`. Resolves with the new position, or rejects if the move is illegal. */
  async play(move) {
    return this.#show({ ...this.line, moves: [...this.line.moves, move] });
  }

  /** Searches. Resolves with the best `move` and the `findings`. The effort is a `time_ms`, a number of `nodes`, or a `level` from 1 to 10. */
  bestmove(effort = { time_ms: 1000 }, progress = null) {
    return this.ask('search', { line: this.line, effort: { lines: 1, ...effort } }, progress);
  }

  /** Stops the running search, which resolves with its findings so far. */
  stop() {
    this.worker.postMessage({ ask: 'stop' });
  }

  /** Sends any request of the board's protocol. */
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
