// Field coordinates: `[x, y]` lies (x - y) half widths to the right and 1.5 (x + y) edges up.
import { HALF_WIDTH } from 'wabe/pieces.js';

/** @typedef {import('./types.js').Field} Field */

/** Offsets of the six neighbours, counter-clockwise from the right. */
const NEIGHBOURS = /** @type {Field[]} */ ([
  [1, -1],
  [1, 0],
  [0, 1],
  [-1, 1],
  [-1, 0],
  [0, -1],
]);

/** The field as `x,y`, for maps and attributes. @param {Field | null | undefined} field */
export function key(field) {
  return field ? `${field[0]},${field[1]}` : '';
}

/**
 * @param {Field | null | undefined} a
 * @param {Field | null | undefined} b
 */
export function same(a, b) {
  return !!a && !!b && a[0] === b[0] && a[1] === b[1];
}

/**
 * The centre of a field.
 * @param {Field} field
 * @param {boolean} flipped whether the board is rotated by 180°
 * @returns {[number, number]}
 */
export function middle([x, y], flipped = false) {
  const sign = flipped ? -1 : 1;
  return [(x - y) * HALF_WIDTH * sign, -(x + y) * 1.5 * sign];
}

/**
 * The field at a point.
 * @param {number} px
 * @param {number} py
 * @param {boolean} flipped
 * @returns {Field}
 */
export function fieldAt(px, py, flipped = false) {
  const sign = flipped ? -1 : 1;
  const difference = (px * sign) / HALF_WIDTH;
  const sum = (-py * sign) / 1.5;
  const x = (sum + difference) / 2;
  const y = (sum - difference) / 2;
  // Cube rounding fails for axes 60° apart, so take the nearest of four candidates.
  /** @type {Field} */
  let best = [Math.round(x), Math.round(y)];
  let distance = Infinity;
  for (const candidate of [0, 1, 2, 3]) {
    /** @type {Field} */
    const field = [Math.floor(x) + (candidate & 1), Math.floor(y) + (candidate >> 1)];
    const [mx, my] = middle(field);
    const squared = (mx - px * sign) ** 2 + (my - py * sign) ** 2;
    if (squared < distance) {
      distance = squared;
      best = field;
    }
  }
  return best;
}

/**
 * The neighbour in a given direction on the screen.
 * @param {Field} field
 * @param {number} direction index into NEIGHBOURS, before flipping
 * @param {boolean} flipped
 * @returns {Field}
 */
export function neighbour([x, y], direction, flipped = false) {
  const [dx, dy] = NEIGHBOURS[direction];
  return flipped ? [x - dx, y - dy] : [x + dx, y + dy];
}
