// The curve of the expected score over a game, with the time per move. It is also a slider over
// the plies, and answers to the pointer.
import { html, svg } from 'wabe/vendor/lit-html/lit-html.js';
import { t } from 'wabe/i18n.js';
import { describeTime, describeValue, movedPiece, moveNumber, shortMove } from 'wabe/moves.js';
import { paintOf, tileIcon } from 'wabe/pieces.js';

const WIDTH = 300;
const HEIGHT = 100;
const BARS_HEIGHT = 30;

/** @typedef {import('./table.js').Table} Table */
/** @typedef {import('./types.js').ReviewedMove} ReviewedMove */

export class Curve {
  /** @param {() => void} refresh */
  constructor(refresh) {
    this.refresh = refresh;
    /** The ply under the pointer.
     * @type {number | null} */
    this.hovered = null;
    /** True while the curve is used by keyboard. */
    this.hasKeys = false;
  }

  /**
   * @param {Table} table
   * @param {ReviewedMove[]} plies
   */
  view(table, plies) {
    const info = /** @type {import('./types.js').GameInfo} */ (table.info);
    const tree = /** @type {import('./tree.js').Tree} */ (table.tree);
    const nodes = tree.mainline();
    // The shown ply; -1 outside the main line.
    const current = tree.isMainline(tree.current) ? tree.current.ply : -1;
    const goTo = (/** @type {number} */ ply) => table.goTo(nodes[ply]);
    const last = plies.length;
    const values = [plies[0].before, ...plies.map((ply) => ply.after)];
    const x = (/** @type {number} */ ply) => (ply / Math.max(1, last)) * WIDTH;
    const y = (/** @type {number} */ score) => HEIGHT * (0.96 - score * 0.92);
    const points = values.map((value, ply) => `${x(ply).toFixed(1)} ${y(value.score).toFixed(1)}`);
    const area = `M0 ${HEIGHT}L${points.join('L')}L${WIDTH} ${HEIGHT}Z`;
    const line = (/** @type {number} */ ply, /** @type {string} */ name) => svg`<path class=${name} d=${`M${x(ply).toFixed(1)} 0V${HEIGHT}`}/>`;
    const pick = (/** @type {MouseEvent} */ event) => {
      const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
      const share = (event.clientX - box.left) / box.width;
      return Math.max(0, Math.min(last, Math.round(share * last)));
    };
    const hover = (/** @type {number | null} */ ply) => {
      if (this.hovered === ply) return;
      this.hovered = ply;
      this.refresh();
    };
    const onkey = (/** @type {KeyboardEvent} */ event) => {
      const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -Infinity, End: Infinity }[event.key];
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      this.hasKeys = true;
      goTo(Math.max(0, Math.min(last, Math.max(0, current) + step)));
    };
    const at = Math.min(Math.max(0, current), last);
    const pointed = Math.min(this.hovered ?? at, last);
    const isPointed = this.hovered !== null || this.hasKeys;
    return html`<div class="curve ${paintOf(info)}" role="slider" tabindex="0" aria-label=${t('review.curve')}
        aria-valuemin="0" aria-valuemax=${last} aria-valuenow=${at} aria-valuetext=${t('review.curveAt', { ply: at, value: describeValue(info, values[at]) })}
        @click=${(/** @type {MouseEvent} */ event) => goTo(pick(event))} @keydown=${onkey}
        @pointermove=${(/** @type {PointerEvent} */ event) => hover(event.pointerType === 'touch' ? null : pick(event))} @pointerleave=${() => hover(null)}
        @blur=${() => {
          this.hasKeys = false;
          this.refresh();
        }}>
      <div class="curve-chart">
        <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <rect class="curve-second" width=${WIDTH} height=${HEIGHT}/>
          <path class="curve-first" d=${area}/>
          <path class="curve-zero" d=${`M0 ${HEIGHT / 2}H${WIDTH}`}/>
          <path class="curve-line" d=${`M${points.join('L')}`}/>
          ${current >= 0 ? line(at, 'curve-now') : ''}
          ${isPointed ? line(pointed, 'curve-pointer') : ''}
        </svg>
        <svg class="curve-marks" aria-hidden="true">
          ${plies.filter((ply) => ['mistake', 'blunder'].includes(ply.mark)).map((ply) => svg`
            <circle class=${`dot-${ply.mark}`} cx=${`${((x(ply.ply) / WIDTH) * 100).toFixed(2)}%`} cy=${`${(96 - ply.after.score * 92).toFixed(1)}%`} r="4"/>`)}
        </svg>
      </div>
      ${table.times.length > 0 ? timeBars(table, plies, current) : ''}
      ${isPointed ? tooltip(table, plies, pointed, values[pointed]) : ''}
    </div>`;
  }
}

/**
 * Bars of the time per move. The square root keeps short moves visible.
 * @param {Table} table
 * @param {ReviewedMove[]} plies
 * @param {number} current the shown ply
 */
function timeBars(table, plies, current) {
  const { times } = table;
  const longest = Math.max(1, ...times.map(([, ms]) => ms));
  const step = WIDTH / Math.max(1, plies.length);
  const width = Math.max(step * 0.7, 0.8);
  return html`<svg class="time-bars" viewBox=${`0 0 ${WIDTH} ${BARS_HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${t('review.times', { n: describeTime(longest) })}>
    ${times.filter(([ply]) => ply <= plies.length).map(([ply, ms]) => {
      const height = Math.sqrt(ms / longest) * (BARS_HEIGHT - 2);
      // A bar lies between the positions before and after its move.
      const left = (ply - 0.5) * step - width / 2;
      return svg`<rect class=${`time-bar by${table.sideOf(ply)} ${ply === current ? 'now' : ''}`} x=${left.toFixed(2)} y=${(BARS_HEIGHT - height).toFixed(2)} width=${width.toFixed(2)} height=${height.toFixed(2)}/>`;
    })}</svg>`;
}

/**
 * Move number, move, value and time at a ply.
 * @param {Table} table
 * @param {ReviewedMove[]} plies
 * @param {number} at
 * @param {import('./types.js').ValueView} value after the move
 */
function tooltip(table, plies, at, value) {
  const info = /** @type {import('./types.js').GameInfo} */ (table.info);
  const ply = plies[at - 1];
  const side = table.sideOf(at);
  const piece = ply ? movedPiece(ply.text, side) : null;
  const ms = table.times.find(([one]) => one === at)?.[1];
  const share = at / Math.max(1, plies.length);
  return html`<p class="curve-tip" aria-hidden="true" .style=${`left: ${(share * 100).toFixed(1)}%; translate: ${(-share * 100).toFixed(1)}% 0`}>
    ${ply ? html`<span>${moveNumber(table.root, at)}.${side === 1 ? '..' : ''}</span> ${piece ? tileIcon({ ...piece, number: null }) : ''}<b>${shortMove(ply.text)}</b>` : html`<b>${t('review.curveStart')}</b>`}
    <span>${describeValue(info, value)}${ms === undefined ? '' : ` · ${describeTime(ms)}`}</span></p>`;
}
