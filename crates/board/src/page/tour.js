// The tutorial: small positions, each with a task.
import { html } from 'wabe/vendor/lit-html/lit-html.js';
import { same } from 'wabe/geometry.js';
import { t } from 'wabe/i18n.js';
import { capitalize, describeMove } from 'wabe/moves.js';
import { describeError } from 'wabe/problems.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./types.js').View} View */
/** @typedef {import('./types.js').MoveView} MoveView */
/** @typedef {import('./types.js').Field} Field */
/** @typedef {import('./types.js').GameInfo} GameInfo */
/** @typedef {[Field, string][]} Stacks fields with pieces, bottom to top: `wQ bB` */

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} [game]
 * @property {number} [turn]
 * @property {Stacks} [stacks]
 * @property {Field[]} [obstacles]
 * @property {Field[]} [marks]
 * @property {(move: MoveView) => boolean} [offered] whether the user may try a move
 * @property {(move: MoveView, after: View) => boolean} [done] whether a move solves the task
 * @property {boolean} [hasOther] whether the step has its own text for moves that miss the task
 */

/** A row of pieces with free fields on the left. */
const ROW = /** @type {Stacks} */ ([[[1, -1], 'bS'], [[2, -2], 'bB'], [[3, -2], 'bQ'], [[2, -1], 'bA']]);
const moved = (/** @type {string} */ letter) => (/** @type {MoveView} */ move) => !!move.from && move.letter === letter;

/** @type {Step[]} */
const STEPS = [
  {
    name: 'goal', turn: 10, marks: [[0, 0]],
    stacks: [[[0, 0], 'bQ'], [[1, -1], 'wS'], [[1, 0], 'bA'], [[0, 1], 'wG'], [[-1, 1], 'bB'], [[-1, 0], 'bS'], [[2, 0], 'wQ'], [[1, 1], 'wA']],
    offered: moved('A'), done: (_, after) => after.ending?.winner === 0,
  },
  {
    name: 'place', turn: 4, stacks: [[[0, 0], 'wS'], [[1, -1], 'bS'], [[-1, 1], 'wQ'], [[2, -2], 'bQ']],
    offered: (move) => !move.from && !!move.to, done: () => true,
  },
  { name: 'queen', turn: 10, stacks: [[[0, 0], 'wS'], [[-1, 1], 'wQ'], ...ROW], offered: moved('Q'), done: () => true },
  { name: 'ant', turn: 10, stacks: [[[0, 0], 'wQ'], [[-1, 1], 'wA'], ...ROW], offered: moved('A'), done: () => true },
  { name: 'spider', turn: 10, stacks: [[[0, 0], 'wQ'], [[-1, 1], 'wS'], ...ROW], offered: moved('S'), done: () => true },
  { name: 'grasshopper', turn: 10, stacks: [[[0, 0], 'wQ'], [[-1, 1], 'wG'], ...ROW], offered: moved('G'), done: () => true },
  { name: 'beetle', turn: 10, stacks: [[[0, 0], 'wQ'], [[-1, 1], 'wB'], ...ROW], offered: moved('B'), done: (_, after) => after.stacks.some((stack) => stack.pieces.length > 1) },
  { name: 'hive', turn: 10, marks: [[0, 0]], stacks: [[[0, 0], 'wA'], [[-1, 1], 'wQ'], ...ROW], offered: (move) => !!move.from, done: () => true },
  {
    name: 'walk', turn: 10, marks: [[1, -1]],
    stacks: [[[0, 0], 'wQ'], [[-1, 0], 'bS'], [[-1, -1], 'wS'], [[0, -2], 'bQ'], [[1, -2], 'bA'], [[-2, 1], 'wA']],
    offered: (move) => moved('Q')(move) || moved('A')(move), done: (move) => same(move.to, [1, -1]),
  },
  {
    name: 'gap', turn: 12, marks: [[0, -1]],
    stacks: [[[0, 0], 'wQ'], [[1, -2], 'bS'], [[-1, 0], 'bA'], [[-1, -1], 'bQ'], [[0, -2], 'wS'], [[2, -2], 'wA'], [[-2, 1], 'wG']],
    offered: (move) => moved('A')(move) || moved('G')(move), done: (move) => same(move.to, [0, -1]),
  },
  { name: 'fourth', turn: 6, stacks: [[[0, 0], 'wS'], [[1, -1], 'bS'], [[-1, 1], 'wA'], [[2, -2], 'bQ'], [[0, 1], 'wB'], [[2, -1], 'bA']], offered: (move) => !!move.to, done: (move) => move.letter === 'Q' },
  { name: 'mosquito', turn: 12, stacks: [[[0, 0], 'wA'], [[-1, 1], 'wM'], [[0, 1], 'wQ'], ...ROW], offered: moved('M'), done: () => true },
  { name: 'mosquitoTop', turn: 12, stacks: [[[0, 0], 'wQ'], [[1, -1], 'bS wM'], ...ROW.slice(1)], offered: moved('M'), done: (_, after) => after.stacks.some((stack) => stack.pieces.length > 1) },
  { name: 'mosquitoAlone', turn: 12, marks: [[-1, 1]], stacks: [[[0, 0], 'bM'], [[-1, 1], 'wM'], [[1, 0], 'wQ'], [[4, -3], 'wA'], ...ROW], offered: (move) => !!move.from, done: () => true },
  { name: 'ladybug', turn: 10, stacks: [[[0, 0], 'wQ'], [[-1, 1], 'wL'], ...ROW], offered: moved('L'), done: () => true },
  { name: 'pillbug', turn: 10, marks: [[-1, 1]], stacks: [[[0, 0], 'wP'], [[-1, 1], 'wQ'], ...ROW], offered: (move) => same(move.from, [-1, 1]), done: () => true },
  {
    name: 'contest', game: 'contest', turn: 12, obstacles: [[-1, 2], [1, 1], [3, -3]], marks: [[1, 1]],
    stacks: [[[0, 0], 'wA'], [[1, 0], 'bQ'], [[2, 0], 'wS'], [[2, -1], 'wB'], [[0, 1], 'bA'], [[-1, 1], 'wQ'], [[-1, 0], 'wA']],
    offered: moved('A'), done: (_, after) => after.free[1] === 0, hasOther: true,
  },
  { name: 'end' },
];

