// The variation tree of a game. A node is a position. Its first child is the main continuation.
import { readShapes } from 'wabe/arrows.js';

/**
 * @typedef {object} Node
 * @property {number} id
 * @property {string} move the move before this position; empty at the root
 * @property {number} ply
 * @property {Node | null} parent
 * @property {Node[]} children
 * @property {string} comment
 * @property {string} glyph such as `!` or `?`
 * @property {import('./arrows.js').Shape[]} shapes the user's arrows and circles
 */
/** @typedef {[string, string, string, SavedNode[], import('./arrows.js').Shape[]?]} SavedNode move, comment, glyph, children, shapes if there are any */
/** @typedef {{game: string, start: string | null, root: SavedNode, path: number[]}} SavedTree */

export const GLYPHS = ['!!', '!', '!?', '?!', '?', '??'];

export class Tree {
  /** @param {{game: string, start: string | null, moves?: string[]}} line */
  constructor(line) {
    this.game = line.game;
    this.start = line.start ?? null;
    this.nextId = 1;
    /** Incremented when nodes are removed, restored or reordered. */
    this.version = 0;
    /** @type {Node} */
    this.root = this.#node('', null);
    /** @type {Node} */
    this.current = this.root;
    for (const move of line.moves ?? []) this.add(move);
  }

