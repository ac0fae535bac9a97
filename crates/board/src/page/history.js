// Undo and redo.

/**
 * @typedef {object} Change
 * @property {() => void} undo
 * @property {() => void} redo
 * @property {string} [name] successive changes with the same name count as one
 */

/** Maximum number of changes to keep. */
const MAX_CHANGES = 500;

export class History {
  constructor() {
    /** @type {Change[]} */
    this.done = [];
    /** @type {Change[]} */
    this.undone = [];
  }

  clear() {
    this.done = [];
    this.undone = [];
  }

  /** Records a change that was made. @param {Change} change */
  record(change) {
    const last = this.done[this.done.length - 1];
    if (change.name && last?.name === change.name && this.undone.length === 0) {
      last.redo = change.redo;
      return;
    }
    this.done.push(change);
    this.undone = [];
    if (this.done.length > MAX_CHANGES) this.done.shift();
  }

  /** Undoes the last change. Does nothing if there is none. */
  undo() {
    const change = this.done.pop();
    if (!change) return;
    this.undone.push(change);
    change.undo();
  }

  /** Makes the change again that was undone last. */
  redo() {
    const change = this.undone.pop();
    if (!change) return;
    this.done.push(change);
    change.redo();
  }
}
