// The user's changes of the tree, all of which can be undone: moves, comments, annotation symbols,
// shapes, the order of variations.
import { History } from 'wabe/history.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./tree.js').Node} Node */
/** @typedef {import('./tree.js').Tree} Tree */

export class Edits {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.history = new History();
    /** The table's key to which the history belongs. */
    this.key = 0;
  }

  /** The history of the game on the table. */
  current() {
    const { key } = this.app.table;
    if (this.key !== key) this.history.clear();
    this.key = key;
    return this.history;
  }

  undo() {
    this.current().undo();
  }

  redo() {
    this.current().redo();
  }

  /**
   * Plays moves from the current position on. Moves that are new to the tree can be undone.
   * @param {string[]} moves
   */
  async play(moves) {
    const { table } = this.app;
    const { tree } = table;
    if (!tree) return;
    const before = tree.current;
    /** @type {Node | null} */
    let added = null;
    for (const move of moves) {
      const known = tree.current.children.some((child) => child.move === move);
      const node = tree.add(move);
      if (!known) added ??= node;
    }
    const after = tree.current;
    if (added) {
      const first = added;
      const index = first.parent?.children.indexOf(first) ?? 0;
      this.current().record({
        undo: () => {
          tree.remove(first);
          table.goTo(before);
        },
        redo: () => {
          tree.putBack(first, index);
          table.goTo(after);
        },
      });
    }
    await table.goTo(after);
  }

  /**
   * Removes a node with its subtree.
   * @param {Node} node
   */
  remove(node) {
    const { table } = this.app;
    const { tree } = table;
    if (!tree || !node.parent) return;
    const index = node.parent.children.indexOf(node);
    const before = tree.current;
    const redo = () => {
      tree.remove(node);
      table.goTo(tree.current);
    };
    redo();
    this.current().record({
      undo: () => {
        tree.putBack(node, index);
        table.goTo(before);
      },
      redo,
    });
  }

  /**
   * Makes the line to a node part of the main line.
   * @param {Node} node
   */
  promote(node) {
    const { table } = this.app;
    const { tree } = table;
    if (!tree) return;
    const orders = tree.path(node).map((at) => ({ at, children: [...at.children] }));
    const restore = () => {
      for (const { at, children } of orders) at.children = [...children];
    };
    const redo = () => {
      restore();
      tree.promote(node);
      table.goTo(node);
    };
    redo();
    this.current().record({
      undo: () => {
        restore();
        tree.version += 1;
        table.goTo(node);
      },
      redo,
    });
  }

  /**
   * Changes a node's comment, annotation symbol or shapes.
   * @template {'comment' | 'glyph' | 'shapes'} K
   * @param {Node} node
   * @param {K} field
   * @param {Node[K]} value
   */
  set(node, field, value) {
    const { table } = this.app;
    const before = node[field];
    const apply = (/** @type {Node[K]} */ to) => () => {
      node[field] = to;
      if (table.tree?.current === node) this.app.treeChanged();
      else table.goTo(node);
    };
    node[field] = value;
    this.app.treeChanged();
    this.current().record({ undo: apply(before), redo: apply(value), name: field === 'comment' ? `comment ${node.id}` : undefined });
  }
}
