// The engine's section of the panel: switch, value, settings and lines.
import { html } from 'wabe/vendor/lit-html/lit-html.js';
import { number, percent, shortNumber, t, tn } from 'wabe/i18n.js';
import { iconButton } from 'wabe/icons.js';
import { describeEnding, describeResult, describeValue, favoured, piecesOfLine, shortMove, valueText } from 'wabe/moves.js';
import { paintOf, tileIcon } from 'wabe/pieces.js';
import { select } from 'wabe/select.js';
import { change, settings } from 'wabe/settings.js';

/** @typedef {import('./analysis.js').Analysis} Analysis */
/** @typedef {import('./types.js').LineView} LineView */

/** Minimum time between two changes of the order, in ms. */
const CALM_MS = 1000;
/** Maximum number of moves of a line to show. */
const SHOWN_MOVES = 16;

/**
 * Compares two lines, better first: proven wins (the shortest first), then by value, then proven
 * losses (the longest first). Lines with the same value in percent are ordered by their visits.
 * @param {LineView} a
 * @param {LineView} b
 * @param {number} side to move
 */
export function compareLines(a, b, side) {
  const score = (/** @type {LineView} */ { value }) => (side === 0 ? value.score : 1 - value.score);
  const rank = (/** @type {LineView} */ line) => (line.value.proven && score(line) !== 0.5 ? Math.sign(score(line) - 0.5) : 0);
  const plies = (/** @type {LineView} */ { value }) => value.plies ?? Infinity;
  if (rank(a) !== rank(b)) return rank(b) - rank(a);
  if (rank(a) !== 0 && plies(a) !== plies(b)) return plies(a) < plies(b) ? -rank(a) : rank(a);
  return Math.round(score(b) * 100) - Math.round(score(a) * 100) || b.visits - a.visits;
}

/** Orders lines calmly: not more often than once per second, and not while the user is in the list
 * or the tools of a line are open. */
export class LineOrder {
  constructor() {
    /** True while the pointer is over the list or the focus is in it. */
    this.held = false;
    /** The move whose line shows what can be done with it. */
    this.tools = '';
    /** First moves of the lines in their order.
     * @type {string[]} */
    this.moves = [];
    this.sortedAt = -Infinity;
  }

  /** For a new position. */
  reset() {
    this.held = false;
    this.tools = '';
    this.moves = [];
    this.settle();
  }

  /** Sorts the next lines even if the order has just changed. */
  settle() {
    this.sortedAt = -Infinity;
  }

  /**
   * @param {LineView[]} lines
   * @param {number} side to move
   * @param {number} [now] in ms
   * @returns {LineView[]}
   */
  arrange(lines, side, now = performance.now()) {
    const sorted = [...lines].sort((a, b) => compareLines(a, b, side));
    if (!lines.some(({ move }) => move.text === this.tools)) this.tools = '';
    if (!this.held && !this.tools && now - this.sortedAt >= CALM_MS) {
      this.sortedAt = now;
      this.moves = sorted.map(({ move }) => move.text);
      return sorted;
    }
    // After a forced move, all lines begin with it.
    const fresh = [...sorted];
    const kept = this.moves.map((text) => {
      const index = fresh.findIndex(({ move }) => move.text === text);
      return index < 0 ? null : fresh.splice(index, 1)[0];
    });
    // A new line takes the place of one that is gone, so that the others stay where they are.
    const arranged = [...kept.flatMap((line) => line ?? fresh.shift() ?? []), ...fresh];
    this.moves = arranged.map(({ move }) => move.text);
    return arranged;
  }
}

/**
 * The engine's section.
 * @param {Analysis} analysis
 */
