// The curve of the expected score over a game. It is also a slider over the plies.
import { html, svg } from './vendor/lit-html/lit-html.js';
import { t } from './i18n.js';
import { describeValue } from './moves.js';

const WIDTH = 300;
const HEIGHT = 100;

/**
 * @param {object} options
 * @param {import('./types.js').GameInfo} options.info
 * @param {import('./types.js').ReviewedMove[]} options.plies
 * @param {number} options.current the shown ply; -1 outside the main line
 * @param {(ply: number) => void} options.onclick
 */
export function curve({ info, plies, current, onclick }) {
  const values = [plies[0].before, ...plies.map((ply) => ply.after)];
  const x = (/** @type {number} */ ply) => (ply / Math.max(1, values.length - 1)) * WIDTH;
  const y = (/** @type {number} */ score) => HEIGHT * (0.96 - score * 0.92);
  const points = values.map((value, ply) => `${x(ply).toFixed(1)} ${y(value.score).toFixed(1)}`);
  const area = `M0 ${HEIGHT}L${points.join('L')}L${WIDTH} ${HEIGHT}Z`;
  const pick = (/** @type {MouseEvent} */ event) => {
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    const share = (event.clientX - box.left) / box.width;
    onclick(Math.max(0, Math.min(values.length - 1, Math.round(share * (values.length - 1)))));
  };
  const onkey = (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    onclick(Math.max(0, Math.min(values.length - 1, Math.max(0, current) + step)));
  };
  const at = Math.max(0, current);
  const value = values[Math.min(at, values.length - 1)];
  return html`<div class="curve ${info.sides[0] === 'red' ? 'paint-contest' : 'paint-standard'}" role="slider" tabindex="0" aria-label=${t('review.curve')}
      aria-valuemin="0" aria-valuemax=${values.length - 1} aria-valuenow=${at} aria-valuetext=${t('review.curveAt', { ply: at, value: describeValue(info, value) })}
      @click=${pick} @keydown=${onkey}>
    <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="curve-second" width=${WIDTH} height=${HEIGHT}/>
      <path class="curve-first" d=${area}/>
      <path class="curve-zero" d=${`M0 ${HEIGHT / 2}H${WIDTH}`}/>
      <path class="curve-line" d=${`M${points.join('L')}`}/>
      ${current >= 0 ? svg`<path class="curve-now" d=${`M${x(current).toFixed(1)} 0V${HEIGHT}`}/>` : ''}
    </svg>
    <svg class="curve-marks" aria-hidden="true">
      ${plies.filter((ply) => ['mistake', 'blunder'].includes(ply.mark)).map((ply) => svg`
        <circle class=${`dot-${ply.mark}`} cx=${`${((x(ply.ply) / WIDTH) * 100).toFixed(2)}%`} cy=${`${(96 - ply.after.score * 92).toFixed(1)}%`} r="4"/>`)}
    </svg>
  </div>`;
}
