// URL fragments that encode a game: its name, start position and moves.

/** Characters that need no escaping in a fragment. */
const PLAIN = /[A-Za-z0-9,;:+\-/()$*'@?|]/;

/** @param {string} text */
function escape(text) {
  let out = '';
  for (const char of text) {
    if (char === ' ') out += '_';
    else if (char === '\\') out += '~';
    else if (PLAIN.test(char) && char !== "'") out += char;
    else out += encodeURIComponent(char).replace(/[!'_.~]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  }
  return out;
}

/** @param {string} text */
function unescape(text) {
  // Older addresses contain `!` for a backslash, at which link detection cut them off.
  return decodeURIComponent(text.replace(/_/g, ' ').replace(/[~!]/g, '\\'));
}

/**
 * Drops `set` and `drag` from a contest move: `A 0,1`, `0,1*2,1`.
 * @param {string} move
 */
function shorten(move) {
  return move.replace(/^set (\S) /, '$1').replace(/^drag (\S+) (\S+)$/, '$1*$2');
}

/** @param {string} short */
function lengthen(short) {
  return short
    .replace(/^([A-Z])(-?\d+,-?\d+)$/, 'set $1 $2')
    .replace(/^(-?\d+,-?\d+)\*(-?\d+,-?\d+)$/, 'drag $1 $2');
}

/**
 * Encodes a game as a fragment, without `#`.
 * @param {import('./types.js').GameLine} line
 * @returns {string}
 */
export function toFragment(line) {
  const parts = [`game=${escape(line.game)}`];
  if (line.start) parts.push(`start=${escape(line.start)}`);
  if (line.moves.length > 0) parts.push(`moves=${line.moves.map((move) => escape(shorten(move))).join('.')}`);
  return parts.join('&');
}

/**
 * Decodes a fragment.
 * @param {string} fragment with or without `#`
 * @returns {{line: import('./types.js').GameLine | null, token: string | null}}
 */
export function fromFragment(fragment) {
  /** @type {Map<string, string>} */
  const values = new Map();
  for (const part of fragment.replace(/^#/, '').split('&')) {
    const [name, value] = [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)];
    if (part.includes('=')) values.set(name, value);
  }
  try {
    const token = values.has('token') ? decodeURIComponent(values.get('token') ?? '') : null;
    const game = values.get('game');
    if (!game) return { line: null, token };
    const start = values.get('start');
    const moves = values.get('moves');
    const line = {
      game: unescape(game),
      start: start ? unescape(start) : null,
      moves: moves ? moves.split('.').map((move) => lengthen(unescape(move))) : [],
    };
    return { line, token };
  } catch {
    return { line: null, token: null };
  }
}
