// Puzzles: positions with exactly one solution, repeated by the boxes of Leitner.
import { html } from 'wabe/vendor/lit-html/lit-html.js';
import { number, percent, t, tn } from 'wabe/i18n.js';
import { mistakesOf, ownMistakes } from 'wabe/mistakes.js';
import { adviseMove, capitalize, describeMove, describeValue, shortMove, sideName } from 'wabe/moves.js';
import { describeError } from 'wabe/problems.js';
import { select } from 'wabe/select.js';
import { change, settings } from 'wabe/settings.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./types.js').View} View */
/** @typedef {import('./types.js').MoveView} MoveView */
/**
 * From puzzles.json, see docs/json.md, or a mistake of a reviewed game.
 * @typedef {object} Puzzle
 * @property {string} id
 * @property {string} game
 * @property {string | null} start
 * @property {string[]} before the moves up to the position
 * @property {'win' | 'save' | 'better'} goal
 * @property {number} plies
 * @property {string[]} line the solution and what follows
 * @property {string[]} themes
 * @property {number} [rating] not of mistakes
 * @property {string} [played] the mistake
 * @property {'mistake' | 'blunder'} [mark]
 * @property {import('./types.js').ValueView} [value] the value before the mistake
 */
/** The user's results. `box` is the number of the last solutions in a row, `due` a time in ms since 1970.
 * @typedef {{rating: number, streak: number, best: number, tried: number, solved: number, cards: Record<string, {box: number, due: number}>}} Results */

/** Days until a puzzle is repeated, by box. */
const DAYS = [0, 1, 3, 7, 21, 60];
const DAY = 24 * 60 * 60 * 1000;
/** Minutes until a missed puzzle is repeated. */
const MISSED_MINUTES = 10;
/** The user's first rating, below that of all puzzles: the easiest ones come first. */
const FIRST_RATING = 600;
/** Weight of a result in the user's rating. */
const K = 32;
/** The next puzzle is drawn from this number of puzzles with the nearest ratings. */
const CHOICE = 8;
/** Time for the search that judges a move, in ms. */
const JUDGE_MS = 1000;
/** Delay between the moves of the shown line, in ms. */
const STEP_MS = 900;
/** Instead of a mistake, a move is right that loses less expected score than this. */
const GOOD_LOSS = 0.05;

