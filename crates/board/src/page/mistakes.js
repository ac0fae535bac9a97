// Mistakes from reviews, as puzzles.
import { settings } from 'wabe/settings.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./puzzles.js').Puzzle} Puzzle */

/** The library's note with the user's own mistakes. */
const NOTE = 'mistakes';
/** Maximum number of own mistakes; the oldest ones go first. */
const MAX_MISTAKES = 200;

/**
 * A side's mistakes and blunders in the reviewed game for which the review found a better move.
 * @param {App} app
 * @param {number} side
 * @returns {Puzzle[]}
 */
export function mistakesOf(app, side) {
  const { table } = app;
  const { review, tree } = table;
  if (!review || !tree) return [];
  const { game, start, moves } = review.line;
  return review.plies.flatMap((ply) => {
    const { mark, better } = ply;
    if (!better || (mark !== 'blunder' && mark !== 'mistake') || table.sideOf(ply.ply) !== side) return [];
    const before = moves.slice(0, ply.ply - 1);
    return [{ id: hash([game, start, before]), game, start, before, goal: 'better', plies: 1, line: [better], themes: [], played: ply.text, mark, value: ply.before }];
  });
}

/**
 * Adds the user's mistakes in the reviewed game to the pool.
 * @param {App} app
 */
export async function collectMistakes(app) {
  const { seats, info, names } = app.table;
  const isOwn = (/** @type {number} */ side) => (seats ? seats[side].kind === 'person' : !!settings.name && names[side] === settings.name);
  const own = info ? [0, 1].filter(isOwn).flatMap((side) => mistakesOf(app, side)) : [];
  if (own.length === 0) return;
  const ids = new Set(own.map(({ id }) => id));
  await app.library.changeNote(NOTE, (/** @type {Puzzle[] | null} */ pool) => [...(pool ?? []).filter(({ id }) => !ids.has(id)), ...own].slice(-MAX_MISTAKES));
}

/**
 * The pool of own mistakes.
 * @param {App} app
 * @returns {Promise<Puzzle[]>}
 */
export async function ownMistakes(app) {
  return (await app.library.note(NOTE).catch(() => null)) ?? [];
}

/**
 * The FNV-1a hash of a value's JSON text, as 8 hexadecimal digits.
 * @param {any} value
 */
function hash(value) {
  let sum = 0x811c9dc5;
  for (const char of JSON.stringify(value)) sum = Math.imul(sum ^ char.charCodeAt(0), 0x01000193);
  return (sum >>> 0).toString(16).padStart(8, '0');
}
