// Puzzles: positions with exactly one solution, repeated by the boxes of Leitner.
import { html } from './vendor/lit-html/lit-html.js';
import { number, t, tn } from './i18n.js';
import { adviseMove, capitalize, describeMove, describeValue, shortMove, sideName } from './moves.js';
import { change, settings } from './settings.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./types.js').View} View */
/** @typedef {import('./types.js').MoveView} MoveView */
/**
 * As in puzzles.json, see docs/json.md.
 * @typedef {object} Puzzle
 * @property {string} id
 * @property {string} game
 * @property {string} position
 * @property {'win' | 'save'} goal
 * @property {number} plies
 * @property {string[]} line the solution and what follows
 * @property {string[]} themes
 * @property {number} rating
 */
/** The user's results. `box` is the number of the last solutions in a row, `due` a time in ms since 1970.
 * @typedef {{rating: number, streak: number, best: number, tried: number, solved: number, cards: Record<string, {box: number, due: number}>}} Results */

/** Days until a puzzle is repeated, by box. */
const DAYS = [0, 1, 3, 7, 21, 60];
const DAY = 24 * 60 * 60 * 1000;
/** Minutes until a missed puzzle is repeated. */
const MISSED_MINUTES = 10;
/** The user's first rating. */
const FIRST_RATING = 900;
/** Weight of a result in the user's rating. */
const K = 32;
/** The next puzzle is drawn from this number of puzzles with the nearest ratings. */
const CHOICE = 8;
/** Time for the search that refutes a wrong move, in ms. */
const REFUTE_MS = 1000;
/** Delay between the moves of the shown line, in ms. */
const STEP_MS = 900;

export const THEMES = ['last-field', 'on-queen', 'throw', 'queen-move', 'drop', 'pin', 'quiet'];
/** Game types with puzzles, in the order of the choice. */
const GAMES = ['Base', 'Base+MLP', 'contest'];

/** @returns {Results} */
function noResults() {
  return { rating: FIRST_RATING, streak: 0, best: 0, tried: 0, solved: 0, cards: {} };
}

