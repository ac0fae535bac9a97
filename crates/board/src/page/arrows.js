// Arrows on the board: the engine's moves, and the user's own arrows and circles.
import { svg } from 'wabe/vendor/lit-html/lit-html.js';
import { middle, same } from 'wabe/geometry.js';
import { hexagon, tile } from 'wabe/pieces.js';

/** @typedef {import('./types.js').Field} Field */
/** @typedef {import('./types.js').View} View */
/** @typedef {{move: import('./types.js').MoveView, side: number, rank: number, kind: 'line' | 'hint' | 'threat' | 'better' | 'premove'}} Arrow */
/** @typedef {'green' | 'red' | 'blue' | 'yellow'} Colour */
/** @typedef {[Colour, Field, Field?]} Shape an arrow between two fields, or a circle */

/** Vertical distance between the pieces of a stack, in edge lengths of a field. */
export const STEP = 0.17;
export const RING = hexagon(0.9, 0.18);
/** @type {Colour[]} */
const COLOURS = ['green', 'red', 'blue', 'yellow'];

/**
 * The colour for the modifier keys held while drawing.
 * @param {{shiftKey: boolean, altKey: boolean}} event
 */
export function colourOf({ shiftKey, altKey }) {
  return COLOURS[Number(shiftKey) + 2 * Number(altKey)];
}

/**
 * Adds a shape, changes its colour, or removes it if it is drawn a second time.
 * @param {Shape[]} shapes
 * @param {Shape} shape
 * @returns {Shape[]}
 */
export function toggleShape(shapes, [colour, from, to]) {
  const isSame = (/** @type {Shape} */ other) => same(other[1], from) && (to ? same(other[2], to) : !other[2]);
  const known = shapes.find(isSame);
  const others = shapes.filter((other) => !isSame(other));
  return known?.[0] === colour ? others : [...others, to ? [colour, from, to] : [colour, from]];
}

/**
 * Reads shapes from a file. Leaves out invalid ones.
 * @param {unknown} saved
 * @returns {Shape[]}
 */
export function readShapes(saved) {
  const isField = (/** @type {unknown} */ field) => Array.isArray(field) && field.length === 2 && field.every(Number.isInteger);
  return Array.isArray(saved) ? saved.filter((shape) => Array.isArray(shape) && COLOURS.includes(shape[0]) && isField(shape[1]) && (shape[2] === undefined || isField(shape[2]))) : [];
}

/**
 * The centre of the top piece of a field.
 * @param {{view: View, flipped: boolean}} board
 * @param {Field} field
 * @returns {[number, number]}
 */
function top({ view, flipped }, field) {
  const stack = view.stacks.find((one) => same(one.at, field));
  const [x, y] = middle(field, flipped);
  return [x, y - (stack ? stack.pieces.length - 1 : 0) * STEP];
}

/**
 * The outline of an arrow.
 * @param {[number, number]} from
 * @param {[number, number]} to
 * @param {number} half of the shaft's width
 */
function arrowPath([fx, fy], [tx, ty], half) {
  const length = Math.hypot(tx - fx, ty - fy) || 1;
  const [ux, uy] = [(tx - fx) / length, (ty - fy) / length];
  const [sx, sy] = [fx + ux * 0.45, fy + uy * 0.45];
  const head = half * 2.4;
  const [nx, ny] = [tx - ux * (head * 1.5), ty - uy * (head * 1.5)];
  const at = (/** @type {number} */ x, /** @type {number} */ y) => `${x.toFixed(2)} ${y.toFixed(2)}`;
  return `M${at(sx - uy * half, sy + ux * half)}L${at(nx - uy * half, ny + ux * half)}L${at(nx - uy * head, ny + ux * head)}L${at(tx, ty)}L${at(nx + uy * head, ny - ux * head)}L${at(nx + uy * half, ny - ux * half)}L${at(sx + uy * half, sy - ux * half)}Z`;
}

/**
 * Draws a move.
 * @param {Arrow} arrow
 * @param {{view: View, flipped: boolean, letters: boolean, arrows: Arrow[]}} board
 */
export function drawArrow({ move, side, rank, kind }, board) {
  if (!move.to) return '';
  const target = top(board, move.to);
  const [tx, ty] = target;
  // Moves to the same field share one ghost, with their ranks side by side.
  const better = board.arrows.filter((other) => other.rank < rank && same(other.move.to, move.to));
  const rankLabel = kind === 'line' ? svg`<g class="rank" transform=${`translate(${(tx + 0.5 - 0.64 * better.length).toFixed(2)} ${(ty + 0.5).toFixed(2)})`}><rect x="-0.3" y="-0.2" width="0.6" height="0.4" rx="0.12"/><text y="0.02">${rank + 1}.</text></g>` : '';
  const classes = `arrow ${kind} rank${Math.min(rank, 4)}`;
  if (!move.from) {
    return svg`<g class=${classes}>
      ${better.some((other) => !other.move.from) ? '' : svg`<g class="ghost" transform=${`translate(${tx.toFixed(2)} ${ty.toFixed(2)})`}>${tile({ side, letter: move.letter ?? 'Q', number: null }, { letters: board.letters, thick: false })}<path class="outline" d=${RING}/></g>`}
      ${rankLabel}</g>`;
  }
  return svg`<g class=${classes}><path class="shaft" d=${arrowPath(top(board, move.from), target, rank === 0 ? 0.15 : 0.1)}/>${rankLabel}</g>`;
}

/**
 * Draws the user's arrows and circles.
 * @param {Shape[]} shapes
 * @param {{view: View, flipped: boolean}} board
 */
export function drawShapes(shapes, board) {
  return shapes.map(([colour, from, to]) => {
    const [x, y] = top(board, from);
    return to ? svg`<path class=${`shape ${colour}`} d=${arrowPath([x, y], top(board, to), 0.12)}/>`
      : svg`<circle class=${`shape ring ${colour}`} cx=${x.toFixed(2)} cy=${y.toFixed(2)} r="0.74"/>`;
  });
}
