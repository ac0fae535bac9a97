// The user's settings, kept in the browser.

/** @typedef {{kind: 'wabe' | 'program', level: number, program: string}} Engine */
/**
 * @typedef {object} Settings
 * @property {'auto' | 'light' | 'dark'} theme
 * @property {'auto' | 'en' | 'de'} language
 * @property {boolean} letters
 * @property {'off' | 'edge' | 'fields'} coordinates
 * @property {boolean} arrows
 * @property {boolean} targets
 * @property {number} lines
 * @property {number} threads
 * @property {number} memory
 * @property {number} reviewNodes
 * @property {string} game
 * @property {string} opponents
 * @property {[Engine, Engine]} engines the first one plays against a person, both play against each other
 * @property {number} moveMs
 * @property {boolean} useClock
 * @property {number} clockMinutes
 * @property {number} clockIncrement
 * @property {number} autoplayMs
 */

const NAME = 'wabe-board';

/** @type {Settings} */
const USUAL = {
  theme: 'auto',
  language: 'auto',
  letters: false,
  coordinates: 'edge',
  arrows: true,
  targets: true,
  lines: 3,
  threads: 1,
  memory: 0,
  reviewNodes: 2000,
  // Guests of a site come for the game as it is sold, users of the program for the contest.
  game: document.documentElement.dataset.engine ? 'Base+MLP' : 'contest',
  opponents: 'first',
  engines: [{ kind: 'wabe', level: 0, program: '' }, { kind: 'wabe', level: 0, program: '' }],
  moveMs: 1000,
  useClock: false,
  clockMinutes: 10,
  clockIncrement: 5,
  autoplayMs: 1000,
};

/** @returns {Settings} */
function load() {
  try {
    return { ...USUAL, ...JSON.parse(localStorage.getItem(NAME) ?? '{}') };
  } catch {
    return { ...USUAL };
  }
}

/** True if there were settings from an earlier visit. */
export const isStored = (() => {
  try {
    return localStorage.getItem(NAME) !== null;
  } catch {
    return false;
  }
})();

/** The settings; changed with {@link change} only. */
export const settings = load();

/** @type {(() => void)[]} */
const listeners = [];

/** @param {() => void} listener */
export function onChange(listener) {
  listeners.push(listener);
}

/** @param {Partial<Settings>} changes */
export function change(changes) {
  Object.assign(settings, changes);
  try {
    localStorage.setItem(NAME, JSON.stringify(settings));
  } catch {
    // A browser that keeps nothing still plays.
  }
  for (const listener of listeners) listener();
}