  /**
   * @param {string} move
   * @param {Node | null} parent
   * @returns {Node}
   */
  #node(move, parent) {
    const id = this.nextId;
    this.nextId += 1;
    return { id, move, ply: parent ? parent.ply + 1 : 0, parent, children: [], comment: '', glyph: '', shapes: [] };
  }

  /**
   * Goes to the child with this move. Creates it if necessary.
   * @param {string} move
   * @returns {Node}
   */
  add(move) {
    const known = this.current.children.find((child) => child.move === move);
    if (known) {
      this.current = known;
    } else {
      const node = this.#node(move, this.current);
      this.current.children.push(node);
      this.current = node;
    }
    return this.current;
  }

  /**
   * Continues a line after a node. The move becomes the main continuation. Does not change the
   * current node.
   * @param {Node} from
   * @param {string} move
   * @returns {Node}
   */
  extend(from, move) {
    const node = from.children.find((child) => child.move === move) ?? this.#node(move, from);
    if (from.children[0] === node) return node;
    if (from.children.length > 0) this.version += 1;
    from.children = [node, ...from.children.filter((child) => child !== node)];
    return node;
  }

  /**
   * The nodes from the root to a node.
   * @param {Node} node
   * @returns {Node[]}
   */
  path(node = this.current) {
    const nodes = [];
    for (let at = /** @type {Node | null} */ (node); at; at = at.parent) nodes.push(at);
    return nodes.reverse();
  }

  /**
   * The game up to a node, for the engine.
   * @param {Node} node
   * @returns {import('./types.js').GameLine}
   */
  line(node = this.current) {
    const moves = this.path(node).slice(1).map((step) => step.move);
    return { game: this.game, start: this.start, moves };
  }

  /**
   * The last node of the main continuation of a node.
   * @param {Node} node
   * @returns {Node}
   */
  end(node = this.root) {
    let at = node;
    while (at.children.length > 0) at = at.children[0];
    return at;
  }

  /** The nodes of the main line, the root first. */
  mainline() {
    return this.path(this.end());
  }

  /** @param {Node} node */
  isMainline(node) {
    return this.path(node).every((step) => !step.parent || step.parent.children[0] === step);
  }

  /**
   * Makes the line to a node part of the main line.
   * @param {Node} node
   */
  promote(node) {
    this.version += 1;
    for (let at = node; at.parent; at = at.parent) {
      const siblings = at.parent.children;
      const index = siblings.indexOf(at);
      if (index > 0) {
        siblings.splice(index, 1);
        siblings.unshift(at);
      }
    }
  }

  /**
   * Removes a node with its subtree.
   * @param {Node} node
   */
  remove(node) {
    const parent = node.parent;
    if (!parent) return;
    this.version += 1;
    if (this.path().includes(node)) this.current = parent;
    parent.children = parent.children.filter((child) => child !== node);
  }

  /**
   * Restores a removed node.
   * @param {Node} node
   * @param {number} index among its siblings
   */
  putBack(node, index) {
    this.version += 1;
    node.parent?.children.splice(index, 0, node);
  }

  /**
   * The alternatives to the moves of a line, in the engine's format.
   * @param {Node[]} line nodes without the root
   * @returns {import('./types.js').Variation[]}
   */
  variations(line) {
    return line.flatMap((node) => (node.parent?.children ?? []).filter((child) => child !== node).map((child) => {
      const nodes = this.path(this.end(child)).slice(child.ply);
      return {
        after: child.ply - 1,
        moves: nodes.map((step) => step.move),
        remarks: nodes.filter((step) => step.comment).map((step) => /** @type {[number, string]} */ ([step.ply, step.comment])),
        glyphs: nodes.filter((step) => step.glyph).map((step) => /** @type {[number, string]} */ ([step.ply, step.glyph])),
        variations: this.variations(nodes.slice(1)),
      };
    }));
  }

  /**
   * Adds comments, annotations and variations to a line.
   * @param {Node[]} line nodes, root first
   * @param {{remarks?: [number, string][], glyphs?: [number, string][], variations?: import('./types.js').Variation[]}} notes
   */
  annotate(line, { remarks = [], glyphs = [], variations = [] }) {
    for (const [ply, text] of remarks) {
      const node = line[ply];
      if (node) node.comment = node.comment ? `${node.comment}\n${text}` : text;
    }
    for (const [ply, glyph] of glyphs) {
      if (line[ply]) line[ply].glyph = glyph;
    }
    const { current } = this;
    for (const variation of variations) {
      const before = line.slice(0, variation.after + 1);
      this.current = before[before.length - 1];
      const nodes = variation.moves.map((move) => this.add(move));
      this.annotate([...before, ...nodes], variation);
    }
    this.current = current;
  }

  /**
   * The indices among their siblings of the nodes on the way to a node.
   * @param {Node} node
   */
  indices(node = this.current) {
    return this.path(node).slice(1).map((step) => step.parent?.children.indexOf(step) ?? 0);
  }

  /**
   * The node with these indices, or the last one on the way that exists.
   * @param {number[]} indices
   */
  at(indices) {
    let node = this.root;
    for (const index of indices) {
      if (!node.children[index]) break;
      node = node.children[index];
    }
    return node;
  }

  /** All nodes, parents first. */
  nodes() {
    const found = [this.root];
    for (let i = 0; i < found.length; i += 1) found.push(...found[i].children);
    return found;
  }

  /** @returns {SavedTree} */
  save() {
    // Not recursive along the main line, because games may have thousands of plies.
    /** @type {Map<Node, SavedNode>} */
    const saved = new Map();
    const nodes = this.nodes();
    for (const node of nodes) saved.set(node, node.shapes.length > 0 ? [node.move, node.comment, node.glyph, [], node.shapes] : [node.move, node.comment, node.glyph, []]);
    for (const node of nodes) {
      if (node.parent) saved.get(node.parent)?.[3].push(/** @type {SavedNode} */ (saved.get(node)));
    }
    const root = /** @type {SavedNode} */ (saved.get(this.root));
    return { game: this.game, start: this.start, root, path: this.indices() };
  }

  /**
   * @param {SavedTree} saved
   * @returns {Tree}
   */
  static restore(saved) {
    const tree = new Tree({ game: saved.game, start: saved.start });
    const fill = (/** @type {Node} */ node, /** @type {SavedNode} */ from) => {
      node.comment = String(from[1] ?? '');
      node.glyph = GLYPHS.includes(from[2]) ? from[2] : '';
      node.shapes = readShapes(from[4]);
    };
    /** @type {[Node, SavedNode][]} */
    const open = [[tree.root, saved.root]];
    for (let entry = open.shift(); entry; entry = open.shift()) {
      const [node, from] = entry;
      fill(node, from);
      for (const child of from[3]) {
        const made = tree.#node(String(child[0]), node);
        node.children.push(made);
        open.push([made, child]);
      }
    }
    tree.current = tree.at(saved.path);
    return tree;
  }
}
