// Insects and tiles. Each kind is an SVG symbol, defined once and referenced with `<use>`.
import { html, svg } from 'wabe/vendor/lit-html/lit-html.js';
import { settings } from 'wabe/settings.js';

/** Half the width of a hexagon of edge length 1. */
export const HALF_WIDTH = Math.sqrt(3) / 2;

/**
 * The path of a pointy-top hexagon.
 * @param {number} edge length of an edge
 * @param {number} round distance from the corner at which rounding begins
 * @returns {string}
 */
export function hexagon(edge, round) {
  const corners = [0, 1, 2, 3, 4, 5].map((corner) => {
    const angle = (Math.PI / 3) * corner - Math.PI / 2;
    return [edge * Math.cos(angle), edge * Math.sin(angle)];
  });
  const share = round / edge;
  const between = (/** @type {number[]} */ a, /** @type {number[]} */ b) =>
    `${(a[0] + (b[0] - a[0]) * share).toFixed(3)} ${(a[1] + (b[1] - a[1]) * share).toFixed(3)}`;
  const parts = corners.map((corner, i) => {
    const before = corners[(i + 5) % 6];
    const after = corners[(i + 1) % 6];
    const point = `${corner[0].toFixed(3)} ${corner[1].toFixed(3)}`;
    return `${i === 0 ? 'M' : 'L'}${between(corner, before)}Q${point} ${between(corner, after)}`;
  });
  return `${parts.join('')}Z`;
}

/** The outline of a tile. */
const TILE = hexagon(0.93, 0.2);
/** A line inside the second side's tiles, to distinguish the sides without colour. */
const TILE_LINE = hexagon(0.8, 0.16);
/** The outline of a field. */
export const FIELD = hexagon(0.97, 0.06);

