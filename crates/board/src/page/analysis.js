// Analysis mode: engine lines, arrows and the evaluation bar for the shown position.
import { html } from 'wabe/vendor/lit-html/lit-html.js';
import { t } from 'wabe/i18n.js';
import { compareLines, engineSection, LineOrder } from 'wabe/lines.js';
import { moveList, nodeTools } from 'wabe/movelist.js';
import { describeValue, sideName } from 'wabe/moves.js';
import { paintOf } from 'wabe/pieces.js';
import { passCallout, typedMove } from 'wabe/playpanel.js';
import { describeError } from 'wabe/problems.js';
import { settings } from 'wabe/settings.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./types.js').Findings} Findings */
/** @typedef {import('./types.js').ValueView} ValueView */


/**
 * The findings about a position after those about one move were updated.
 * @param {Findings} all
 * @param {string} move
 * @param {Findings} below about the position after the move
 * @returns {Findings}
 */
function withDeeperLine(all, move, below) {
  const [reply] = below.lines;
  const lines = all.lines.map((line) => {
    if (line.move.text !== move || !reply) return line;
    const plies = reply.value.plies === null ? null : reply.value.plies + 1;
    return { ...line, variation: [move, ...reply.variation], value: { ...reply.value, plies }, visits: below.nodes };
  });
  return { ...below, lines };
}

