// Descriptions of pieces, moves, results and values in the page's language.
import { clockText } from 'wabe/clock.js';
import { key, same } from 'wabe/geometry.js';
import { number, percent, t, tn } from 'wabe/i18n.js';
import { describeProblem } from 'wabe/problems.js';

/** @typedef {import('./types.js').GameInfo} GameInfo */
/** @typedef {import('./types.js').View} View */
/** @typedef {import('./types.js').MoveView} MoveView */
/** @typedef {import('./types.js').Field} Field */

/**
 * A side's name, capitalised: `Red`.
 * @param {GameInfo} info
 * @param {number} side
 */
export function sideName(info, side) {
  return t(`side.${info.sides[side]}`);
}

/**
 * A kind's name: `ant`. The queen is called `bee` in the contest.
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
  const name = fillPiece(info, piece, 'piece');
  return piece.number ? `${name} ${piece.number}` : name;
}

/**
 * A piece as the object of a verb or preposition: `the red ant`, `red ant 2`. Article and case
 * differ from `pieceName` in German.
 * @param {GameInfo} info
 * @param {{side: number, letter: string, number?: number | null}} piece
 */
function pieceObject(info, piece) {
  return fillPiece(info, piece, piece.number ? 'piece.object.numbered' : 'piece.object');
}

/**
 * A piece as the object of advice to a player: `your ant 2`, `the black queen`.
 * @param {GameInfo} info
 * @param {{side: number, letter: string, number?: number | null}} piece
 * @param {number} reader side of the player
 */
function pieceFor(info, piece, reader) {
  if (piece.side !== reader) return pieceObject(info, piece);
  const name = fillPiece(info, piece, 'piece.yours');
  return piece.number ? `${name} ${piece.number}` : name;
}

/**
 * @param {GameInfo} info
 * @param {{side: number, letter: string, number?: number | null}} piece
 * @param {string} name of the text, without the gender
 */
function fillPiece(info, { side, letter, number }, name) {
  const values = { color: t(`color.${info.sides[side]}`), kind: kindName(info, letter), number: number ?? '' };
  return t(`${name}.${t(`gender.${letter}`)}`, values);
}

/**
 * Capitalises the first letter.
 * @param {string} text
 */
