// Pieces and moves in words.
import { same } from './geometry.js';
import { currentLanguage, t } from './i18n.js';

/** @typedef {import('./types.js').GameInfo} GameInfo */
/** @typedef {import('./types.js').View} View */
/** @typedef {import('./types.js').MoveView} MoveView */
/** @typedef {import('./types.js').Field} Field */

/**
 * A side's name at the beginning of a sentence: `Red`.
 * @param {GameInfo} info
 * @param {number} side
 */
export function sideName(info, side) {
  return t(`side.${info.sides[side]}`);
}

/**
 * A kind's name: `ant`, in the contest `bee` for the queen.
 * @param {GameInfo} info
 * @param {string} letter
 */
export function kindName(info, letter) {
  return letter === 'Q' ? t(`kind.${info.bee}`) : t(`kind.${letter}`);
}

/**
 * A piece's name: `red ant`.
 * @param {GameInfo} info
 * @param {{side: number, letter: string, number?: number | null}} piece
 */
export function pieceName(info, piece) {
  const gender = t(`gender.${piece.letter}`);
  const name = `${t(`side.${info.sides[piece.side]}.${gender}`)} ${kindName(info, piece.letter)}`;
  return piece.number ? `${name} ${piece.number}` : name;
}

/**
 * @param {View} view
 * @param {Field | null} field
 */
export function stackAt(view, field) {
  return field ? view.stacks.find((stack) => same(stack.at, field)) ?? null : null;
}

/** @param {Field} field */
export function fieldName(field) {
  return `${field[0]},${field[1]}`;
}

/**
 * Where a field is, by its name or by what stands there.
 * @param {GameInfo} info
 * @param {string} text the move as the game writes it
 * @param {Field} to
 */
function place(info, text, to) {
  const words = placeInWords(info, text);
  return words ?? fieldName(to);
}

const DIRECTIONS = {
  '-_': 'left',
  '/_': 'lowerLeft',
  '\\_': 'upperLeft',
  '_-': 'right',
  '_/': 'upperRight',
  '_\\': 'lowerRight',
};

/**
 * `wA1 -bQ` as "left of the black queen"; nothing for moves of the contest.
 * @param {GameInfo} info
 * @param {string} text
 */
function placeInWords(info, text) {
  const parts = /^\S+ ([-/\\]?)([wb])([A-Z])(\d?)([-/\\]?)$/.exec(text);
  if (!parts) return null;
  const [, before, color, letter, count, after] = parts;
  const piece = pieceName(info, { side: color === 'w' ? 0 : 1, letter, number: count ? Number(count) : null });
  const mark = before ? `${before}_` : after ? `_${after}` : '';
  const direction = DIRECTIONS[/** @type {keyof typeof DIRECTIONS} */ (mark)];
  return direction ? t(`place.${direction}`, { piece }) : t('place.on', { piece });
}

/**
 * A move in words, as of the position before it.
 * @param {GameInfo} info
 * @param {View} view
 * @param {MoveView} move
 */
export function moveInWords(info, view, move) {
  if (!move.to) return t('move.pass');
  const from = stackAt(view, move.from);
  const moved = from ? from.pieces[from.pieces.length - 1] : null;
  const number = /^[wb][A-Z](\d)/.exec(move.text)?.[1];
  const piece = pieceName(info, {
    side: moved?.side ?? view.to_move ?? 0,
    letter: move.letter ?? moved?.letter ?? '?',
    number: number ? Number(number) : null,
  });
  const to = place(info, move.text, move.to);
  if (!move.from) return t('move.place', { piece, to });
  const words = info.has_edge
    ? t('move.drag', { piece, from: fieldName(move.from), to })
    : t('move.dragTo', { piece, to });
  const below = stackAt(view, move.to);
  if (!below || !info.has_edge) return words;
  return `${words} ${t('move.onto', { piece: pieceName(info, below.pieces[below.pieces.length - 1]) })}`;
}

/**
 * A move as lists show it: without the words that an icon of its piece makes needless.
 * @param {string} text
 */
export function shortMove(text) {
  if (text === 'skip' || text === 'pass') return t('move.passShort');
  return text
    .replace(/^set \S (\S+)$/, '$1')
    .replace(/^drag (\S+) (\S+)$/, '$1→$2')
    .replace(/-(?=\d)/g, /^(set|drag)/.test(text) ? '−' : '-')
    .replace(/^([wb][A-Z]\d?) /, '$1 ');
}

/**
 * The piece of a move, if its text tells.
 * @param {string} text
 * @param {number} side who moves
 * @returns {{side: number, letter: string, number: number | null} | null}
 */
export function movedPiece(text, side) {
  const placed = /^set (\S) /.exec(text);
  if (placed) return { side, letter: placed[1], number: null };
  const named = /^([wb])([A-Z])(\d?)(?: |$)/.exec(text);
  if (named) return { side: named[1] === 'w' ? 0 : 1, letter: named[2], number: null };
  return null;
}

/**
 * The legal move that somebody typed, in full or short.
 * @param {View} view
 * @param {string} typed
 */
export function findTyped(view, typed) {
  const plain = (/** @type {string} */ text) =>
    text.toLowerCase().replace(/[−–]/g, '-').replace(/\b(set|drag)\b/g, '').replace(/[>→*]/g, ' ').replace(/\s+/g, ' ').trim();
  const wanted = plain(typed);
  if (!wanted) return null;
  return view.moves.find((move) => plain(move.text) === wanted) ?? null;
}

/**
 * The state of a game in a sentence.
 * @param {GameInfo} info
 * @param {View} view
 */
export function stateInWords(info, view) {
  if (view.ending) {
    if (currentLanguage() === 'en') return view.ending.sentence;
    return view.ending.winner === null
      ? t('end.draw')
      : t('end.wins', { side: sideName(info, view.ending.winner) });
  }
  if (view.to_move === null) return view.state;
  return t('state.toMove', { side: sideName(info, view.to_move) });
}

/**
 * How far the game is.
 * @param {View} view
 */
export function progressInWords(view) {
  const round = /(\d+)(?: of (\d+))?/.exec(view.progress);
  if (!round) return view.progress;
  return round[2] ? t('progress.of', { n: round[1], of: round[2] }) : t('progress.round', { n: round[1] });
}

/**
 * A value as a short text: the expected score in per cent of a side, or the certain end.
 * @param {import('./types.js').ValueView} value
 */
export function valueText(value) {
  if (value.proven && value.score !== 0.5 && value.plies !== null) {
    const moves = Math.max(1, Math.ceil(value.plies / 2));
    return `${value.score > 0.5 ? '+' : '−'}#${moves}`;
  }
  if (value.proven) return value.score === 0.5 ? '=' : value.score > 0.5 ? '+#' : '−#';
  return (value.score * 100).toFixed(0) + ' %';
}

/**
 * A value in words: "Red wins in 3", "Red 62 %".
 * @param {GameInfo} info
 * @param {import('./types.js').ValueView} value
 */
export function valueInWords(info, value) {
  if (value.proven && value.score === 0.5) return t('value.draw');
  if (value.proven) {
    const side = sideName(info, value.score > 0.5 ? 0 : 1);
    if (value.plies === null) return t('value.wins', { side });
    return t('value.winsIn', { side, n: Math.max(1, Math.ceil(value.plies / 2)) });
  }
  const first = value.score >= 0.5;
  const share = first ? value.score : 1 - value.score;
  return t('value.expects', { side: sideName(info, first ? 0 : 1), share: Math.round(share * 100) });
}