/** All symbols, included once in the page. Bodies use the current colour, markings `--cut`. */
export const symbols = html`
<svg class="symbols" width="0" height="0" aria-hidden="true" focusable="false">
  <defs>
    <symbol id="bug-A" viewBox="-50 -50 100 100">
      <g class="legs">
        <path d="M-5-9-20-16-27-31M5-9 20-16 27-31M-6-3-24-2-37 7M6-3 24-2 37 7M-5 2-19 13-27 34M5 2 19 13 27 34"/>
        <path d="M-4-30-9-40-18-46M4-30 9-40 18-46"/>
      </g>
      <path d="M0-36C8-36 11-31 10-25 9-20 5-17 0-17S-9-20-10-25C-11-31-8-36 0-36Z"/>
      <ellipse cy="-5" rx="7.5" ry="11"/>
      <circle cy="8" r="4.5"/>
      <path d="M0 10C10 10 14 18 14 26 14 36 8 44 0 44S-14 36-14 26C-14 18-10 10 0 10Z"/>
      <path class="cut" d="M-11 21Q0 26 11 21M-12 31Q0 36 12 31"/>
    </symbol>
    <symbol id="bug-B" viewBox="-50 -50 100 100">
      <g class="legs">
        <path d="M-17-8-30-14-36-27M17-8 30-14 36-27M-22 8-38 9-44 17M22 8 38 9 44 17M-19 24-33 31-36 43M19 24 33 31 36 43"/>
      </g>
      <path d="M-9-27C-22-31-22-44-10-49-14-42-11-37-3-34H3C11-37 14-42 10-49 22-44 22-31 9-27Z"/>
      <path d="M-12-30Q0-37 12-30L15-21H-15Z"/>
      <path d="M-18-20Q0-26 18-20 22-14 22-8H-22Q-22-14-18-20Z"/>
      <path d="M-22-5H22C27 14 20 44 0 46-20 44-27 14-22-5Z"/>
      <path class="cut" d="M0-6V46"/>
      <path class="cut thin" d="M-11 3Q-13 20-9 34M11 3Q13 20 9 34"/>
    </symbol>
    <symbol id="bug-G" viewBox="-50 -50 100 100">
      <g class="legs">
        <path d="M-6-19-18-23-23-34M6-19 18-23 23-34M-7-8-20-8-29-15M7-8 20-8 29-15"/>
        <path d="M-4-37-11-48M4-37 11-48"/>
      </g>
      <path class="thigh" d="M-7 10-34-12-31 43M7 10 34-12 31 43"/>
      <path d="M0-40C7-40 10-35 9-29L8-22H-8L-9-29C-10-35-7-40 0-40Z"/>
      <path d="M-10-20H10L11-8Q11 0 9 6H-9Q-11 0-11-8Z"/>
      <path d="M-9 4H9C13 20 9 40 0 49-9 40-13 20-9 4Z"/>
      <path class="cut thin" d="M0-4V42M-9-8Q0-4 9-8"/>
    </symbol>
    <symbol id="bug-Q" viewBox="-50 -50 100 100">
      <g class="legs"><path d="M-4-32-13-44M4-32 13-44"/></g>
      <path class="wing" d="M-7-10C-18-27-40-32-46-20-50-9-28 1-8 0ZM7-10C18-27 40-32 46-20 50-9 28 1 8 0Z"/>
      <path class="wing" d="M-8 1C-24 2-36 9-35 18-33 27-15 20-6 8ZM8 1C24 2 36 9 35 18 33 27 15 20 6 8Z"/>
      <circle cy="-26" r="10"/>
      <ellipse cy="-9" rx="11" ry="11"/>
      <path d="M0 0C13 0 17 10 16 20 15 34 7 42 0 49-7 42-15 34-16 20-17 10-13 0 0 0Z"/>
      <path class="cut" d="M-15 10Q0 16 15 10M-16 21Q0 27 16 21M-13 32Q0 38 13 32"/>
    </symbol>
    <symbol id="bug-S" viewBox="-50 -50 100 100">
      <g class="legs">
        <path d="M-6-15C-19-23-21-34-14-47M6-15C19-23 21-34 14-47M-8-10C-27-18-35-24-36-38M8-10C27-18 35-24 36-38"/>
        <path d="M-8-5C-28-4-38 4-43 17M8-5C28-4 38 4 43 17M-6 0C-24 8-29 24-25 44M6 0C24 8 29 24 25 44"/>
      </g>
      <path d="M0-26C8-26 12-18 11-10 10-3 5 1 0 1S-10-3-11-10C-12-18-8-26 0-26Z"/>
      <path d="M0-2C13-2 19 8 18 19 17 32 9 40 0 40S-17 32-18 19C-19 8-13-2 0-2Z"/>
      <path class="cut" d="M0 8V31M-8 16H8"/>
      <path class="cut thin" d="M-4-19V-17M4-19V-17"/>
    </symbol>
    <symbol id="bug-M" viewBox="-50 -50 100 100">
      <g class="legs fine">
        <path d="M-4-13-24-19-33-40M4-13 24-19 33-40M-5-8-31-6-45 8M5-8 31-6 45 8M-4-3-17 14-32 45M4-3 17 14 32 45"/>
        <path d="M0-26V-49M-3-27-12-38M3-27 12-38"/>
      </g>
      <path class="wing" d="M-4-8C-20-6-38 8-36 21-32 31-13 18-3 0ZM4-8C20-6 38 8 36 21 32 31 13 18 3 0Z"/>
      <circle cy="-24" r="7"/>
      <ellipse cy="-9" rx="8.5" ry="11"/>
      <path d="M-5 0H5C8 14 6 34 0 46-6 34-8 14-5 0Z"/>
      <path class="cut thin" d="M-6 11H6M-6 20H6M-5 29H5"/>
    </symbol>
    <symbol id="bug-L" viewBox="-50 -50 100 100">
      <g class="legs">
        <path d="M-20-10-35-19M20-10 35-19M-27 9-43 9M27 9 43 9M-21 27-35 37M21 27 35 37M-6-35-14-46M6-35 14-46"/>
      </g>
      <path d="M-19-22C-15-33-10-38 0-38S15-33 19-22Q0-29-19-22Z"/>
      <path d="M0-24C18-24 29-10 29 9S17 43 0 43-29 28-29 9-18-24 0-24Z"/>
      <path class="cut" d="M0-24V43"/>
      <g class="dots"><circle cx="-14" cy="-4" r="5.5"/><circle cx="14" cy="-4" r="5.5"/><circle cx="-16" cy="14" r="5.5"/><circle cx="16" cy="14" r="5.5"/><circle cx="-10" cy="29" r="5"/><circle cx="10" cy="29" r="5"/></g>
    </symbol>
    <symbol id="bug-P" viewBox="-50 -50 100 100">
      <g class="legs">
        <path d="M-19-20-30-27M19-20 30-27M-23-8-36-12M23-8 36-12M-24 4-38 4M24 4 38 4M-23 16-36 20M23 16 36 20M-19 28-30 35M19 28 30 35"/>
        <path d="M-7-36C-10-44-16-46-21-46M7-36C10-44 16-46 21-46"/>
      </g>
      <path d="M0-40C17-40 25-22 25 4S16 46 0 46-25 30-25 4-17-40 0-40Z"/>
      <path class="cut" d="M-20-23Q0-15 20-23M-23-10Q0-2 23-10M-25 3Q0 11 25 3M-23 16Q0 24 23 16M-18 29Q0 36 18 29"/>
    </symbol>
    <symbol id="bramble" viewBox="-50 -50 100 100">
      <path class="stem" d="M-36 18C-22-24 4-28 34-16M-30-20C-14 12 12 24 36 14M-14 36C-18 6 0-22 16-36M20 34C24 8 4-14-18-34"/>
      <path class="thorn" d="M-27-4-38-10-24-12ZM-6-21-8-33 2-23ZM18-21 22-33 26-19ZM-16 5-26 11-19-3ZM2 16 0 28-8 12ZM22 17 26 28 31 14ZM-14 17-26 20-14 8ZM6-20 18-14 8-12ZM22 14 34 6 22 4ZM-4-20-18-14-8-10Z"/>
    </symbol>
  </defs>
</svg>`;

