// A move planned while the opponent thinks. It is played if it is legal when the user's turn comes.
import { same } from 'wabe/geometry.js';

/** @typedef {import('./types.js').Field} Field */
/** @typedef {import('./types.js').View} View */
/** @typedef {{from: Field} | {letter: string}} Origin a piece on the board, or in reserve */

export class Premove {
  constructor() {
    /** The chosen piece.
     * @type {Origin | null} */
    this.origin = null;
    /** @type {Field | null} */
    this.target = null;
  }

  clear() {
    this.origin = null;
    this.target = null;
  }

  /**
   * Handles a click on a field: chooses one of the side's pieces, then its target. A click after
   * that, or on the chosen piece, cancels.
   * @param {View} view
   * @param {number} side that plans
   * @param {Field} field
   */
  chooseField(view, side, field) {
    const isChosen = this.origin && 'from' in this.origin && same(this.origin.from, field);
    if (this.target || isChosen) {
      this.clear();
    } else if (this.origin) {
      this.target = field;
    } else {
      const pieces = view.stacks.find((stack) => same(stack.at, field))?.pieces ?? [];
      if (pieces[pieces.length - 1]?.side === side) this.origin = { from: field };
    }
  }

  /** Chooses a kind in reserve, or cancels. @param {string} letter */
  chooseReserve(letter) {
    const isChosen = this.origin && 'letter' in this.origin && this.origin.letter === letter;
    this.clear();
    if (!isChosen) this.origin = { letter };
  }

  /** The fields to highlight. */
  marks() {
    return this.origin && 'from' in this.origin && !this.target ? [this.origin.from] : [];
  }

  /**
   * @param {number} side that plans
   * @returns {import('./arrows.js').Arrow[]}
   */
  arrows(side) {
    const { origin, target } = this;
    if (!origin || !target) return [];
    const move = { text: '', letter: 'letter' in origin ? origin.letter : null, from: 'from' in origin ? origin.from : null, to: target };
    return [{ move, side, rank: 0, kind: 'premove' }];
  }

  /**
   * Ends the plan.
   * @param {View} view with the user to move
   * @returns {{planned: boolean, move: import('./types.js').MoveView | null}} the move, if it is legal
   */
  take({ moves }) {
    const { origin, target } = this;
    this.clear();
    if (!origin || !target) return { planned: false, move: null };
    const isOrigin = (/** @type {import('./types.js').MoveView} */ move) => ('from' in origin ? same(move.from, origin.from) : !move.from && move.letter === origin.letter);
    return { planned: true, move: moves.find((move) => isOrigin(move) && same(move.to, target)) ?? null };
  }
}
