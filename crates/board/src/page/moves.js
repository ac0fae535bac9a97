// Pieces and moves in words.
import { same } from './geometry.js';
import { number, percent, t } from './i18n.js';

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
 * A piece's name as a reference for another piece: `the red ant`.
 * @param {GameInfo} info
 * @param {{side: number, letter: string, number?: number | null}} piece
 */
function besidePiece(info, piece) {
  const name = `${t(`side.${info.sides[piece.side]}.beside.${t(`gender.${piece.letter}`)}`)} ${kindName(info, piece.letter)}`;
  return piece.number ? `${name} ${piece.number}` : name;
}

/**
 * A text as the beginning of a sentence.
 * @param {string} text
 */
export function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
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
  const piece = besidePiece(info, { side: color === 'w' ? 0 : 1, letter, number: count ? Number(count) : null });
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
  const beside = placeInWords(info, move.text);
  if (beside) return t(move.from ? 'move.dragBeside' : 'move.placeBeside', { piece, to: beside });
  const to = fieldName(move.to);
  if (!move.from) return t('move.place', { piece, to });
  const words = t('move.drag', { piece, from: fieldName(move.from), to });
  const below = stackAt(view, move.to);
  if (!below) return words;
  return `${words} ${t('move.onto', { piece: besidePiece(info, below.pieces[below.pieces.length - 1]) })}`;
}

/**
 * A move as lists show it: without the words that its piece's icon replaces.
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
 * The piece of a move, if its text names it.
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
 * The pieces that a line's moves move, as far as their texts name them. Only tracks where pieces lie: the moves are the engine's.
 * @param {View} view before the first of them
 * @param {string[]} moves
 * @param {number} first who makes the first one
 * @returns {({side: number, letter: string, number: number | null} | null)[]}
 */
export function piecesOfLine(view, moves, first) {
  /** @type {Map<string, {side: number, letter: string, number: number | null}[]>} */
  const stacks = new Map(view.stacks.map((stack) => [fieldName(stack.at), [...stack.pieces]]));
  return moves.map((move, i) => {
    const named = movedPiece(move, (first + i) % 2);
    const [, from, to] = /^(?:drag|set) (\S+) (\S+)$/.exec(move) ?? [];
    if (!to) return named;
    const piece = named ?? stacks.get(from)?.pop() ?? null;
    if (piece) stacks.set(to, [...(stacks.get(to) ?? []), piece]);
    return piece;
  });
}

/** Where a piece lies beside its neighbour, by the mark in the notation. */
const STEPS = /** @type {Record<string, Field>} */ ({
  '-_': [-1, 1], '/_': [-1, 0], '\\_': [0, 1], '_-': [1, -1], '_/': [1, 0], '_\\': [0, -1], '': [0, 0],
});

/**
 * The fields of a move that the engine has named, read from its text.
 * @param {View} view before the move
 * @param {string} text
 * @returns {MoveView | null}
 */
export function readMove(view, text) {
  const known = view.moves.find((move) => move.text === text);
  if (known) return known;
  const field = (/** @type {string | undefined} */ name) => (name ? /** @type {Field} */ (name.split(',').map(Number)) : null);
  const set = /^set (\S) (\S+)$/.exec(text);
  if (set) return { text, letter: set[1], from: null, to: field(set[2]) };
  const drag = /^drag (\S+) (\S+)$/.exec(text);
  if (drag) {
    const pieces = stackAt(view, field(drag[1]))?.pieces;
    return { text, letter: pieces?.[pieces.length - 1].letter ?? null, from: field(drag[1]), to: field(drag[2]) };
  }
  const named = /^([wb])([A-Z])(\d?) ([-/\\]?)([wb])([A-Z])(\d?)([-/\\]?)$/.exec(text);
  if (!named) return null;
  const find = (/** @type {string} */ color, /** @type {string} */ letter, /** @type {string} */ count) =>
    view.stacks.find(({ pieces }) => pieces.some((piece) => piece.side === (color === 'w' ? 0 : 1) && piece.letter === letter && (piece.number ?? 0) === Number(count || 0)))?.at ?? null;
  const beside = find(named[5], named[6], named[7]);
  const step = STEPS[named[4] ? `${named[4]}_` : named[8] ? `_${named[8]}` : ''];
  if (!beside) return null;
  return { text, letter: named[2], from: find(named[1], named[2], named[3]), to: [beside[0] + step[0], beside[1] + step[1]] };
}