/**
 * The class with the colours of a game's pieces.
 * @param {import('./types.js').GameInfo} info
 */
export function paintOf(info) {
  return info.sides[0] === 'red' ? 'paint-contest' : 'paint-standard';
}

/**
 * A tile centred at the origin, in edge lengths of a field.
 * @param {import('./types.js').PieceView} piece
 * @param {{letters?: boolean, thick?: boolean}} [how]
 */
export function tile(piece, how = {}) {
  return svg`
    <g class=${`tile side${piece.side} kind-${piece.letter}`}>
      ${how.thick === false ? '' : svg`<path class="thickness" d=${TILE} transform="translate(0 0.11)"/>`}
      <path class="face" d=${TILE}/>
      ${piece.side === 1 ? svg`<path class="rim" d=${TILE_LINE}/>` : ''}
      ${how.letters
        ? svg`<text class="letter" y="0.06">${piece.letter}</text>`
        : svg`<use href=${`#bug-${piece.letter}`} x="-0.7" y="-0.69" width=${piece.number ? 1.28 : 1.4} height=${piece.number ? 1.28 : 1.4}/>`}
      ${piece.number ? svg`<path class="number-ground" d="M.66.1V.38L.23.63Q.12.14.66.1Z"/><text class="number" x="0.46" y="0.37">${piece.number}</text>` : ''}
    </g>`;
}

/**
 * A tile as a standalone image, for lists and panels. Shows letters if the user wants them.
 * @param {import('./types.js').PieceView} piece
 */
export function tileIcon(piece) {
  return html`<svg class="tile-icon" viewBox="-1 -1.02 2 2.16" aria-hidden="true" focusable="false">${tile(piece, { letters: settings.letters })}</svg>`;
}