export function capitalize(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/**
 * @param {View} view
 * @param {Field | null} field
 */
export function stackAt(view, field) {
  return field ? view.stacks.find((stack) => same(stack.at, field)) ?? null : null;
}

/**
 * A field's coordinates with typographic minus signs.
 * @param {Field} field
 */
function fieldText(field) {
  return key(field).replace(/-/g, '−');
}

/** Text names of directions, by the mark in the notation. On a board turned around, the marks are. */
const DIRECTIONS = {
  '-_': 'left',
  '/_': 'lowerLeft',
  '\\_': 'upperLeft',
  '_-': 'right',
  '_/': 'upperRight',
  '_\\': 'lowerRight',
};

/**
 * Describes the target of `wA1 -bQ` as "left of the black queen". Returns `null` for contest moves,
 * which name no neighbour.
 * @param {GameInfo} info
 * @param {string} text
 * @param {boolean} flipped whether the board is turned around
 * @param {typeof pieceObject} name how to name the neighbour
 */
function describeNeighbour(info, text, flipped, name) {
  const parts = /^\S+ ([-/\\]?)([wb])([A-Z])(\d?)([-/\\]?)$/.exec(text);
  if (!parts) return null;
  const [, before, color, letter, count, after] = parts;
  const piece = name(info, { side: color === 'w' ? 0 : 1, letter, number: count ? Number(count) : null });
  const isBefore = flipped ? after : before;
  const mark = before || after ? (isBefore ? `${before || after}_` : `_${before || after}`) : '';
  const direction = DIRECTIONS[/** @type {keyof typeof DIRECTIONS} */ (mark)];
  return direction ? t(`place.${direction}`, { piece }) : t('place.on', { piece });
}

/**
 * Describes a move: "red ant placed at 0,3".
 * @param {GameInfo} info
 * @param {View} view before the move
 * @param {MoveView} move
 * @param {boolean} flipped whether the board is turned around
 */
export function describeMove(info, view, move, flipped) {
  if (!move.to) return t('move.pass');
  return fillMove(info, view, move, flipped, 'move', pieceName(info, movingPiece(view, move)));
}

/**
 * Recommends a move: "place the red ant at 0,3". To the player, it is "place an ant at 0,3".
 * @param {GameInfo} info
 * @param {View} view before the move
 * @param {MoveView} move
 * @param {boolean} flipped whether the board is turned around
 * @param {number | null} [reader] side of the player who gets the advice
 */
export function adviseMove(info, view, move, flipped, reader = null) {
  if (!move.to) return t('advice.pass');
  const piece = movingPiece(view, move);
  // Pieces in reserve have no numbers yet.
  const named = move.from ? piece : { ...piece, number: null };
  const name = (/** @type {GameInfo} */ _, /** @type {{side: number, letter: string, number?: number | null}} */ one) => (reader === null ? pieceObject(info, one) : pieceFor(info, one, reader));
  const moved = reader !== null && !move.from ? fillPiece(info, named, 'piece.one') : name(info, named);
  return fillMove(info, view, move, flipped, 'advice', moved, name);
}

/**
 * @param {View} view before the move
 * @param {MoveView} move
 */
function movingPiece(view, move) {
  const from = stackAt(view, move.from);
  const moved = from ? from.pieces[from.pieces.length - 1] : null;
  const number = /^[wb][A-Z](\d)/.exec(move.text)?.[1];
  return {
    side: moved?.side ?? view.to_move ?? 0,
    letter: move.letter ?? moved?.letter ?? '?',
    number: number ? Number(number) : null,
  };
}

/**
 * @param {GameInfo} info
 * @param {View} view before the move
 * @param {MoveView} move not a pass
 * @param {boolean} flipped
 * @param {'move' | 'advice'} group of texts
 * @param {string} piece
 * @param {typeof pieceObject} [name] how to name other pieces
 */
function fillMove(info, view, move, flipped, group, piece, name = pieceObject) {
  const target = /** @type {Field} */ (move.to);
  const beside = describeNeighbour(info, move.text, flipped, name);
  if (beside) return t(`${group}.${move.from ? 'dragBeside' : 'placeBeside'}`, { piece, to: beside });
  const to = fieldText(target);
  // The first piece of standard Hive has no neighbour, and no coordinates to show.
  if (!move.from) return info.has_edge ? t(`${group}.place`, { piece, to }) : t(`${group}.placeFirst`, { piece });
  const text = t(`${group}.drag`, { piece, from: fieldText(move.from), to });
  const below = stackAt(view, target);
  if (!below) return text;
  return `${text} ${t('move.onto', { piece: name(info, below.pieces[below.pieces.length - 1]) })}`;
}

/**
 * Shortens a move for lists: leaves out what the piece's icon shows.
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
 * The piece of a move, if the text names it.
 * @param {string} text
 * @param {number} side to move
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
 * The moving piece of each move in a line, as far as it is known. Only tracks stacks and checks no
 * rules, because the moves come from the engine.
 * @param {View} view before the first move
 * @param {string[]} moves
 * @param {number} first side to move
 * @returns {({side: number, letter: string, number: number | null} | null)[]}
 */
export function piecesOfLine(view, moves, first) {
  /** @type {Map<string, {side: number, letter: string, number: number | null}[]>} */
  const stacks = new Map(view.stacks.map((stack) => [key(stack.at), [...stack.pieces]]));
  return moves.map((move, i) => {
    const named = movedPiece(move, (first + i) % 2);
    const [, from, to] = /^(?:drag|set) (\S+) (\S+)$/.exec(move) ?? [];
    if (!to) return named;
    const piece = named ?? stacks.get(from)?.pop() ?? null;
    if (piece) stacks.set(to, [...(stacks.get(to) ?? []), piece]);
    return piece;
  });
}

/** Offsets from the neighbour, by the mark in the notation. */
const STEPS = /** @type {Record<string, Field>} */ ({
  '-_': [-1, 1], '/_': [-1, 0], '\\_': [0, 1], '_-': [1, -1], '_/': [1, 0], '_\\': [0, -1], '': [0, 0],
});

/**
 * Parses a move's fields from its text, because views of offline pages contain no legal moves.
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

/** A move number before a typed move: `1.`, `12...`. */
const MOVE_NUMBER = /^\s*\d+\.+\s*/;

/**
 * Completes a typed text for the engine: `1. S1` becomes `wS1`.
 * @param {View} view
 * @param {string} typed
 */
export function completeTyped(view, typed) {
  const text = typed.replace(MOVE_NUMBER, '').trim();
  return /^[a-z]\d?( |$)/i.test(text) ? `${view.to_move === 1 ? 'b' : 'w'}${text}` : text;
}

/**
 * Finds the legal move for a typed text, in full or short form: `wA1 bQ-`, `1. wS1`, `S1`.
 * @param {View} view
 * @param {string} typed
 */
export function findTyped(view, typed) {
  const plain = (/** @type {string} */ text) =>
    text.toLowerCase().replace(MOVE_NUMBER, '').replace(/[−–]/g, '-').replace(/\b(set|drag)\b/g, '').replace(/[>→*]/g, ' ').replace(/\s+/g, ' ').trim();
  const wanted = plain(typed);
  if (!wanted) return null;
  const own = view.to_move === 1 ? 'b' : 'w';
  const forms = [wanted, `${own}${wanted}`];
  return view.moves.find((move) => forms.includes(plain(move.text))) ?? null;
}

/**
 * Explains why a piece has no legal move.
 * @param {View['idle'][number]} piece
 */
export function explainIdle({ reason }) {
  return describeProblem(reason);
}

/** @typedef {import('./types.js').Ending} Ending */

/**
 * The result: `Red wins` or `Draw`; empty if the ending has neither winner nor reason.
 * @param {GameInfo} info
 * @param {Ending} ending
 */
export function describeResult(info, { winner, reason }) {
  if (winner !== null) return t('end.wins', { side: sideName(info, winner) });
  return reason ? t('end.draw') : '';
}

/**
 * The reason for an ending: `Blue’s bee is surrounded`.
 * @param {GameInfo} info
 * @param {Ending} ending
 */
export function describeReason(info, { winner, reason, note, sentence }) {
  if (reason === 'stated' && note) return note;
  if (reason) return t(`end.reason.${reason}`, { side: winner === null ? '' : sideName(info, 1 - winner), bee: kindName(info, 'Q') });
  return winner === null ? sentence ?? '' : '';
}

/**
 * Result and reason: `Red wins: Blue’s bee is surrounded`.
 * @param {GameInfo} info
 * @param {Ending} ending
 */
export function describeEnding(info, ending) {
  return [describeResult(info, ending), describeReason(info, ending)].filter(Boolean).join(': ');
}

/**
 * The ending, otherwise the side to move.
 * @param {GameInfo} info
 * @param {View} view
 * @param {Ending | null} [ending]
 */
export function describeState(info, view, ending = view.ending) {
  if (ending) return describeEnding(info, ending);
  if (view.to_move === null) return view.state;
  return t('state.toMove', { side: sideName(info, view.to_move) });
}

/**
 * True if a comment is an engine's search report: `score=0.52 visits=2861 pv=...`, `visits=0 pv=...`.
 * @param {string} text
 */
export function isHint(text) {
  return /^((score|plies|visits|nodes|value|depth)=[-\d.]+|proof=\w+|pv=\S+)/.test(text);
}

/**
 * Translates an engine's search report, which may be empty. Returns other comments unchanged.
 * @param {GameInfo} info
 * @param {string} text
 * @param {number} side of the engine
 */
export function describeRemark(info, text, side) {
  if (!isHint(text)) return text;
  const value = (/** @type {string} */ name) => new RegExp(`\\b${name}=(\\S+)`).exec(text)?.[1];
  const score = value('score');
  const proven = { win: 1, draw: 0.5, loss: 0 }[value('proof') ?? ''];
  const [plies, depth, visits, nodes] = ['plies', 'depth', 'visits', 'nodes'].map((name) => Number(value(name) ?? 0));
  const parts = [];
  if (proven !== undefined) parts.push(describeValue(info, { score: side === 0 ? proven : 1 - proven, proven: true, plies }));
  else if (score !== undefined) parts.push(t('value.chances', { side: sideName(info, side), share: percent(Number(score)) }));
  if (depth) parts.push(t('hint.depth', { n: number(depth) }));
  if (visits) parts.push(tn('hint.visits', visits));
  else if (nodes) parts.push(tn('analysis.nodes', nodes));
  const line = /\bpv=(.*)$/s.exec(text)?.[1]?.split(';').slice(1).map((move) => shortMove(move.trim())) ?? [];
  if (line.length > 0) parts.push(t('hint.then', { moves: line.join(' · ') }));
  return parts.length > 0 ? `${capitalize(parts.join(', '))}.` : '';
}

/**
 * The number of the move at a ply, which counts the moves before the first position.
 * @param {View | undefined} root
 * @param {number} ply from 1
 */
export function moveNumber(root, ply) {
  return Math.floor(((root?.turn ?? 0) + ply - 1) / 2) + 1;
}

/**
 * The round number, translated from the engine's text: `Round 3 of 30`.
 * @param {View} view
 */
export function describeProgress(view) {
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
 * Formats a value for the favoured side: `62%`, `#3` for a win within 3 moves, `=` for a proven
 * draw.
 * @param {import('./types.js').ValueView} value
 */
export function valueText(value) {
  if (value.proven && value.score === 0.5) return '=';
  if (value.proven) return !value.plies ? '#' : `#${Math.max(1, Math.ceil(value.plies / 2))}`;
  return percent(Math.max(value.score, 1 - value.score));
}

/**
 * Describes a value for the favoured side: "Red wins on the next move", "62% for Red".
 * @param {GameInfo} info
 * @param {import('./types.js').ValueView} value
 */
export function describeValue(info, value) {
  if (value.proven && value.score === 0.5) return t('value.draw');
  if (value.proven) {
    const side = sideName(info, value.score > 0.5 ? 0 : 1);
    if (!value.plies) return t('value.wins', { side });
    const moves = Math.ceil(value.plies / 2);
    return moves === 1 ? t('value.winsNext', { side }) : t('value.winsLine', { side, n: moves });
  }
  const first = value.score >= 0.5;
  const share = first ? value.score : 1 - value.score;
  return t('value.chances', { side: sideName(info, first ? 0 : 1), share: percent(share) });
}

/**
 * Formats the time of a move: `0.53 s`, `12.3 s`, `1:23`.
 * @param {number} ms
 */
export function describeTime(ms) {
  return ms < 60_000 ? t('start.seconds', { n: number(ms / 1000, ms < 10_000 ? 2 : 1) }) : clockText(ms);
}
