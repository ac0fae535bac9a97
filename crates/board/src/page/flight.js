// The animation of moves.
import { render } from 'wabe/vendor/lit-html/lit-html.js';
import { STEP } from 'wabe/arrows.js';
import { key, middle } from 'wabe/geometry.js';
import { tile } from 'wabe/pieces.js';

/** @typedef {import('./board.js').Board} Board */
/** @typedef {import('./types.js').Field} Field */
/** @typedef {import('./types.js').View} View */

/**
 * Animates the piece that moved between two positions.
 * @param {Board} board
 * @param {View} before
 * @param {View} after
 */
export function animateMove(board, before, after) {
  if (board.dropped) {
    board.dropped = false;
    return;
  }
  if (window.matchMedia('(prefers-reduced-motion: reduce)').matches || document.hidden) return;
  const stacksOf = (/** @type {View} */ view) => new Map(view.stacks.map((stack) => [key(stack.at), stack]));
  const [old, now] = [stacksOf(before), stacksOf(after)];
  /** @type {{field: Field, piece: import('./types.js').PieceView, height: number}[]} */
  const arrived = [];
  /** @type {{field: Field, piece: import('./types.js').PieceView, height: number}[]} */
  const left = [];
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const [a, b] = [old.get(name)?.pieces ?? [], now.get(name)?.pieces ?? []];
    const field = /** @type {Field} */ (name.split(',').map(Number));
    if (b.length > a.length) arrived.push({ field, piece: b[b.length - 1], height: b.length - 1 });
    if (a.length > b.length) left.push({ field, piece: a[a.length - 1], height: a.length - 1 });
  }
  if (arrived.length !== 1 || left.length > 1) return;
  const [target] = arrived;
  const source = left.find(({ piece }) => piece.letter === target.piece.letter && piece.side === target.piece.side);
  if (left.length === 1 && !source) return;
  const layer = board.element.querySelector('.flights');
  if (!layer || typeof layer.animate !== 'function') return;
  const [tx, ty] = middle(target.field, board.state.flipped);
  const flight = document.createElementNS('http://www.w3.org/2000/svg', 'g');
  render(tile(target.piece, { letters: board.state.letters }), /** @type {any} */ (flight));
  layer.append(flight);
  const name = key(target.field);
  board.flying.add(name);
  board.draw();
  const place = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ scale) => `translate(${x.toFixed(3)}px, ${y.toFixed(3)}px) scale(${scale})`;
  const end = place(tx, ty - target.height * STEP, 1);
  let frames;
  if (source) {
    const [sx, sy] = middle(source.field, board.state.flipped);
    const start = place(sx, sy - source.height * STEP, 1);
    const distance = Math.hypot(tx - sx, ty - sy);
    const mid = place((sx + tx) / 2, (sy + ty) / 2 - Math.min(0.5, distance * 0.12), 1.1);
    frames = [{ transform: start }, { transform: mid }, { transform: end }];
  } else {
    frames = [{ transform: place(tx, ty - target.height * STEP - 0.4, 1.25), opacity: 0 }, { transform: end, opacity: 1 }];
  }
  const animation = flight.animate(frames, { duration: source ? 220 : 160, easing: 'ease-in-out', fill: 'both' });
  const done = () => {
    flight.remove();
    board.flying.delete(name);
    board.draw();
  };
  animation.onfinish = done;
  animation.oncancel = done;
}