export function engineSection(analysis) {
  const { app, findings } = analysis;
  const { info, view } = app.table;
  if (!info || !view) return '';
  const value = analysis.value();
  return html`<section class="engine" data-section="engine" aria-label=${t('analysis.engine')}>
    <div class="engine-head">
      <button type="button" class="switch" role="switch" aria-checked=${analysis.on ? 'true' : 'false'} aria-label=${t('analysis.switch')} title=${t('analysis.switch')} @click=${() => analysis.toggle()}><i></i></button>
      <span class="value ${value ? `for${favoured(value)}` : ''} ${paintOf(info)}" data-testid="value">${value ? valueText(value) : '–'}</span>
      <span class="facts quiet">${facts(analysis)}</span>
      ${iconButton('threat', t('analysis.threat'), () => analysis.toggleThreat(), { pressed: analysis.threat, disabled: view.to_move === null })}
      ${iconButton('settings', t('analysis.options'), () => {
        analysis.showOptions = !analysis.showOptions;
        app.refresh();
      }, { pressed: analysis.showOptions })}
    </div>
    ${analysis.showOptions ? options(analysis) : ''}
    ${analysis.on || findings ? lineList(analysis) : ''}
  </section>`;
}

/**
 * What the head of the section says next to the value.
 * @param {Analysis} analysis
 */
function facts(analysis) {
  const { app, findings, problem } = analysis;
  const { info, view } = app.table;
  if (problem) return html`<span class="error">${problem}</span>`;
  if (!info || !view) return '';
  if (analysis.on && analysis.isWaiting()) return t('analysis.waiting');
  const ending = app.table.endingAt();
  if (ending && !findings) return html`<span class="who-won">${describeResult(info, ending) || describeEnding(info, ending)}</span><span class="and-why">${describeEnding(info, ending)}</span>`;
  const value = analysis.value();
  const words = value && (value.proven || !findings) ? describeValue(info, value) : '';
  if (!findings) return words || t(analysis.on ? 'analysis.starting' : 'analysis.off');
  const exact = `${tn('analysis.nodes', findings.nodes)}, ${t('analysis.speed', { n: number(findings.per_second) })}`;
  const memory = analysis.memory > 0 ? ` · ${number(analysis.memory / (1 << 20))} MiB` : '';
  return html`${words || t('analysis.depth', { n: findings.depth }) + memory}<br><span class="nowrap" title=${exact}>${t('analysis.nodesAtSpeed', { n: shortNumber(findings.nodes), speed: shortNumber(findings.per_second) })}</span>`;
}

/** @param {Analysis} analysis */
function options(analysis) {
  const { app } = analysis;
  const threads = app.welcome?.threads ?? 1;
  const memory = app.welcome?.memory_mib ?? 0;
  const sizes = [0, 64, 128, 256, 512, 1024, 2048, 4096, 8192].filter((mib) => mib <= memory);
  const apply = (/** @type {object} */ changes) => {
    change(changes);
    if (analysis.on) analysis.changed();
    app.refresh();
  };
  return html`<div class="options">
    <label>${t('analysis.lines')}${select(settings.lines, [1, 2, 3, 4, 5, 6, 7, 8].map((n) => [n, n]), (lines) => apply({ lines }))}</label>
    <label>${t('analysis.threads')}${select(Math.min(settings.threads, threads), Array.from({ length: threads }, (_, i) => [i + 1, i + 1]), (n) => apply({ threads: n }))}</label>
    <label>${t('analysis.memory')}${
      select(settings.memory, sizes.map((mib) => [mib, mib === 0 ? t('analysis.memoryDefault') : `${number(mib)} MiB`]), (mib) => apply({ memory: mib }))}</label>
    <label class="check"><input type="checkbox" .checked=${settings.arrows} @change=${(/** @type {Event} */ event) => apply({ arrows: /** @type {HTMLInputElement} */ (event.target).checked })}>${t('analysis.arrows')}</label>
  </div>`;
}