export class Analysis {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.on = false;
    this.threat = false;
    /** The latest findings, with lines in the order shown.
     * @type {Findings | null} */
    this.findings = null;
    this.order = new LineOrder();
    /** The findings of all lines, with the hidden ones.
     * @type {Findings | null} */
    this.found = null;
    /** Moves that the user has left out. @type {Set<string>} */
    this.hidden = new Set();
    /** The only move to search; empty for all. */
    this.only = '';
    /** Memory that the search has used, in bytes. */
    this.memory = 0;
    /** The id of the searched node. */
    this.at = 0;
    /** The table's key when `values` was filled. */
    this.key = 0;
    /** Incremented on every search, to ignore late answers. */
    this.ticket = 0;
    this.running = false;
    this.problem = '';
    this.showOptions = false;
    /** The position after the first `count` moves of a line, shown while the mouse hovers over it.
     * @type {{line: number, count: number, view: import('./types.js').View} | null} */
    this.preview = null;
    this.hovered = '';
    /** Values of searched positions, by node.
     * @type {Map<number, ValueView>} */
    this.values = new Map();
  }

  /** Starts, restarts or stops the search after a change of position or mode. */
  changed() {
    const { table, mode } = this.app;
    this.preview = null;
    this.hovered = '';
    if (this.key !== table.key) {
      this.key = table.key;
      this.values = new Map();
      this.findings = null;
    }
    if (this.at !== table.tree?.current.id) this.findings = null;
    if (!this.findings) {
      this.order.reset();
      this.hidden.clear();
      this.only = '';
    }
    const wanted = this.on && !this.isWaiting() && this.isAvailable(mode) && !!table.tree && !!table.view && table.view.to_move !== null;
    if (wanted) this.#search();
    else this.halt();
  }

  /**
   * True if a view shows the engine. A review and its puzzles search themselves.
   * @param {import('./app.js').Mode} mode
   */
  isAvailable(mode) {
    const { review, recorded } = this.app;
    return mode === 'analyse' || (mode === 'review' && !recorded && !review.running);
  }

  /** True while wabe thinks about its move of a game, because a search would interrupt it. */
  isWaiting() {
    return this.app.play.thinkingAt !== 0;
  }

  halt() {
    this.ticket += 1;
    if (!this.running) return;
    this.running = false;
    this.app.connection.stop();
  }

  async #search() {
    const { app } = this;
    const { tree } = app.table;
    if (!tree) return;
    const node = tree.current;
    this.ticket += 1;
    const { ticket } = this;
    this.at = node.id;
    this.running = true;
    this.problem = '';
    const toMove = app.table.view?.to_move ?? 0;
    const side = this.threat ? 1 - toMove : toMove;
    const { only, found: all } = this;
    const take = (/** @type {{findings: Findings, memory_bytes?: number}} */ { findings, memory_bytes: memory }) => {
      if (this.ticket !== ticket || findings.lines.length === 0) return;
      this.found = only && all ? withDeeperLine(all, only, findings) : findings;
      this.memory = memory ?? this.memory;
      this.#arrange(side);
      const [best] = this.found.lines.slice(0, settings.lines).sort((a, b) => compareLines(a, b, side));
      if (!this.threat) this.values.set(node.id, best.value);
      app.refresh();
    };
    const line = tree.line();
    try {
      const found = await app.connection.ask('search', {
        line: only ? { ...line, moves: [...line.moves, only] } : line,
        effort: { lines: only ? 1 : settings.lines, threads: Math.min(settings.threads, app.welcome?.threads ?? 1), memory_mib: settings.memory },
        threat: this.threat, without: only ? [] : [...this.hidden],
      }, take);
      if (this.ticket === ticket) this.order.settle();
      take(found);
    } catch (error) {
      if (this.ticket !== ticket) return;
      this.problem = describeError(error);
      this.findings = null;
    }
    if (this.ticket === ticket) {
      this.running = false;
      app.refresh();
    }
  }

  /**
   * Chooses and orders the lines to show.
   * @param {number} side to move
   */
  #arrange(side) {
    if (!this.found) return;
    const shown = this.found.lines.filter(({ move }) => (this.only ? move.text === this.only : !this.hidden.has(move.text))).slice(0, settings.lines);
    this.findings = { ...this.found, lines: this.order.arrange(shown, side) };
  }

  /** Leaves out a move, or none. @param {string} [move] */
  hide(move) {
    if (move === undefined) this.hidden.clear();
    else this.hidden.add(move);
    this.order.tools = '';
    this.#arrange(this.app.table.view?.to_move ?? 0);
    if (move === this.only && move) this.searchOnly('');
    else if (this.on) this.#search();
    this.app.refresh();
  }

  /** Searches only one move, or all. @param {string} move empty for all */
  searchOnly(move) {
    this.only = move;
    this.order.tools = '';
    this.on = true;
    this.#arrange(this.app.table.view?.to_move ?? 0);
    this.changed();
    this.app.refresh();
  }

  toggle() {
    this.on = !this.on;
    this.changed();
    this.app.announce(t(this.on ? 'analysis.isOn' : 'analysis.isOff'));
    this.app.refresh();
  }

  toggleThreat() {
    this.threat = !this.threat;
    if (!this.on) this.on = true;
    this.findings = null;
    this.changed();
    this.app.refresh();
  }

  /** The value of the shown position: from its ending, the analysis or the review. While only one
   * move is searched, the value of that move.
   * @returns {ValueView | null} */
  value() {
    const { table } = this.app;
    const { view, tree } = table;
    if (!view || !tree) return null;
    if (view.ending) {
      const { winner } = view.ending;
      return { score: winner === null ? 0.5 : 1 - winner, proven: true, plies: 0 };
    }
    if (this.only && this.findings?.lines.length) return this.findings.lines[0].value;
    if (this.key === table.key && this.values.has(tree.current.id)) return this.values.get(tree.current.id) ?? null;
    const { review } = table;
    if (review && tree.isMainline(tree.current)) {
      const { ply } = tree.current;
      return review.plies[ply]?.before ?? review.plies[ply - 1]?.after ?? null;
    }
    return null;
  }

  /** @returns {import('./board.js').Arrow[]} */
  arrows() {
    const { table } = this.app;
    if (!settings.arrows || !this.findings || !this.on || this.preview || !table.view || this.at !== table.tree?.current.id) return [];
    const toMove = table.view.to_move ?? 0;
    const side = this.threat ? 1 - toMove : toMove;
    const kind = this.threat ? /** @type {const} */ ('threat') : /** @type {const} */ ('line');
    return this.findings.lines.slice(0, 5).map((line, rank) => ({ move: line.move, side, rank, kind })).reverse();
  }

  /**
   * Previews a position of a line.
   * @param {number} index
   * @param {number} count number of moves to play
   */
  async startPreview(index, count) {
    const { app } = this;
    const { tree } = app.table;
    const line = this.findings?.lines[index];
    if (!tree || !line || this.threat) return;
    const name = `${index}/${count}`;
    this.hovered = name;
    const base = tree.line();
    try {
      const { view } = await app.show({ ...base, moves: [...base.moves, ...line.variation.slice(0, count)] });
      if (this.hovered !== name) return;
      this.preview = { line: index, count, view };
      app.refresh();
    } catch {
      // The line has changed since.
    }
  }

  endPreview() {
    this.hovered = '';
    if (!this.preview) return;
    this.preview = null;
    this.app.refresh();
  }

  /**
   * Plays the first moves of a line.
   * @param {number} index
   * @param {number} count
   */
  async playLine(index, count) {
    const { isSettled, tree } = this.app.table;
    const line = this.findings?.lines[index];
    // Until the position after a move arrives, the lines are those of the position before.
    if (!tree || !line || this.threat || !isSettled || this.at !== tree.current.id) return;
    this.endPreview();
    await this.app.edits.play(line.variation.slice(0, count));
  }

  /** The evaluation bar next to the board. */
  bar() {
    const { app } = this;
    const { info } = app.table;
    if (!info) return '';
    const value = this.value();
    const score = value ? value.score : 0.5;
    const first = Math.round(score * 1000) / 10;
    const flipped = app.flipped();
    const text = value ? describeValue(info, value) : t('analysis.noValue');
    return html`<div class="eval-bar ${flipped ? 'flipped' : ''} ${value ? '' : 'unknown'} ${paintOf(info)}" role="img" aria-label=${text} title=${text}>
      ${value ? html`<svg viewBox="0 0 10 100" preserveAspectRatio="none" aria-hidden="true"><rect class="bar1" width="10" height="100"/><rect class="bar0" width="10" y=${100 - first} height=${first}/><path class="bar-middle" d="M0 50H10"/></svg>
      <svg class="lying" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="bar1" width="100" height="10"/><rect class="bar0" width=${first} height="10"/><path class="bar-middle" d="M50 0V10"/></svg>` : ''}
    </div>`;
  }

  // --- the panel ---

  panel() {
    const { app } = this;
    const { info, view } = app.table;
    if (!info || !view) return '';
    return html`
      ${engineSection(this)}
      ${passCallout(app, t('analysis.mustPass', { side: sideName(info, view.to_move ?? 0) }))}
      ${app.explorer.panel()}
      ${moveList(app)}
      ${nodeTools(app)}
      ${typedMove(app)}`;
  }
}
