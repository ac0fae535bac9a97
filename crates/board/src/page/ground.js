// What lies around the pieces: the pattern of a board without an edge, and coordinates.
import { svg } from 'wabe/vendor/lit-html/lit-html.js';
import { key, middle } from 'wabe/geometry.js';
import { HALF_WIDTH } from 'wabe/pieces.js';

/** @typedef {import('./types.js').Field} Field */

/**
 * The background of a board without an edge: a pattern of fields, whatever the hive.
 * @param {import('./camera.js').Frame} frame
 */
export function ground({ x, y, w, h }) {
  const far = Math.max(w, h) * 2;
  const width = HALF_WIDTH * 2;
  return svg`<defs><pattern id="ground" patternUnits="userSpaceOnUse" x=${-HALF_WIDTH} y="-1" width=${width} height="3">
      <path d=${`M${HALF_WIDTH} 0 ${width} .5V1.5L${HALF_WIDTH} 2 0 1.5V.5ZM${HALF_WIDTH} 2V3`}/></pattern></defs>
    <rect x=${(x - far).toFixed(1)} y=${(y - far).toFixed(1)} width=${(w + 2 * far).toFixed(1)} height=${(h + 2 * far).toFixed(1)} fill="url(#ground)"/>`;
}

/**
 * Coordinates around the fields.
 * @param {Field[]} fields
 * @param {boolean} flipped
 */
export function edgeLabels(fields, flipped) {
  /** @type {{end: Field, step: Field, beside: string, text: string}[]} */
  const labels = [];
  const label = (/** @type {Field} */ end, /** @type {Field} */ step, /** @type {string} */ text) => {
    labels.push({ end, step, beside: key([end[0] + step[0], end[1] + step[1]]), text });
  };
  const minus = (/** @type {number} */ n) => String(n).replace('-', '−');
  for (const x of new Set(fields.map((field) => field[0]))) {
    const y = Math.max(...fields.filter((field) => field[0] === x).map((field) => field[1]));
    label([x, y], [0, 1], `${minus(x)}${flipped ? '↖' : '↘'}`);
  }
  for (const y of new Set(fields.map((field) => field[1]))) {
    const x = Math.min(...fields.filter((field) => field[1] === y).map((field) => field[0]));
    label([x, y], [-1, 0], `${minus(y)}${flipped ? '↙' : '↗'}`);
  }
  return svg`<g aria-hidden="true">${labels.map(({ end, step, beside, text }) => {
    const [x, y] = middle(end, flipped);
    const [dx, dy] = middle(step, flipped);
    // Two labels in the same place keep a distance.
    const share = labels.filter((other) => other.beside === beside).length > 1 ? 0.7 : 0.86;
    return svg`<text class="edge-label" x=${(x + dx * share).toFixed(2)} y=${(y + dy * share + 0.06).toFixed(2)}>${text}</text>`;
  })}</g>`;
}