/** The library's note of the current step. */
const NOTE = 'tour';

export class Tour {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.index = 0;
    /** True once the step of the last visit is known. */
    this.isOpen = false;
    /** @type {GameInfo | null} */
    this.info = null;
    /** The position of the step. @type {View | null} */
    this.first = null;
    /** The shown position. @type {View | null} */
    this.view = null;
    /** @type {import('./types.js').GameLine | null} */
    this.line = null;
    /** @type {'ask' | 'done' | 'other'} */
    this.state = 'ask';
    this.moveText = '';
    /** Changes whenever a position is loaded. */
    this.key = 0;
    /** Incremented on every step, to ignore late answers. */
    this.ticket = 0;
    this.problem = '';
  }

  get #step() {
    return STEPS[this.index];
  }

  async begin() {
    if (!this.isOpen) {
      const note = await this.app.library.note(NOTE).catch(() => null);
      this.index = Math.max(0, Math.min(Number(note?.step) || 0, STEPS.length - 1));
      this.isOpen = true;
    }
    await this.#set(this.index);
  }

  /** The highlighted fields. */
  marks() {
    return this.state === 'ask' ? this.#step.marks ?? [] : [];
  }

  /** @param {number} index */
  async #set(index) {
    const { app } = this;
    this.index = index;
    this.state = 'ask';
    this.moveText = '';
    const step = this.#step;
    this.ticket += 1;
    app.idleNote = '';
    const { ticket } = this;
    this.problem = '';
    // After the last step, the next visit starts with the first one.
    app.library.changeNote(NOTE, () => ({ step: index === STEPS.length - 1 ? 0 : index })).catch(() => {});
    if (!step.stacks) {
      // The last step shows the board but allows no moves.
      if (this.view) this.view = { ...this.view, moves: [], idle: [] };
      app.refresh();
      return;
    }
    const info = app.gameInfo(step.game ?? 'Base+MLP');
    if (!info) return;
    const used = step.stacks.flatMap(([, pieces]) => pieces.split(' '));
    const reserve = (/** @type {string} */ color) => info.kinds.map((kind) => kind.letter.repeat(kind.count - used.filter((piece) => piece === color + kind.letter).length)).join('');
    const setup = {
      turn: step.turn ?? 0,
      obstacles: step.obstacles ?? [],
      stacks: step.stacks.map(([at, pieces]) => ({ at, pieces: pieces.split(' ').map((piece) => [piece[0] === 'w' ? 0 : 1, piece[1]]) })),
      reserves: [reserve('w'), reserve('b')],
    };
    try {
      const { games } = await app.connection.ask('edit', { game: info.word, setup });
      const { view } = await app.show(games[0].line);
      if (this.ticket !== ticket) return;
      this.key += 1;
      this.info = info;
      this.line = games[0].line;
      this.first = { ...view, moves: view.moves.filter(step.offered ?? (() => true)) };
      this.view = this.first;
    } catch (error) {
      this.problem = describeError(error);
    }
    app.refresh();
  }

  /** @param {MoveView} move */
  async move(move) {
    const { app, info, line, view } = this;
    if (!info || !line || !view) return;
    const moveText = `${capitalize(describeMove(info, view, move, false))}.`;
    const after = await app.show({ ...line, moves: [...line.moves, move.text] });
    this.moveText = moveText;
    this.state = this.#step.done?.(move, after.view) ? 'done' : 'other';
    this.view = { ...after.view, moves: [] };
    app.announce(`${moveText} ${t(this.state === 'done' ? 'tour.good' : 'tour.other')}`);
    app.refresh();
  }

  again() {
    this.state = 'ask';
    this.moveText = '';
    this.view = this.first;
    this.app.refresh();
  }

  panel() {
    if (!this.isOpen) return '';
    const { app } = this;
    const step = this.#step;
    const last = this.index === STEPS.length - 1;
    return html`<section class="card tour" data-section="game">
      <p class="quiet">${t('tour.count', { n: this.index + 1, all: STEPS.length })}</p>
      <progress max=${STEPS.length - 1} .value=${this.index} aria-label=${t('tour.progress')}></progress>
      <h2>${t(`tour.${step.name}.title`)}</h2>
      <p>${t(`tour.${step.name}.text`)}</p>
      ${last ? '' : html`<p class="task">${t(`tour.${step.name}.task`)}</p>`}
      ${this.problem ? html`<p class="error">${this.problem}</p>` : ''}
      <div class="tour-end">
      ${this.state === 'done' ? html`<p class="callout good" role="status"><strong>${t('tour.good')}</strong> ${this.moveText}</p>` : ''}
      ${this.state === 'other' ? html`<p class="callout" role="status">${t(step.hasOther ? `tour.${step.name}.other` : 'tour.other')}</p>` : ''}
      <div class="buttons">
        ${last ? html`<button type="button" class="primary" @click=${() => app.playBeginner('Base')}>${t('tour.playStandard')}</button>
            <button type="button" @click=${() => app.playBeginner('contest')}>${t('tour.playContest')}</button>`
          : html`<button type="button" class=${this.state === 'done' ? 'primary' : ''} data-testid="tour-next" @click=${() => this.#set(this.index + 1)}>${this.state === 'done' ? t('common.next') : t('common.skip')}</button>`}
        ${this.state !== 'ask' ? html`<button type="button" @click=${() => this.again()}>${t('common.again')}</button>` : ''}
        ${this.index > 0 ? html`<button type="button" @click=${() => this.#set(this.index - 1)}>${t('steps.prev')}</button>` : ''}
      </div></div>
    </section>`;
  }
}
