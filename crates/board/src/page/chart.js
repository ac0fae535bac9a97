// Line charts with axes. Shapes are stretched to the chart's size, texts are not.
import { html, svg } from 'wabe/vendor/lit-html/lit-html.js';

/** @typedef {[number, number]} Range */
/** @typedef {[number, string][]} Ticks positions and labels */
/**
 * @typedef {object} ChartContent
 * @property {string} title
 * @property {Range} x
 * @property {Range} y
 * @property {Ticks} below labels of the x axis
 * @property {Ticks} left labels of the y axis
 * @property {Ticks} [right] the y axis on another scale
 * @property {string} unit of the x axis
 * @property {number[]} [marks] horizontal lines
 * @property {[number, number][][]} lines
 * @property {[number, number, number][]} [band] x, low, high
 * @property {string[]} [names] of the lines
 * @property {(x: number) => [number, string]} [describe] position and text of the point closest to x
 */

/** Colours of lines; further lines are dashed. */
const COLORS = 4;

/**
 * Round numbers in a range.
 * @param {Range} range
 * @param {number} count about how many
 */
export function roundNumbers([low, high], count) {
  const rough = Math.max(high - low, 1e-9) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((n) => n * power >= rough) ?? 10) * power;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * step);
}

export class Chart {
  /** @param {() => void} refresh */
  constructor(refresh) {
    this.refresh = refresh;
    /** The x under the pointer.
     * @type {number | null} */
    this.hovered = null;
  }

  /** @param {ChartContent} content */
  view({ title, x, y, below, left, right = [], unit, marks = [], lines, band = [], names = [], describe }) {
    const share = (/** @type {Range} */ [low, high], /** @type {number} */ at) => ((at - low) / (high - low)) * 100;
    const point = (/** @type {number} */ px, /** @type {number} */ py) => `${share(x, px).toFixed(2)} ${(100 - share(y, py)).toFixed(2)}`;
    const path = (/** @type {[number, number][]} */ points) => `M${points.map(([px, py]) => point(px, py)).join('L')}`;
    const area = [...band.map(([px, low]) => point(px, low)), ...[...band].reverse().map(([px, , high]) => point(px, high))];
    const label = (/** @type {string} */ name, /** @type {number} */ px, /** @type {number} */ py, /** @type {string} */ text) => svg`
      <text class=${name} x=${`${px.toFixed(2)}%`} y=${`${py.toFixed(2)}%`}>${text}</text>`;
    const [at, text] = this.hovered === null || !describe ? [0, ''] : describe(this.hovered);
    const onmove = (/** @type {PointerEvent} */ event) => {
      const { left: from, width } = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
      this.hovered = x[0] + ((event.clientX - from) / width) * (x[1] - x[0]);
      this.refresh();
    };
    const onleave = () => {
      this.hovered = null;
      this.refresh();
    };
    return html`<figure class="chart ${right.length > 0 ? 'two-scales' : ''}"><figcaption>${title}</figcaption>
      ${names.length > 0 ? html`<p class="chart-names">${names.map((name, i) => html`<span><svg class="chart-key" viewBox="0 0 20 4" aria-hidden="true"><path class=${lineClass(i)} d="M0 2H20"/></svg>${name}</span>`)}</p>` : ''}
      <div class="chart-plot" @pointermove=${onmove} @pointerdown=${onmove} @pointerleave=${onleave}>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          ${band.length > 1 ? svg`<path class="chart-band" d=${`M${area.join('L')}Z`}/>` : ''}
          ${left.map(([value]) => svg`<path class="chart-grid" d=${path([[x[0], value], [x[1], value]])}/>`)}
          ${marks.map((value) => svg`<path class="chart-mark" d=${path([[x[0], value], [x[1], value]])}/>`)}
          ${lines.map((points, i) => (points.length > 0 ? svg`<path class=${lineClass(i)} d=${path(points)}/>` : ''))}
          ${text ? svg`<path class="chart-mark" d=${path([[at, y[0]], [at, y[1]]])}/>` : ''}
        </svg>
        <svg class="chart-labels" role="img" aria-label=${title}>
          ${left.map(([value, name]) => label('left', 0, 100 - share(y, value), name))}
          ${right.map(([value, name]) => label('right', 100, 100 - share(y, value), name))}
          ${below.map(([value, name]) => label('below', share(x, value), 100, name))}
        </svg>
        ${text ? html`<p class="curve-tip" aria-hidden="true" .style=${`left: ${share(x, at).toFixed(1)}%; translate: ${(-share(x, at)).toFixed(1)}% 0`}>${text}</p>` : ''}
      </div>
      <p class="chart-unit">${unit}</p></figure>`;
  }
}

/** @param {number} index of a line */
function lineClass(index) {
  return `chart-line series${index % COLORS} ${index < COLORS ? '' : 'dashed'}`;
}