const THEMES = ['last-field', 'hunt', 'on-queen', 'throw', 'queen-move', 'drop', 'pin', 'gate', 'quiet'];
/** Game types with puzzles, in the order of the choice. */
const GAMES = ['Base', 'Base+MLP', 'contest'];
/** The choice of the user's own mistakes. */
const OWN = 'own';

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
    /** @type {Puzzle[]} */
    this.own = [];
    /** The mistakes of one side in the reviewed game, which are shown in turn.
     * @type {{puzzles: Puzzle[], index: number, solved: number} | null} */
    this.lesson = null;
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
    this.problem = '';
    try {
      if (!this.all) {
        const response = await fetch('puzzles.json');
        if (!response.ok) throw new Error(response.statusText);
        const puzzles = await response.json();
        this.all = puzzles.map((/** @type {any} */ { position, ...rest }) => ({ ...rest, start: position, before: [] }));
      }
      this.own = await ownMistakes(this.app);
      this.results = { ...noResults(), ...(await this.app.library.note('puzzles').catch(() => null)) };
      if (this.lesson) await this.#show(this.lesson.puzzles[0]);
      else if (!this.puzzle) await this.next();
    } catch (error) {
      this.problem = describeError(error);
    }
    this.app.refresh();
  }

  /**
   * Shows the mistakes of a side in the reviewed game.
   * @param {number} side
   */
  learn(side) {
    this.lesson = { puzzles: mistakesOf(this.app, side), index: 0, solved: 0 };
    this.app.go('puzzles');
  }

  endLesson() {
    if (!this.lesson) return;
    this.lesson = null;
    this.puzzle = null;
  }

  /** The puzzles of the chosen game and theme. */
  #pool() {
    const { puzzleGame } = settings;
    if (puzzleGame === OWN) return this.own;
    return (this.all ?? []).filter((puzzle) => puzzle.game === puzzleGame && (!this.theme || puzzle.themes.includes(this.theme)));
  }

  /** Shows the next puzzle: one that is due, otherwise a new one near the user's rating. */
  async next() {
    const { lesson } = this;
    if (lesson) {
      lesson.index += 1;
      await this.#show(lesson.puzzles[lesson.index] ?? null);
      return;
    }
    const { cards, rating } = this.results;
    const pool = this.#pool().filter(({ id }) => id !== this.puzzle?.id);
    const now = Date.now();
    const due = pool.filter(({ id }) => cards[id] && cards[id].due <= now).sort((a, b) => cards[a.id].due - cards[b.id].due);
    const distance = (/** @type {Puzzle} */ puzzle) => Math.abs((puzzle.rating ?? rating) - rating);
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
    const { game, start, before } = /** @type {Puzzle} */ (this.puzzle);
    return { game, start, moves: [...before, ...moves] };
  }

  #task() {
    const { puzzle, info } = this;
    if (!puzzle || !info) return '';
    const side = sideName(info, this.side);
    if (puzzle.goal === 'better') return t('puzzle.better', { side });
    return puzzle.goal === 'win' ? tn('puzzle.win', Math.ceil(puzzle.plies / 2), { side }) : t('puzzle.save', { side });
  }

  /**
   * Tries a move.
   * @param {MoveView} move
   */
  async move(move) {
    const { app, puzzle, info, first, key } = this;
    if (!puzzle || !info || !first || this.state !== 'ask') return;
    this.moveText = `${capitalize(describeMove(info, first, move, app.flipped()))}.`;
    const { view } = await app.show(this.#line([move.text]));
    if (this.key !== key) return;
    this.view = view;
    let result = /** @type {'right' | 'slow' | 'wrong'} */ ('right');
    // Two pieces of a kind may make the same move.
    if (move.text !== puzzle.line[0] && !same(view, (await app.show(this.#line([puzzle.line[0]]))).view)) {
      this.state = 'checking';
      app.refresh();
      result = await this.#judge(move, view);
    }
    if (this.key !== key) return;
    this.state = result;
    if (result !== 'slow') await this.#count(result === 'right');
    app.announce(`${t(`puzzle.${result}`)} ${result === 'right' ? this.moveText : this.reason}`);
    app.refresh();
    if (result === 'right') await this.#playOut(key);
  }

  /**
   * Searches the best reply to a move that is not the known solution.
   * @param {MoveView} move
   * @param {View} view after the move
   * @returns {Promise<'right' | 'slow' | 'wrong'>} `slow` if the move wins as well, but later
   */
  async #judge(move, view) {
    const { app, info, side, puzzle } = this;
    const ofSide = (/** @type {number} */ score) => (side === 0 ? score : 1 - score);
    const { played, value } = /** @type {Puzzle} */ (puzzle);
    const isGood = (/** @type {number} */ score) => value && move.text !== played && ofSide(value.score) - score < GOOD_LOSS;
    if (!info) return 'wrong';
    if (view.ending) {
      const { winner } = view.ending;
      return isGood(winner === null ? 0.5 : Number(winner === side)) ? 'right' : 'wrong';
    }
    try {
      const found = await app.connection.ask('search', { line: this.#line([move.text]), effort: { time_ms: JUDGE_MS, lines: 1, threads: settings.threads, memory_mib: settings.memory } });
      const [answer] = found.findings.lines;
      if (!answer) return 'wrong';
      const score = ofSide(answer.value.score);
      if (isGood(score)) return 'right';
      if (!value && answer.value.proven && score === 1) return 'slow';
      this.reply = { move: answer.move, side: 1 - side };
      // Chances are the solver's, like those of a hint.
      const describe = (/** @type {import('./types.js').ValueView} */ one) => (one.proven ? describeValue(info, one) : t('play.yourChances', { share: percent(ofSide(one.score)) }));
      this.reason = t('puzzle.refuted', { reply: describeMove(info, view, answer.move, this.app.flipped()), value: describe(answer.value) });
      if (value) this.reason += ` ${t('puzzle.best', { value: value.proven ? describe(value) : percent(ofSide(value.score)) })}`;
    } catch {
      // The connection was lost. The move is still wrong.
    }
    return 'wrong';
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
    this.moveText = move ? `${capitalize(adviseMove(info, first, move, this.app.flipped()))}.` : shortMove(solution);
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
    if (this.lesson && isSolved) this.lesson.solved += 1;
    await this.app.library.changeNote('puzzles', (/** @type {Results | null} */ before) => {
      const results = { ...noResults(), ...before };
      if (puzzle.rating) {
        const expected = 1 / (1 + 10 ** ((puzzle.rating - results.rating) / 400));
        results.rating = Math.round(results.rating + K * ((isSolved ? 1 : 0) - expected));
      }
      results.streak = isSolved ? results.streak + 1 : 0;
      results.best = Math.max(results.best, results.streak);
      results.tried += 1;
      results.solved += isSolved ? 1 : 0;
      const box = isSolved ? Math.min((results.cards[puzzle.id]?.box ?? 0) + 1, DAYS.length - 1) : 0;
      results.cards = { ...results.cards, [puzzle.id]: { box, due: Date.now() + (isSolved ? DAYS[box] * DAY : MISSED_MINUTES * 60_000) } };
      this.results = results;
      return results;
    }).catch((error) => this.app.fail(error));
  }

  /** Opens the puzzle on the analysis board. */
  async analyse() {
    const { app } = this;
    await app.table.load({ line: this.#line([]), source: 'analysis' });
    app.go('analyse');
  }

  /** @returns {import('./board.js').Arrow[]} */
  arrows() {
    return this.reply && this.state === 'wrong' ? [{ move: this.reply.move, side: this.reply.side, rank: 0, kind: 'threat' }] : [];
  }

  panel() {
    const { app, puzzle, info, lesson, state } = this;
    const isDone = state === 'right' || state === 'shown';
    return html`<section class="card puzzle" data-section="game">
      ${lesson && puzzle ? html`<p class="quiet">${t('puzzle.count', { n: lesson.index + 1, all: lesson.puzzles.length })}</p>` : ''}
      ${this.problem ? html`<p class="error" role="alert">${this.problem}</p>` : ''}
      ${puzzle && info ? html`
        <h2>${this.#task()}</h2>
        ${state === 'ask' || puzzle.played ? html`<p class="quiet">${this.#condition()}</p>` : ''}
        ${this.#verdict()}
        ${isDone && puzzle.rating ? html`<p class="quiet">${t('puzzle.facts', { rating: number(puzzle.rating) })} · ${puzzle.themes.map((theme) => t(`theme.${theme}`)).join(', ')}</p>` : ''}` : ''}
      ${puzzle ? '' : lesson ? html`<h2>${t('puzzle.finished')}</h2><p>${t('puzzle.solved', { n: lesson.solved, all: lesson.puzzles.length })}</p>`
        : this.all ? html`<p>${t(settings.puzzleGame === OWN ? 'puzzle.noMistakes' : 'puzzle.none')}</p>` : ''}
      <div class="buttons">
        ${puzzle && isDone ? html`<button type="button" class="primary" data-testid="puzzle-next" @click=${() => this.next()}>${t(lesson ? 'common.next' : 'puzzle.next')}</button>
          ${lesson ? '' : html`<button type="button" @click=${() => this.analyse()}>${t('nav.analyse')}</button>`}` : ''}
        ${state === 'wrong' || state === 'slow' ? html`<button type="button" class="primary" @click=${() => this.again()}>${t('common.again')}</button>` : ''}
        ${puzzle && !isDone && state !== 'checking' ? html`<button type="button" @click=${() => this.solve()}>${t('puzzle.solution')}</button>` : ''}
        ${puzzle && state === 'ask' ? html`<button type="button" @click=${() => this.next()}>${t('common.skip')}</button>` : ''}
        ${lesson ? html`<button type="button" @click=${() => app.go('review')}>${t('puzzle.leave')}</button>` : ''}
      </div>
      ${lesson ? '' : this.#choice()}
    </section>`;
  }

  /** The choice of game and theme, and the results. */
  #choice() {
    const { app, results } = this;
    const pick = async (/** @type {() => void} */ apply) => {
      apply();
      await this.next();
    };
    const due = this.#pool().filter(({ id }) => (results.cards[id]?.due ?? Infinity) <= Date.now()).length;
    return html`<div class="row">
        <label class="field">${t('start.game')}${
          select(settings.puzzleGame, [...GAMES, OWN].map((game) => [game, game === OWN ? t('puzzle.own') : app.gameName(game)]), (puzzleGame) => pick(() => change({ puzzleGame })))}</label>
        ${settings.puzzleGame === OWN ? '' : html`<label class="field">${t('puzzle.theme')}${
          select(this.theme, ['', ...THEMES].map((theme) => [theme, t(theme ? `theme.${theme}` : 'puzzle.allThemes')]), (theme) => pick(() => {
            this.theme = theme;
          }))}</label>`}
      </div>
      <p class="quiet" data-testid="puzzle-rating">${t('puzzle.rating', { n: number(results.rating) })} · ${t('puzzle.streak', { n: results.streak, best: results.best })}${due > 0 ? ` · ${tn('puzzle.due', due)}` : ''}</p>`;
  }

  /** What makes a move the solution. */
  #condition() {
    const { puzzle, info, first } = this;
    if (!puzzle?.played) return t(puzzle?.goal === 'win' ? 'puzzle.onlyWin' : 'puzzle.onlySave');
    const move = first?.moves.find(({ text }) => text === puzzle.played);
    return t('puzzle.played', { move: info && first && move ? describeMove(info, first, move, this.app.flipped()) : shortMove(puzzle.played), mark: t(`mark.${puzzle.mark}`) });
  }

  #verdict() {
    const { state, moveText, puzzle } = this;
    const rest = puzzle?.line.slice(1).map(shortMove) ?? [];
    const then = rest.length > 0 ? `${capitalize(t('hint.then', { moves: rest.join(' · ') }))}.` : '';
    switch (state) {
      case 'checking': return html`<p class="callout">${t('puzzle.checking')}</p>`;
      case 'right': return html`<p class="callout good" role="status"><strong>${t('puzzle.right')}</strong> ${moveText} ${then}</p>`;
      case 'slow': return html`<p class="callout" role="status"><strong>${t('puzzle.slow')}</strong> ${moveText}</p>`;
      case 'wrong': return html`<p class="callout bad" role="status"><strong>${t('puzzle.wrong')}</strong> ${moveText} ${this.reason}</p>`;
      case 'shown': return html`<p class="callout"><strong>${t('puzzle.isSolution')}</strong> ${moveText} ${then}</p>`;
      default: return '';
    }
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