/** @param {Analysis} analysis */
function lineList(analysis) {
  const { app, findings, order, preview, threat } = analysis;
  const { info, view } = app.table;
  if (!info || !view) return '';
  const toMove = view.to_move ?? 0;
  const side = threat ? 1 - toMove : toMove;
  const lines = findings?.lines ?? [];
  const count = view.to_move === null ? 0 : analysis.only ? lines.length : Math.max(settings.lines, lines.length);
  // A search that continues counts the visits of earlier searches.
  const visits = Math.max(findings?.nodes ?? 0, lines.reduce((sum, line) => sum + line.visits, 0));
  const hold = (/** @type {boolean} */ held) => () => {
    order.held = held;
  };
  return html`
    ${threat ? html`<p class="quiet">${t('analysis.threatNote')}</p>` : ''}
    ${count === 0 ? '' : html`<p class="lines-head" aria-hidden="true"><span>${t('analysis.value')}</span><span>${t('analysis.line')}</span><span title=${t('analysis.visitsHelp')}>${t('analysis.visits')}</span><span title=${t('analysis.lengthHelp')}>${t('analysis.length')}</span></p>`}
    <ol class="lines ${paintOf(info)} ${settings.lines <= 3 ? 'roomy' : ''}" @pointermove=${hold(true)} @focusin=${hold(true)} @focusout=${hold(false)} @mouseleave=${() => {
      order.held = false;
      analysis.endPreview();
    }}>
    ${Array.from({ length: count }, (_, index) => {
      const line = lines[index];
      if (!line) return html`<li class="line empty"><span class="line-value">–</span></li>`;
      const shown = line.variation.slice(0, SHOWN_MOVES);
      const pieces = piecesOfLine(view, shown, side);
      const share = percent(visits > 0 ? line.visits / visits : 0);
      const isOpen = order.tools === line.move.text;
      return html`<li class="line ${isOpen ? 'open' : ''}">
        <button type="button" class="line-value for${favoured(line.value)}" ?disabled=${threat || view.moves.length === 1} aria-expanded=${isOpen ? 'true' : 'false'}
          title=${`${describeValue(info, line.value)}. ${t('analysis.tools')}`} @click=${() => {
            order.tools = isOpen ? '' : line.move.text;
            app.refresh();
          }}>${valueText(line.value)}</button>
        <span class="line-moves">${shown.map((move, i) => {
          const piece = pieces[i];
          return html`<button type="button" class=${preview?.line === index && preview.count === i + 1 ? 'line-move current' : 'line-move'} ?disabled=${threat}
            @mouseenter=${() => analysis.startPreview(index, i + 1)} @focus=${() => analysis.startPreview(index, i + 1)} @blur=${() => analysis.endPreview()} @click=${() => analysis.playLine(index, i + 1)}>${piece ? tileIcon({ ...piece, number: null }) : ''}${shortMove(move)}</button>`;
        })}</span>
        <span class="line-share" title=${t('analysis.shareOf', { n: number(line.visits), share })}>${share}<small>${shortNumber(line.visits)}</small></span>
        <span class="line-length" title=${tn('analysis.plies', line.variation.length)}>${line.variation.length}</span>
        ${isOpen ? lineTools(analysis, line) : ''}</li>`;
    })}</ol>
    ${analysis.only && lines.length > 0 ? html`<p class="quiet">${t('analysis.onlyNote', { move: shortMove(analysis.only) })} <button type="button" class="link" @click=${() => analysis.searchOnly('')}>${t('analysis.all')}</button></p>` : ''}
    ${analysis.hidden.size > 0 ? html`<p class="quiet">${tn('analysis.hidden', analysis.hidden.size)} <button type="button" class="link" @click=${() => analysis.hide()}>${t('analysis.show')}</button></p>` : ''}`;
}

/**
 * What can be done with a line.
 * @param {Analysis} analysis
 * @param {LineView} line
 */
function lineTools(analysis, { move: { text: move }, value }) {
  const isOnly = analysis.only === move;
  // After a move that ends the game there is nothing to search.
  return html`<span class="line-tools">${value.plies === 1 ? '' : html`<button type="button" @click=${() => analysis.searchOnly(isOnly ? '' : move)}>${t(isOnly ? 'analysis.all' : 'analysis.only')}</button>`}
    <button type="button" @click=${() => analysis.hide(move)}>${t('analysis.hide')}</button></span>`;
}