/**
 * The legal move that a typed text means, in full or short form.
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
 * The rule that holds a piece, in words.
 * @param {GameInfo} info
 * @param {View['idle'][number]} piece
 */
export function idleInWords(info, { reason }) {
  return t(`idle.${reason}`, { bee: kindName(info, 'Q') });
}

/** @typedef {import('./types.js').Ending} Ending */

/**
 * The winner: `Red wins`; nothing for an end that only its own sentence describes.
 * @param {GameInfo} info
 * @param {Ending} ending
 */
export function winnerInWords(info, { winner, reason }) {
  if (winner !== null) return t('end.wins', { side: sideName(info, winner) });
  return reason ? t('end.draw') : '';
}

/**
 * The reason for an end: `blue’s bee is surrounded`.
 * @param {GameInfo} info
 * @param {Ending} ending
 */
export function reasonInWords(info, { winner, reason, sentence }) {
  if (reason) return t(`end.reason.${reason}`, { side: winner === null ? '' : sideName(info, 1 - winner), bee: kindName(info, 'Q') });
  return winner === null ? sentence ?? '' : '';
}

/**
 * An end in a sentence.
 * @param {GameInfo} info
 * @param {Ending} ending
 */
export function endInWords(info, ending) {
  return [winnerInWords(info, ending), reasonInWords(info, ending)].filter(Boolean).join(': ');
}

/**
 * The state of a game in a sentence.
 * @param {GameInfo} info
 * @param {View} view
 * @param {Ending | null} [ending]
 */
export function stateInWords(info, view, ending = view.ending) {
  if (ending) return endInWords(info, ending);
  if (view.to_move === null) return view.state;
  return t('state.toMove', { side: sideName(info, view.to_move) });
}

/**
 * True if a remark is a program's report on its move: `score=0.52 visits=2861 pv=...`.
 * @param {string} text
 */
export function isHint(text) {
  return /^score=[\d.]+\b/.test(text);
}

/**
 * A program's report on its move, in words; other remarks unchanged.
 * @param {GameInfo} info
 * @param {string} text
 * @param {number} side who made the move
 */
export function remarkInWords(info, text, side) {
  if (!isHint(text)) return text;
  const value = (/** @type {string} */ name) => new RegExp(`\\b${name}=(\\S+)`).exec(text)?.[1];
  const parts = [t('value.expects', { side: sideName(info, side), share: percent(Number(value('score'))) })];
  const visits = Number(value('visits'));
  if (visits) parts.push(t('hint.visits', { n: number(visits) }));
  const line = /\bpv=(.*)$/s.exec(text)?.[1]?.split(';').slice(1).map((move) => shortMove(move.trim())) ?? [];
  if (line.length > 0) parts.push(t('hint.then', { moves: line.join(' · ') }));
  return `${parts.join(', ')}.`;
}

/**
 * The progress of the game.
 * @param {View} view
 */
export function progressInWords(view) {
  const round = /(\d+)(?: of (\d+))?/.exec(view.progress);
  if (!round) return view.progress;
  return round[2] ? t('progress.of', { n: round[1], of: round[2] }) : t('progress.round', { n: round[1] });
}

/**
 * The side that a value favours.
 * @param {import('./types.js').ValueView} value
 */
export function favoured(value) {
  return value.score >= 0.5 ? 0 : 1;
}

/**
 * A value as a short text, as the favoured side sees it: its expected score in per cent, or in how many
 * of its moves it wins at the latest.
 * @param {import('./types.js').ValueView} value
 */
export function valueText(value) {
  if (value.proven && value.score === 0.5) return '=';
  if (value.proven) return !value.plies ? '#' : `#${Math.max(1, Math.ceil(value.plies / 2))}`;
  return percent(Math.max(value.score, 1 - value.score));
}

/**
 * A value in words: "Red wins with the next move", "Red expects 62 %".
 * @param {GameInfo} info
 * @param {import('./types.js').ValueView} value
 */
export function valueInWords(info, value) {
  if (value.proven && value.score === 0.5) return t('value.draw');
  if (value.proven) {
    const side = sideName(info, value.score > 0.5 ? 0 : 1);
    if (!value.plies) return t('value.wins', { side });
    const moves = Math.ceil(value.plies / 2);
    return moves === 1 ? t('value.winsNext', { side }) : t('value.winsLine', { side, n: moves });
  }
  const first = value.score >= 0.5;
  const share = first ? value.score : 1 - value.score;
  return t('value.expects', { side: sideName(info, first ? 0 : 1), share: percent(share) });
}
