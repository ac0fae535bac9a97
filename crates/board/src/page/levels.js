// The names of wabe's levels, and what each of them does.
import { number, t } from 'wabe/i18n.js';

/**
 * A level's name: `Casual player`.
 * @param {number} level 1 to 10
 */
export function levelName(level) {
  return t(`level.${level}`);
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