export class Puzzles {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Puzzle[] | null} */
    this.all = null;
    this.results = noResults();
    this.theme = '';
    /** @type {Puzzle | null} */
    this.puzzle = null;
    /** The position of the puzzle. @type {View | null} */
    this.first = null;
    /** The shown position. @type {View | null} */
    this.view = null;
    /** @type {'ask' | 'checking' | 'right' | 'wrong' | 'slow' | 'shown'} */
    this.state = 'ask';
    /** Whether this try counts: only the first one does. */
    this.counts = true;
    this.moveText = '';
    this.reason = '';
    this.problem = '';
    /** The arrow of a refutation. @type {{move: MoveView, side: number} | null} */
    this.reply = null;
    /** Changes with every puzzle. */
    this.key = 0;
  }

  get info() {
    return this.puzzle ? this.app.gameInfo(this.puzzle.game) : null;
  }

  /** The side to move in the puzzle. */
  get side() {
    return this.first?.to_move ?? 0;
  }

  async begin() {
    try {
      if (!this.all) {
        const response = await fetch('puzzles.json');
        if (!response.ok) throw new Error(response.statusText);
        this.all = await response.json();
      }
      this.results = { ...noResults(), ...(await this.app.library.note('puzzles')) };
      if (!this.puzzle) await this.next();
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    }
    this.app.refresh();
  }

  /** The puzzles of the chosen game and theme. */
  #pool() {
    const { puzzleGame } = settings;
    return (this.all ?? []).filter((puzzle) => puzzle.game === puzzleGame && (!this.theme || puzzle.themes.includes(this.theme)));
  }

  /** Shows the next puzzle: one that is due, otherwise a new one near the user's rating. */
  async next() {
    const { cards, rating } = this.results;
    const pool = this.#pool().filter(({ id }) => id !== this.puzzle?.id);
    const now = Date.now();
    const due = pool.filter(({ id }) => cards[id] && cards[id].due <= now).sort((a, b) => cards[a.id].due - cards[b.id].due);
    const distance = (/** @type {Puzzle} */ puzzle) => Math.abs(puzzle.rating - rating);
    const fresh = pool.filter(({ id }) => !cards[id]).sort((a, b) => distance(a) - distance(b)).slice(0, CHOICE);
    const rest = pool.sort((a, b) => (cards[a.id]?.due ?? 0) - (cards[b.id]?.due ?? 0));
    const puzzle = due[0] ?? fresh[Math.floor(Math.random() * fresh.length)] ?? rest[0] ?? null;
    await this.#show(puzzle);
  }

  /** @param {Puzzle | null} puzzle */
  async #show(puzzle) {
    const { app } = this;
    this.puzzle = puzzle;
    this.key += 1;
    this.counts = true;
    this.#reset();
    this.first = null;
    if (puzzle) {
      const { view } = await app.show(this.#line([]));
      this.first = view;
      this.view = view;
      app.announce(this.#task());
    }
    app.refresh();
  }

  #reset() {
    this.state = 'ask';
    this.view = this.first;
    this.moveText = '';
    this.reason = '';
    this.reply = null;
  }

  /** @param {string[]} moves */
  #line(moves) {
    const { game, position } = /** @type {Puzzle} */ (this.puzzle);
    return { game, start: position, moves };
  }

  #task() {
    const { puzzle, info } = this;
    if (!puzzle || !info) return '';
    const side = sideName(info, this.side);
    return puzzle.goal === 'win' ? tn('puzzle.win', Math.ceil(puzzle.plies / 2), { side }) : t('puzzle.save', { side });
  }

  /**
   * Tries a move.
   * @param {MoveView} move
   */
  async move(move) {
    const { app, puzzle, info, first, key } = this;
    if (!puzzle || !info || !first || this.state !== 'ask') return;
    this.moveText = `${capitalize(describeMove(info, first, move))}.`;
    const { view } = await app.show(this.#line([move.text]));
    if (this.key !== key) return;
    this.view = view;
    // Two pieces of a kind may make the same move.
    const isRight = move.text === puzzle.line[0] || same(view, (await app.show(this.#line([puzzle.line[0]]))).view);
    if (isRight) {
      this.state = 'right';
      await this.#count(true);
      app.announce(`${t('puzzle.right')} ${this.moveText}`);
      app.refresh();
      await this.#playOut(key);
      return;
    }
    this.state = 'checking';
    app.refresh();
    const isSlow = await this.#refute(move, view);
    if (this.key !== key) return;
    this.state = isSlow ? 'slow' : 'wrong';
    if (!isSlow) await this.#count(false);
    app.announce(`${t(`puzzle.${this.state}`)} ${this.reason}`);
    app.refresh();
  }

  /**
   * Finds the best reply to a wrong move. Returns true if the move wins as well, but later.
   * @param {MoveView} move
   * @param {View} view after the move
   */
  async #refute(move, view) {
    const { app, info, side } = this;
    if (!info || view.ending) return false;
    try {
      const found = await app.connection.ask('search', { line: this.#line([move.text]), effort: { time_ms: REFUTE_MS, lines: 1, threads: settings.threads, memory_mib: settings.memory } });
      const [answer] = found.findings.lines;
      if (!answer) return false;
      const score = side === 0 ? answer.value.score : 1 - answer.value.score;
      if (answer.value.proven && score === 1) return true;
      this.reply = { move: answer.move, side: 1 - side };
      this.reason = t('puzzle.refuted', { reply: describeMove(info, view, answer.move), value: describeValue(info, answer.value) });
    } catch {
      // The connection was lost. The move is still wrong.
    }
    return false;
  }

  /** Shows the moves after the solution. @param {number} key */
  async #playOut(key) {
    const line = /** @type {Puzzle} */ (this.puzzle).line;
    for (let count = 2; count <= line.length; count += 1) {
      await new Promise((resolve) => setTimeout(resolve, this.app.reducedMotion ? 0 : STEP_MS));
      if (this.key !== key || (this.state !== 'right' && this.state !== 'shown')) return;
      const { view } = await this.app.show(this.#line(line.slice(0, count)));
      if (this.key !== key) return;
      this.view = view;
      this.app.refresh();
    }
  }

  again() {
    this.#reset();
    this.app.refresh();
  }

  /** Shows the solution. */
  async solve() {
    const { app, puzzle, info, first, key } = this;
    if (!puzzle || !info || !first) return;
    await this.#count(false);
    const [solution] = puzzle.line;
    const move = first.moves.find(({ text }) => text === solution);
    this.moveText = move ? `${capitalize(adviseMove(info, first, move))}.` : shortMove(solution);
    this.reply = null;
    this.state = 'shown';
    const { view } = await app.show(this.#line([solution]));
    if (this.key !== key) return;
    this.view = view;
    app.refresh();
    await this.#playOut(key);
  }

  /**
   * Records the result of the first try.
   * @param {boolean} isSolved
   */
  async #count(isSolved) {
    const { puzzle } = this;
    if (!puzzle || !this.counts) return;
    this.counts = false;
    await this.app.library.changeNote('puzzles', (/** @type {Results | null} */ before) => {
      const results = { ...noResults(), ...before };
      const expected = 1 / (1 + 10 ** ((puzzle.rating - results.rating) / 400));
      results.rating = Math.round(results.rating + K * ((isSolved ? 1 : 0) - expected));
      results.streak = isSolved ? results.streak + 1 : 0;
      results.best = Math.max(results.best, results.streak);
      results.tried += 1;
      results.solved += isSolved ? 1 : 0;
      const box = isSolved ? Math.min((results.cards[puzzle.id]?.box ?? 0) + 1, DAYS.length - 1) : 0;
      results.cards = { ...results.cards, [puzzle.id]: { box, due: Date.now() + (isSolved ? DAYS[box] * DAY : MISSED_MINUTES * 60_000) } };
      this.results = results;
      return results;
    });
  }

  /** Opens the puzzle on the analysis board. */
  async analyse() {
    const { app } = this;
    app.play.halt();
    await app.table.load({ line: this.#line([]), source: 'analysis' });
    app.go('analyse');
  }

  /** @returns {import('./board.js').Arrow[]} */
  arrows() {
    return this.reply && this.state === 'wrong' ? [{ move: this.reply.move, side: this.reply.side, rank: 0, kind: 'threat' }] : [];
  }

  panel() {
    const { app, puzzle, info, results, state } = this;
    const pick = async (/** @type {() => void} */ apply) => {
      apply();
      await this.next();
    };
    const value = (/** @type {Event} */ event) => /** @type {HTMLSelectElement} */ (event.target).value;
    const due = this.#pool().filter(({ id }) => (results.cards[id]?.due ?? Infinity) <= Date.now()).length;
    return html`<section class="card puzzle" data-section="game">
      <div class="row">
        <label class="field">${t('start.game')}<select @change=${(/** @type {Event} */ event) => pick(() => change({ puzzleGame: value(event) }))}>
          ${GAMES.map((game) => html`<option value=${game} ?selected=${settings.puzzleGame === game}>${app.gameName(game)}</option>`)}</select></label>
        <label class="field">${t('puzzle.theme')}<select @change=${(/** @type {Event} */ event) => pick(() => {
          this.theme = value(event);
        })}><option value="">${t('puzzle.allThemes')}</option>${THEMES.map((theme) => html`<option value=${theme} ?selected=${this.theme === theme}>${t(`theme.${theme}`)}</option>`)}</select></label>
      </div>
      <p class="quiet" data-testid="puzzle-rating">${t('puzzle.rating', { n: number(results.rating) })} · ${t('puzzle.streak', { n: results.streak, best: results.best })}${due > 0 ? ` · ${tn('puzzle.due', due)}` : ''}</p>
      ${this.problem ? html`<p class="error" role="alert">${this.problem}</p>` : ''}
      ${puzzle && info ? html`
        <h2>${this.#task()}</h2>
        ${state === 'ask' ? html`<p class="quiet">${t(puzzle.goal === 'win' ? 'puzzle.onlyWin' : 'puzzle.onlySave')}</p>` : ''}
        ${state === 'checking' ? html`<p class="callout">${t('learn.checking')}</p>` : ''}
        ${state === 'right' ? html`<p class="callout good" role="status"><strong>${t('puzzle.right')}</strong> ${this.moveText}</p>` : ''}
        ${state === 'slow' ? html`<p class="callout" role="status"><strong>${t('puzzle.slow')}</strong> ${this.moveText}</p>` : ''}
        ${state === 'wrong' ? html`<p class="callout bad" role="status"><strong>${t('puzzle.wrong')}</strong> ${this.moveText} ${this.reason}</p>` : ''}
        ${state === 'shown' ? html`<p class="callout"><strong>${t('learn.isSolution')}</strong> ${this.moveText}</p>` : ''}
        ${state === 'right' || state === 'shown' ? html`<p class="quiet">${t('puzzle.facts', { rating: number(puzzle.rating) })} · ${puzzle.themes.map((theme) => t(`theme.${theme}`)).join(', ')}</p>` : ''}
        <div class="buttons">
          ${state === 'right' || state === 'shown' ? html`<button type="button" class="primary" data-testid="puzzle-next" @click=${() => this.next()}>${t('puzzle.next')}</button>
            <button type="button" @click=${() => this.analyse()}>${t('nav.analyse')}</button>` : ''}
          ${state === 'wrong' || state === 'slow' ? html`<button type="button" class="primary" @click=${() => this.again()}>${t('learn.again')}</button>` : ''}
          ${state === 'ask' || state === 'wrong' || state === 'slow' ? html`<button type="button" @click=${() => this.solve()}>${t('learn.solution')}</button>` : ''}
          ${state === 'ask' ? html`<button type="button" @click=${() => this.next()}>${t('puzzle.skip')}</button>` : ''}
        </div>` : this.all ? html`<p>${t('puzzle.none')}</p>` : ''}
    </section>`;
  }
}

/**
 * True if the same kinds stand on the same fields.
 * @param {View} a
 * @param {View} b
 */
function same(a, b) {
  const text = (/** @type {View} */ view) => JSON.stringify(view.stacks.map(({ at, pieces }) => [at, pieces.map(({ side, letter }) => [side, letter])]).sort());
  return text(a) === text(b);
}
