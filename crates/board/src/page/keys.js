// Keyboard input of the board.
import { colourOf } from 'wabe/arrows.js';
import { middle, neighbour, same } from 'wabe/geometry.js';
import { tn } from 'wabe/i18n.js';

/** @typedef {import('./board.js').Board} Board */
/** @typedef {import('./types.js').Field} Field */

/**
 * @param {Board} board
 * @param {KeyboardEvent} event
 */
export function handleKey(board, event) {
  const { view, flipped, info } = board.state;
  if (!view || !info || !board.focused || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!(event.target instanceof Element) || !event.target.closest('[role=grid]')) return;
  const focused = board.focused;
  const known = (/** @type {Field} */ field) => board.cells().some((cell) => same(cell, field));
  const go = (/** @type {Field} */ field) => {
    const column = board.column;
    board.focusField(field);
    return column;
  };
  const vertical = (/** @type {number[]} */ directions) => {
    const candidates = directions.map((direction) => neighbour(focused, direction, flipped)).filter(known);
    candidates.sort((a, b) => Math.abs(middle(a, flipped)[0] - board.column) - Math.abs(middle(b, flipped)[0] - board.column));
    if (candidates.length > 0) board.column = go(candidates[0]);
  };
  const horizontal = (/** @type {number} */ direction) => {
    const field = neighbour(focused, direction, flipped);
    if (known(field)) go(field);
  };
  switch (event.key) {
    case 'ArrowLeft': horizontal(3); break;
    case 'ArrowRight': horizontal(0); break;
    case 'ArrowUp': vertical([2, 1]); break;
    case 'ArrowDown': vertical([4, 5]); break;
    case 'Enter':
    case ' ': {
      const before = board.chosen;
      board.activate(focused);
      if (board.chosen && board.chosen !== before) {
        board.events.announce?.(tn('board.targets', board.targets().length));
      }
      break;
    }
    case 'Escape':
      if (!board.chosen) return;
      board.choose(null);
      break;
    case 'a':
    case 'A':
      if (!board.state.drawable) return;
      board.events.onshape?.([colourOf(event), focused]);
      break;
    case 'n':
    case 'N': {
      const fields = board.chosen
        ? board.targets().map((move) => move.to)
        : view.moves.map((move) => move.from).filter((field, i, all) => field && all.findIndex((one) => same(one, field)) === i);
      const found = /** @type {Field[]} */ (fields.filter((field) => field));
      if (found.length === 0) break;
      const at = found.findIndex((field) => same(field, focused));
      const step = event.key === 'n' ? 1 : -1;
      go(found[(at + step + (at < 0 && step < 0 ? 1 : 0) + found.length) % found.length]);
      break;
    }
    default: return;
  }
  event.preventDefault();
  event.stopPropagation();
}
