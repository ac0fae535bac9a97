// The position editor. The engine checks the position after every change.
import { html } from 'wabe/vendor/lit-html/lit-html.js';
import { key, neighbour } from 'wabe/geometry.js';
import { History } from 'wabe/history.js';
import { t } from 'wabe/i18n.js';
import { icon, iconButton } from 'wabe/icons.js';
import { kindName, pieceName, sideName } from 'wabe/moves.js';
import { paintOf, tileIcon } from 'wabe/pieces.js';
import { describeError, Problem } from 'wabe/problems.js';
import { select } from 'wabe/select.js';
import { settings } from 'wabe/settings.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./types.js').Field} Field */
/** @typedef {import('./types.js').GameInfo} GameInfo */
/** @typedef {import('./types.js').View} View */
/** @typedef {{at: Field, pieces: import('./types.js').PieceView[]}} Stack */
/** @typedef {{info: GameInfo | null, stacks: [string, Stack][], obstacles: Map<string, Field>, fields: Field[], toMove: number, round: number, follow: boolean, reserves: [Record<string, number>, Record<string, number>]}} Snapshot */
/** The library's note of the position. */
const NOTE = 'editor';

/** @typedef {{kind: 'piece', side: number, letter: string} | {kind: 'bramble'} | {kind: 'erase'}} Tool */

