// The names of wabe's levels, and what each of them does.
import { number, t } from 'wabe/i18n.js';

/** Number of names. */
const NAMES = 10;

/**
 * A level's name: `Casual player`. With fewer levels than names, some names between the first and
 * the last are skipped.
 * @param {number} level from 1
 * @param {number} count of levels
 */
export function levelName(level, count) {
  const place = count > 1 ? Math.round(((level - 1) * (NAMES - 1)) / (count - 1)) : NAMES - 1;
  return t(`level.${Math.min(place, NAMES - 1) + 1}`);
}

/**
 * How a level plays.
 * @param {number} level from 1
 * @param {(number | null)[]} levels iterations of each
 */
export function describeLevel(level, levels) {
  const nodes = levels[level - 1] ?? null;
  if (nodes === null) return t('level.about.full');
  if (nodes > 1) return t('level.about.nodes', { n: number(nodes) });
  // These levels differ in how often they choose a weak move.
  return t(level === 1 ? 'level.about.often' : levels[level] === nodes ? 'level.about.sometimes' : 'level.about.seldom');
}
