// "Learn from your mistakes": turns every mistake into a puzzle on the board.
import { html } from './vendor/lit-html/lit-html.js';
import { t } from './i18n.js';
import { adviseMove, capitalize, describeMove, describeValue, shortMove, sideName } from './moves.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./types.js').ReviewedMove} ReviewedMove */
/** @typedef {import('./types.js').View} View */

/** A move that loses less expected score than this solves the puzzle. */
const GOOD_LOSS = 0.05;

export class Learning {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.active = false;
    this.side = 0;
    /** @type {ReviewedMove[]} */
    this.queue = [];
    this.index = 0;
    this.solved = 0;
    /** @type {'ask' | 'checking' | 'right' | 'wrong' | 'shown'} */
    this.state = 'ask';
    /** @type {View | null} */
    this.view = null;
    /** The puzzle's position.
     * @type {View | null} */
    this.puzzleView = null;
    /** Description of the tried or best move. */
    this.moveText = '';
    /** Why the tried move is not good enough. */
    this.reason = '';
  }

  /**
   * A side's mistakes and blunders for which the review found a better move.
   * @param {number} side
   */
  mistakesOf(side) {
    const { table } = this.app;
    const { review, tree } = table;
    if (!review || !tree) return [];
    const first = this.app.firstSide(table.known.get(tree.root.id)?.view);
    return review.plies.filter((ply) => ply.better && (ply.mark === 'blunder' || ply.mark === 'mistake') && (ply.ply - 1 + first) % 2 === side);
  }

  /** @param {number} side */
  async begin(side) {
    this.side = side;
    this.queue = this.mistakesOf(side);
    this.index = 0;
    this.solved = 0;
    this.active = this.queue.length > 0;
    this.app.analysis.changed();
    await this.#showPuzzle();
  }

  end() {
    this.active = false;
    this.view = null;
    this.puzzleView = null;
    this.app.connection.stop();
    this.app.analysis.changed();
    this.app.refresh();
  }

  /** @returns {ReviewedMove | undefined} */
  get #puzzle() {
    return this.queue[this.index];
  }

  async #showPuzzle() {
    const { table } = this.app;
    const puzzle = this.#puzzle;
    const node = puzzle ? table.tree?.mainline()[puzzle.ply - 1] : null;
    if (!node) {
      this.app.refresh();
      return;
    }
    this.state = 'ask';
    this.moveText = '';
    const { view } = await table.shown(node);
    this.puzzleView = view;
    this.view = view;
    this.app.announce(t('learn.find', { side: sideName(/** @type {any} */ (table.info), this.side) }));
    this.app.refresh();
  }

  /**
   * Tries a move.
   * @param {import('./types.js').MoveView} move
   */
  async move(move) {
    const { app } = this;
    const { table } = app;
    const puzzle = this.#puzzle;
    const node = puzzle ? table.tree?.mainline()[puzzle.ply - 1] : null;
    if (!puzzle || !node || !table.tree || !table.info || !this.puzzleView || this.state === 'checking') return;
    const base = table.tree.line(node);
    const line = { ...base, moves: [...base.moves, move.text] };
    this.moveText = `${capitalize(describeMove(table.info, this.puzzleView, move))}.`;
    const { view } = await app.show(line);
    this.view = view;
    this.state = 'checking';
    this.reason = '';
    app.refresh();
    const good = move.text === puzzle.better || ((await this.#isGood(line, view, puzzle)) && move.text !== puzzle.text);
    if (this.#puzzle !== puzzle || !this.active) return;
    this.state = good ? 'right' : 'wrong';
    if (good) this.solved += 1;
    app.announce(t(good ? 'learn.right' : 'learn.wrong'));
    app.refresh();
  }

  /**
   * Searches the position after a move that is not the known best one.
   * @param {import('./types.js').GameLine} line
   * @param {View} view after the move
   * @param {ReviewedMove} puzzle
   */
  async #isGood(line, view, puzzle) {
    const scoreForSide = (/** @type {number} */ score) => (this.side === 0 ? score : 1 - score);
    let score = 0.5;
    if (view.ending) {
      score = view.ending.winner === null ? 0.5 : 1 - view.ending.winner;
    } else {
      try {
        const nodes = (this.app.table.review?.nodes ?? 1000) * 2;
        const found = await this.app.connection.ask('search', { line, effort: { nodes, lines: 1 } });
        const [answer] = found.findings.lines;
        const { info } = this.app.table;
        score = answer?.value.score ?? 0.5;
        if (answer && info) {
          this.reason = t('learn.reason', {
            move: describeMove(info, view, answer.move), value: describeValue(info, answer.value), best: describeValue(info, puzzle.before),
          });
        }
      } catch {
        return false;
      }
    }
    return scoreForSide(puzzle.before.score) - scoreForSide(score) < GOOD_LOSS;
  }

  again() {
    this.view = this.puzzleView;
    this.state = 'ask';
    this.app.refresh();
  }

  async solve() {
    const { app } = this;
    const puzzle = this.#puzzle;
    const node = puzzle ? app.table.tree?.mainline()[puzzle.ply - 1] : null;
    const better = this.puzzleView?.moves.find((move) => move.text === puzzle?.better);
    if (!puzzle?.better || !node || !app.table.tree || !app.table.info || !this.puzzleView) return;
    const base = app.table.tree.line(node);
    if (better) this.moveText = `${capitalize(adviseMove(app.table.info, this.puzzleView, better))}.`;
    const { view } = await app.show({ ...base, moves: [...base.moves, puzzle.better] });
    this.view = view;
    this.state = 'shown';
    app.refresh();
  }

  async next() {
    this.index += 1;
    await this.#showPuzzle();
  }

  /**
   * Describes the move of the game.
   * @param {ReviewedMove} puzzle
   */
  #describePlayed({ text }) {
    const { info } = this.app.table;
    const move = this.puzzleView?.moves.find((one) => one.text === text);
    return this.puzzleView && info && move ? describeMove(info, this.puzzleView, move) : shortMove(text);
  }

  panel() {
    const { app } = this;
    const info = /** @type {import('./types.js').GameInfo} */ (app.table.info);
    const puzzle = this.#puzzle;
    const leave = html`<button type="button" @click=${() => this.end()}>${t('learn.leave')}</button>`;
    if (!puzzle) {
      return html`<section class="card learn"><h2>${t('learn.finished')}</h2><p>${t('learn.solved', { n: this.solved, all: this.queue.length })}</p><div class="buttons">${leave}</div></section>`;
    }
    const next = html`<button type="button" class="primary" @click=${() => this.next()}>${t('learn.next')}</button>`;
    const solution = html`<button type="button" @click=${() => this.solve()}>${t('learn.solution')}</button>`;
    return html`<section class="card learn">
      <p class="quiet">${t('learn.count', { n: this.index + 1, all: this.queue.length })}</p>
      <h2>${t('learn.find', { side: sideName(info, this.side) })}</h2>
      <p class="quiet">${t('learn.played', { move: this.#describePlayed(puzzle), mark: t(`mark.${puzzle.mark}`) })}</p>
      ${this.state === 'checking' ? html`<p class="callout">${t('learn.checking')}</p>` : ''}
      ${this.state === 'right' ? html`<p class="callout good"><strong>${t('learn.right')}</strong> ${this.moveText}</p>` : ''}
      ${this.state === 'wrong' ? html`<p class="callout bad"><strong>${t('learn.wrong')}</strong> ${this.moveText} ${this.reason}</p>` : ''}
      ${this.state === 'shown' ? html`<p class="callout"><strong>${t('learn.isSolution')}</strong> ${this.moveText}</p>` : ''}
      <div class="buttons">
        ${this.state === 'right' || this.state === 'shown' ? next : ''}
        ${this.state === 'wrong' ? html`<button type="button" class="primary" @click=${() => this.again()}>${t('learn.again')}</button>` : ''}
        ${this.state === 'ask' || this.state === 'wrong' ? solution : ''}
        ${leave}
      </div>
    </section>`;
  }
}