export class Editor {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {GameInfo | null} */
    this.info = null;
    /** @type {Tool} */
    this.tool = { kind: 'erase' };
    /** @type {Map<string, {at: Field, pieces: import('./types.js').PieceView[]}>} */
    this.stacks = new Map();
    /** @type {Map<string, Field>} */
    this.obstacles = new Map();
    /** The fields of a board with an edge; otherwise empty.
     * @type {Field[]} */
    this.fields = [];
    this.toMove = 0;
    this.round = 1;
    /** False while the round follows the number of pieces. */
    this.hasChosenRound = false;
    /** True if all pieces that are not on the board are in the reserves. */
    this.follow = true;
    /** @type {[Record<string, number>, Record<string, number>]} */
    this.reserves = [{}, {}];
    this.problem = '';
    /** @type {import('./types.js').OpenedGame | null} */
    this.opened = null;
    /** Incremented on every check, to ignore late answers. */
    this.ticket = 0;
    /** Changes whenever a position is loaded. */
    this.key = 0;
    /** @type {View | null} */
    this.view = null;
    this.history = new History();
    /** The address of the table's position that was loaded; `null` before the first visit.
     * @type {string | null} */
    this.from = null;
  }

  /** Goes on with the position of the last visit, unless the table shows another one since. Then
   * loads that, or an empty board. */
  async begin() {
    const { table, welcome, library } = this.app;
    if (!welcome) return;
    const from = table.fragment();
    if (this.from === from) return;
    const note = this.from === null ? await library.note(NOTE).catch(() => null) : null;
    const info = this.app.gameInfo(note?.game ?? '');
    this.from = from;
    this.history.clear();
    if (info && (!table.tree || note.from === from)) {
      const { game: _game, from: _from, ...position } = note;
      const restored = this.#restore({ ...position, info, obstacles: new Map(note.obstacles) });
      // Before the position is shown, so that a click already has a piece.
      this.#chooseTool();
      await restored;
    } else if (table.info && table.view) await this.load(table.info, table.view);
    else await this.clear(this.app.gameInfo(settings.game) ?? welcome.games[0]);
  }

  /**
   * @param {GameInfo} info
   * @param {View} view
   */
  async load(info, view) {
    this.info = info;
    this.key += 1;
    this.stacks = new Map(view.stacks.map((stack) => [key(stack.at), { at: stack.at, pieces: [...stack.pieces] }]));
    this.obstacles = new Map(view.obstacles.map((field) => [key(field), field]));
    this.fields = info.has_edge ? view.fields : [];
    this.toMove = view.turn % 2;
    this.round = Math.floor(view.turn / 2) + 1;
    this.hasChosenRound = false;
    this.#setReserves((letter, side) => view.reserves.find((one) => one.letter === letter)?.counts[side] ?? 0);
    this.follow = info.kinds.every((kind) => [0, 1].every((side) => this.reserves[side][kind.letter] === this.#left(kind.letter, side)));
    this.#chooseTool();
    await this.#changed();
  }

  /** Chooses the first piece in reserve. */
  #chooseTool() {
    const kinds = this.info?.kinds ?? [];
    const free = [0, 1].flatMap((side) => kinds.map(({ letter }) => ({ side, letter }))).find(({ side, letter }) => this.#left(letter, side) > 0);
    this.tool = free ? { kind: 'piece', ...free } : { kind: 'erase' };
  }

  /**
   * Loads an empty board.
   * @param {GameInfo} info
   */
  async clear(info) {
    const opened = await this.app.connection.ask('new', { game: info.word });
    const { view } = await this.app.show(opened.games[0].line);
    await this.load(info, { ...view, stacks: [] });
  }

  /** @param {(letter: string, side: number) => number} count */
  #setReserves(count) {
    for (const side of [0, 1]) {
      this.reserves[side] = Object.fromEntries((this.info?.kinds ?? []).map(({ letter }) => [letter, count(letter, side)]));
    }
  }

  /**
   * Number of pieces of a kind that a side has left to place.
   * @param {string} letter
   * @param {number} side
   */
  #left(letter, side) {
    const all = this.info?.kinds.find((kind) => kind.letter === letter)?.count ?? 0;
    let placed = 0;
    for (const { pieces } of this.stacks.values()) placed += pieces.filter((piece) => piece.letter === letter && piece.side === side).length;
    return Math.max(0, all - placed);
  }

  /** The position, for undo. @returns {Snapshot} */
  #snapshot() {
    const { info, fields, toMove, round, follow } = this;
    return structuredClone({ info, stacks: [...this.stacks], obstacles: this.obstacles, fields, toMove, round, follow, reserves: this.reserves });
  }

  /** @param {Snapshot} to */
  #restore(to) {
    const { stacks, info, ...others } = structuredClone(to);
    if (this.info?.word !== info?.word) {
      this.key += 1;
      this.info = info;
    }
    Object.assign(this, others);
    this.stacks = new Map(stacks);
    this.#save();
    return this.#changed();
  }

  #save() {
    const { info, obstacles, ...others } = this.#snapshot();
    const note = { ...others, game: info?.word, obstacles: [...obstacles], from: this.from };
    this.app.library.changeNote(NOTE, () => note).catch(() => {});
  }

  /**
   * Makes a change that can be undone.
   * @param {() => void | Promise<void>} change
   */
  async #edit(change) {
    const before = this.#snapshot();
    await change();
    const after = this.#snapshot();
    this.history.record({ undo: () => this.#restore(before), redo: () => this.#restore(after) });
    this.#save();
    await this.#changed();
  }

  /**
   * Moves the top piece of a field. Without a target, removes it.
   * @param {Field} from
   * @param {Field | null} to
   */
  async drag(from, to) {
    const stack = this.stacks.get(key(from));
    if (!stack || (to && this.obstacles.has(key(to)))) return;
    await this.#edit(() => {
      const piece = stack.pieces.pop();
      if (stack.pieces.length === 0) this.stacks.delete(key(from));
      if (!piece || !to) return;
      const target = this.stacks.get(key(to));
      if (target) target.pieces.push(piece);
      else this.stacks.set(key(to), { at: to, pieces: [piece] });
    });
  }

  /** Applies the tool to a field. @param {Field} field */
  async put(field) {
    const { tool } = this;
    const piece = tool.kind === 'piece' ? { side: tool.side, letter: tool.letter, number: null } : null;
    if (piece && this.obstacles.has(key(field))) return;
    if (piece && this.#left(piece.letter, piece.side) === 0) {
      this.app.toast(t('editor.noneLeft', { piece: pieceName(/** @type {GameInfo} */ (this.info), piece) }));
      return;
    }
    await this.#edit(() => this.#apply(field));
  }

  /** @param {Field} field */
  #apply(field) {
    const name = key(field);
    const stack = this.stacks.get(name);
    const { tool } = this;
    if (tool.kind === 'bramble') {
      if (this.obstacles.has(name)) this.obstacles.delete(name);
      else if (!stack) this.obstacles.set(name, field);
    } else if (tool.kind === 'erase') {
      if (stack && stack.pieces.length > 1) stack.pieces.pop();
      else if (stack) this.stacks.delete(name);
      else this.obstacles.delete(name);
    } else {
      const piece = { side: tool.side, letter: tool.letter, number: null };
      if (stack) stack.pieces.push(piece);
      else this.stacks.set(name, { at: field, pieces: [piece] });
    }
  }

  /** @returns {Field[]} */
  #allFields() {
    if (this.info?.has_edge) return this.fields;
    const fields = new Map([[key([0, 0]), /** @type {Field} */ ([0, 0])]]);
    const add = (/** @type {Field} */ field, /** @type {number} */ steps) => {
      fields.set(key(field), field);
      if (steps > 0) for (let i = 0; i < 6; i += 1) add(neighbour(field, i), steps - 1);
    };
    add([0, 0], 3);
    for (const { at } of this.stacks.values()) add(at, 2);
    return [...fields.values()];
  }

  #draw() {
    this.view = {
      fields: this.#allFields(),
      obstacles: [...this.obstacles.values()],
      stacks: [...this.stacks.values()].map(({ at, pieces }) => ({ at, pieces: [...pieces] })),
      last: null, turn: this.#turn(), progress: '', to_move: this.toMove, ending: null, state: '',
      reserves: (this.info?.kinds ?? []).map(({ letter }) => ({ letter, counts: [this.reserves[0][letter], this.reserves[1][letter]] })),
      free: [null, null], moves: [], idle: [],
    };
  }

  #turn() {
    return (this.round - 1) * 2 + this.toMove;
  }

  async #changed() {
    if (this.follow) this.#setReserves((letter, side) => this.#left(letter, side));
    this.#draw();
    this.opened = null;
    this.ticket += 1;
    const { ticket } = this;
    this.app.refresh();
    const info = this.info;
    if (!info) return;
    const reserve = (/** @type {number} */ side) => info.kinds.map(({ letter }) => letter.repeat(this.reserves[side][letter])).join('');
    const setup = {
      turn: this.#turn(),
      obstacles: [...this.obstacles.values()],
      stacks: [...this.stacks.values()].map(({ at, pieces }) => ({ at, pieces: pieces.map((piece) => [piece.side, piece.letter]) })),
      reserves: [reserve(0), reserve(1)],
    };
    try {
      const { games } = await this.app.connection.ask('edit', { game: info.word, setup });
      if (this.ticket !== ticket) return;
      this.opened = games[0];
      this.problem = '';
    } catch (error) {
      if (this.ticket !== ticket) return;
      const problem = error instanceof Problem ? error.problem : null;
      if (problem?.code === 'too_few_turns' && !this.hasChosenRound) {
        this.round = problem.round;
        await this.#changed();
        return;
      }
      this.problem = describeError(error);
    }
    this.app.refresh();
  }

  /** Puts the position on the table. @param {'analyse' | 'play'} mode */
  async use(mode) {
    const { app, opened } = this;
    if (!opened) return;
    const level = Math.min(settings.engines[0].level, app.highestLevel);
    const person = /** @type {const} */ ({ kind: 'person' });
    const engine = /** @type {const} */ ({ kind: 'wabe', level });
    await app.table.load({
      line: opened.line,
      seats: mode === 'play' ? (this.toMove === 0 ? [person, engine] : [engine, person]) : null,
      control: mode === 'play' ? { kind: 'none', moveMs: settings.moveMs } : null,
    });
    app.table.flipped = mode === 'play' && this.toMove === 1;
    this.from = app.table.fragment();
    this.#save();
    app.go(mode);
  }

  // --- the panel ---

  panel() {
    const info = this.info;
    if (!info || !this.view) return '';
    const { app, tool } = this;
    const pick = (/** @type {Tool} */ next) => {
      this.tool = next;
      app.refresh();
    };
    return html`<section class="editor ${paintOf(info)}" data-section="game">
      <label class="field inline">${t('start.game')}${select(info.word, (app.welcome?.games ?? []).map(({ word }) => [word, app.gameName(word)]), (word) => {
        const next = app.gameInfo(word);
        if (next) this.#edit(() => this.clear(next));
      })}</label>
      ${[0, 1].map((side) => html`<div class="palette" role="group" aria-label=${sideName(info, side)}>${info.kinds.map(({ letter }) => {
        const left = this.#left(letter, side);
        const active = tool.kind === 'piece' && tool.side === side && tool.letter === letter;
        return html`<button type="button" class="palette-button" aria-pressed=${active ? 'true' : 'false'} aria-label=${`${pieceName(info, { side, letter })}, ${t('reserve.left', { n: left })}`}
          title=${pieceName(info, { side, letter })} ?disabled=${left === 0 && !active} @click=${() => pick({ kind: 'piece', side, letter })}>${tileIcon({ side, letter, number: null })}<span class="count">${left}</span></button>`;
      })}</div>`)}
      <div class="palette tools" role="group" aria-label=${t('editor.tools')}>
        <button type="button" class="palette-button with-text" aria-pressed=${tool.kind === 'erase' ? 'true' : 'false'} @click=${() => pick({ kind: 'erase' })}>${icon('trash')}${t('editor.erase')}</button>
        ${info.has_edge ? html`<button type="button" class="palette-button with-text" aria-pressed=${tool.kind === 'bramble' ? 'true' : 'false'} @click=${() => pick({ kind: 'bramble' })}>${icon('plus')}${t('editor.bramble')}</button>` : ''}
      </div>
      <div class="row">
        <label class="field">${t('editor.toMove')}${select(this.toMove, [0, 1].map((side) => [side, sideName(info, side)]), (side) => {
          this.#edit(() => {
            this.toMove = side;
          });
        })}</label>
        <label class="field">${t('editor.round')}<input type="number" min="1" max="500" .value=${String(this.round)} @change=${(/** @type {Event} */ event) => {
          const round = Math.max(1, Math.min(500, Number(/** @type {HTMLInputElement} */ (event.target).value) || 1));
          this.#edit(() => {
            this.round = round;
            this.hasChosenRound = true;
          });
        }}></label>
      </div>
      <label class="check"><input type="checkbox" .checked=${this.follow} @change=${(/** @type {Event} */ event) => {
        const { checked } = /** @type {HTMLInputElement} */ (event.target);
        this.#edit(() => {
          this.follow = checked;
        });
      }}>${t('editor.follow')}</label>
      ${this.follow ? '' : html`<table class="reserve-table"><thead><tr><td></td>${[0, 1].map((side) => html`<th scope="col">${sideName(info, side)}</th>`)}</tr></thead><tbody>
        ${info.kinds.map(({ letter }) => html`<tr><th scope="row">${kindName(info, letter)}</th>${[0, 1].map((side) => html`<td><input type="number" min="0" max="9" aria-label=${pieceName(info, { side, letter })} .value=${String(this.reserves[side][letter])} @change=${(/** @type {Event} */ event) => {
          const count = Math.max(0, Math.min(9, Number(/** @type {HTMLInputElement} */ (event.target).value) || 0));
          this.#edit(() => {
            this.reserves[side][letter] = count;
          });
        }}></td>`)}</tr>`)}</tbody></table>`}
      <p class=${this.problem ? 'callout bad' : 'callout good'} role="status" data-testid="editor-state">${this.problem || (this.opened ? t('editor.fine') : t('editor.checking'))}</p>
      <div class="buttons">
        <button type="button" class="primary" ?disabled=${!this.opened} @click=${() => this.use('analyse')}>${t('editor.analyse')}</button>
        <button type="button" ?disabled=${!this.opened} @click=${() => this.use('play')}>${t('editor.play')}</button>
        <button type="button" @click=${() => this.#edit(() => this.clear(info))}>${t('editor.clear')}</button>
        ${iconButton('undo', t('moves.undo'), () => this.history.undo(), { disabled: this.history.done.length === 0 })}
        ${iconButton('redo', t('moves.redo'), () => this.history.redo(), { disabled: this.history.undone.length === 0 })}
      </div>
      <p class="quiet">${t('editor.help')}</p>
    </section>`;
  }
}
