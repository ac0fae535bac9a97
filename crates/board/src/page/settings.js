// The user's settings, stored in the browser.

/** @typedef {{kind: 'wabe' | 'program', level: number, program: string}} Engine the level is 1 to 10 */
/**
 * @typedef {object} Settings
 * @property {number} version
 * @property {'auto' | 'light' | 'dark'} theme
 * @property {'auto' | 'en' | 'de'} language
 * @property {string} name of the user; empty if not given
 * @property {boolean} letters
 * @property {'off' | 'edge' | 'fields'} coordinates
 * @property {boolean} arrows
 * @property {boolean} targets
 * @property {'first' | 'always' | 'never'} movable when to mark the pieces that can move
 * @property {boolean} sounds
 * @property {number} finishedGames games finished here, to recognise the first one
 * @property {boolean} times whether the move list shows times
 * @property {number} lines
 * @property {number} threads
 * @property {number} memory
 * @property {number} reviewNodes
 * @property {string} game
 * @property {string} opponents
 * @property {string} puzzleGame
 * @property {[Engine, Engine]} engines a single opponent is the first one
 * @property {number} games number of games between two engines
 * @property {number} moveMs
 * @property {boolean} useClock
 * @property {number} clockMinutes
 * @property {number} clockIncrement
 * @property {number} autoplayMs
 */

const STORAGE_KEY = 'wabe-board';
/**
 * Version of the stored settings. Version 1 had no number and counted levels from 0; until version 2,
 * there were eight levels.
 */
const VERSION = 3;

/** @type {Settings} */
const DEFAULTS = {
  version: VERSION,
  theme: 'auto',
  language: 'auto',
  name: '',
  letters: false,
  coordinates: 'edge',
  arrows: true,
  targets: true,
  movable: 'first',
  sounds: false,
  finishedGames: 0,
  times: false,
  lines: 3,
  threads: 1,
  memory: 0,
  reviewNodes: 2000,
  // The site starts with the complete board game, the program with the contest.
  game: document.documentElement.dataset.engine ? 'Base+MLP' : 'contest',
  opponents: 'first',
  puzzleGame: 'Base',
  engines: [{ kind: 'wabe', level: 1, program: '' }, { kind: 'wabe', level: 1, program: '' }],
  games: 1,
  moveMs: 1000,
  useClock: false,
  clockMinutes: 10,
  clockIncrement: 5,
  autoplayMs: 1000,
};

/** @returns {Settings} */
function load() {
  try {
    const stored = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}');
    if (stored.engines && (stored.version ?? 1) < 3) {
      for (const engine of stored.engines) {
        const level = stored.version ? engine.level : engine.level + 1;
        engine.level = Math.round(((level - 1) * 9) / 7) + 1;
      }
    }
    return { ...DEFAULTS, ...stored, version: VERSION };
  } catch {
    return { ...DEFAULTS };
  }
}

/** True if settings from an earlier visit were found. */
export const isStored = (() => {
  try {
    return localStorage.getItem(STORAGE_KEY) !== null;
  } catch {
    return false;
  }
})();

/** The settings. Change them with {@link change} only. */
export const settings = load();

/** Changes settings and stores them. @param {Partial<Settings>} changes */
export function change(changes) {
  Object.assign(settings, changes);
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(settings));
  } catch {
    // Storage is blocked or full, so the settings are lost after this visit.
  }
}
