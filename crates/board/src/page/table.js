// The table: the current game with tree, players, clock and review, and the positions known so far.
import { toFragment } from 'wabe/address.js';
import { Clock } from 'wabe/clock.js';
import { Tree } from 'wabe/tree.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./types.js').View} View */
/** @typedef {import('./types.js').GameLine} GameLine */
/** @typedef {import('./tree.js').Node} Node */
/** @typedef {{view: View, record: string}} Shown */
/** @typedef {import('./types.js').Ending} Ending */
/** @typedef {{line: GameLine, nodes: number, plies: import('./types.js').ReviewedMove[]}} ReviewData */

const STORAGE_KEY = 'wabe-table';
/** Version of the stored state. */
const STORED_VERSION = 3;
/** Maximum number of prefetched positions. */
const MAX_PREFETCH = 400;

/**
 * @typedef {object} Loading a game to load
 * @property {GameLine} line
 * @property {[string, string]} [names]
 * @property {[string, string][]} [tags]
 * @property {[number, string][]} [remarks]
 * @property {[number, string][]} [glyphs]
 * @property {import('./types.js').Variation[]} [variations]
 * @property {[number, number][]} [times]
 * @property {Ending | null} [result]
 * @property {import('./types.js').Code | string | null} [damage]
 * @property {[import('./types.js').Seat, import('./types.js').Seat] | null} [seats]
 * @property {import('./types.js').TimeControl | null} [control]
 * @property {string} [source] name of the file
 */

export class Table {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Tree | null} */
    this.tree = null;
    /** @type {import('./types.js').GameInfo | null} */
    this.info = null;
    /** @type {[string, string]} */
    this.names = ['', ''];
    /** @type {[string, string][]} */
    this.tags = [];
    /** @type {[number, number][]} */
    this.times = [];
    /** An ending from the recording or decided by the players, and its ply in the main line.
     * @type {{ply: number, ending: Ending} | null} */
    this.ended = null;
    /** Damage in the recording; empty if it is intact.
     * @type {import('./types.js').Code | string} */
    this.damage = '';
    /** @type {[import('./types.js').Seat, import('./types.js').Seat] | null} */
    this.seats = null;
    /** @type {import('./types.js').TimeControl | null} */
    this.control = null;
    /** @type {Clock | null} */
    this.clock = null;
    /** The last position of a game played here.
     * @type {Node | null} */
    this.live = null;
    /** @type {ReviewData | null} */
    this.review = null;
    /** Identifies the game; changes with every load. */
    this.key = 0;
    /** @type {Map<number, Shown>} */
    this.known = new Map();
    /** @type {View | null} */
    this.view = null;
    this.record = '';
    this.visit = 0;
    /** The node of `view`. Lags behind the current node until the engine has answered. */
    this.shownAt = 0;
    /** True if the second side is at the bottom. */
    this.flipped = false;
    /** The game's place in the library. */
    this.place = app.library.newPlace('analysis');
  }

  /**
   * Loads a game.
   * @param {Loading} loading
   */
  async load(loading) {
    // Sides and move numbers depend on the first position.
    const [first, shown] = await Promise.all([[], loading.line.moves].map((moves) => this.app.show({ ...loading.line, moves })));
    const tree = new Tree(loading.line);
    const nodes = tree.path();
    tree.annotate(nodes, loading);
    this.#reset(tree);
    this.names = loading.names ?? ['', ''];
    this.tags = loading.tags ?? [];
    this.times = loading.times ?? [];
    this.ended = loading.result ? { ply: loading.line.moves.length, ending: loading.result } : null;
    this.damage = loading.damage ?? '';
    this.seats = loading.seats ?? null;
    this.control = loading.control ?? null;
    this.clock = this.control?.kind === 'clock' ? new Clock(this.control) : null;
    this.live = this.seats ? tree.current : null;
    this.known.set(tree.root.id, first);
    this.known.set(tree.current.id, shown);
    this.place = this.app.library.newPlace(this.seats ? 'played' : loading.source ?? 'analysis');
    this.app.library.loaded();
    await this.goTo(tree.current);
    this.prefetch();
  }

  /** @param {Tree} tree */
  #reset(tree) {
    this.app.library.flush();
    this.app.play.halt();
    this.app.play.begin();
    this.place = this.app.library.newPlace('analysis');
    this.tree = tree;
    this.info = this.app.gameInfo(tree.game);
    this.key += 1;
    this.known = new Map();
    this.ended = null;
    this.live = null;
    this.review = null;
    this.clock = null;
    this.flipped = false;
  }

  /**
   * The position of a node, requested from the engine if necessary.
   * @param {Node} node
   * @returns {Promise<Shown>}
   */
  async shown(node) {
    const known = this.known.get(node.id);
    if (known || !this.tree) return /** @type {Shown} */ (known);
    const { key } = this;
    const shown = await this.app.show(this.tree.line(node));
    if (this.key === key) this.known.set(node.id, shown);
    return shown;
  }

  /** The first position; `undefined` until the engine has sent it. */
  get root() {
    return this.tree ? this.known.get(this.tree.root.id)?.view : undefined;
  }

  /**
   * The side that makes a move.
   * @param {number} ply of the position after it
   */
  sideOf(ply) {
    return ((this.root?.turn ?? 0) + ply + 1) % 2;
  }

  /**
   * Shows the position of a node.
   * @param {Node | undefined} node
   */
  async goTo(node) {
    if (!this.tree || !node) return;
    this.tree.current = node;
    this.visit += 1;
    const { visit } = this;
    let shown = this.known.get(node.id);
    try {
      shown ??= await this.shown(node);
    } catch (error) {
      // Opened games may have illegal moves.
      if (this.visit === visit) this.app.fail(error);
      return;
    }
    if (this.visit !== visit) return;
    this.view = shown.view;
    this.record = shown.record;
    this.shownAt = node.id;
    this.app.positionChanged();
  }

  /** Steps by one ply, to another variation, or to the start or end.
   * @param {'first' | 'prev' | 'next' | 'last' | 'up' | 'down'} where */
  async step(where) {
    const tree = this.tree;
    if (!tree) return;
    const { current } = tree;
    const siblings = current.parent?.children ?? [];
    const index = siblings.indexOf(current);
    const node = {
      first: tree.root,
      prev: current.parent ?? undefined,
      next: current.children[0],
      last: tree.end(current),
      up: siblings.length > 1 ? siblings[(index + siblings.length - 1) % siblings.length] : tree.root,
      down: siblings.length > 1 ? siblings[(index + 1) % siblings.length] : tree.end(current),
    }[where];
    if (node && node !== current) await this.goTo(node);
  }

  /** Prefetches the positions of the main line. */
  async prefetch() {
    const { key, tree } = this;
    if (!tree) return;
    for (const node of tree.mainline().slice(0, MAX_PREFETCH)) {
      if (this.key !== key) return;
      try {
        await this.shown(node);
      } catch {
        return;
      }
    }
    this.app.refresh();
  }

  /**
   * The ending at a node: from the recording, by the players' decision, or by the rules.
   * @param {Node | undefined} [node]
   * @returns {Ending | null}
   */
  endingAt(node = this.tree?.current) {
    const { tree, ended } = this;
    if (!tree || !node) return null;
    if (ended?.ply === node.ply && tree.isMainline(node)) return ended.ending;
    return this.known.get(node.id)?.view.ending ?? null;
  }

  /** True if the shown position is that of the current node. */
  get isSettled() {
    return this.shownAt === this.tree?.current.id;
  }

  /** True if the game is or was played here. */
  get isPlayed() {
    return this.seats !== null;
  }

  /** True if the game is being played here. */
  get isRunning() {
    return this.isPlayed && !!this.tree && !this.app.play.isOver();
  }

  /**
   * The name of a side's player; empty if unknown.
   * @param {number} side
   */
  playerName(side) {
    const seat = this.seats?.[side];
    // Two people at one board have no names, only colours.
    if (seat && this.seats?.every((one) => one.kind === 'person')) return '';
    if (seat) return this.app.seatName(seat);
    return this.names[side] ?? '';
  }

  /** The URL fragment of the shown position. */
  fragment() {
    return this.tree ? toFragment(this.tree.line()) : '';
  }

  /** The state to save. */
  state() {
    const names = this.seats ? /** @type {[string, string]} */ ([this.playerName(0), this.playerName(1)]) : this.names;
    return {
      tree: this.tree?.save(), names, tags: this.tags, times: this.times, ended: this.ended, damage: this.damage, seats: this.seats,
      control: this.control, remaining: this.clock ? [this.clock.left(0), this.clock.left(1)] : null,
      review: this.review, flipped: this.flipped, live: this.live && (this.tree?.indices(this.live) ?? null), mode: this.app.mode,
    };
  }

  /**
   * Saves the state in this tab's storage.
   * @param {ReturnType<Table['state']>} state
   * @param {string} game the same as JSON, without what changes with every step
   */
  keep({ tree, remaining, flipped, mode }, game) {
    const { saved, ...place } = this.place;
    const head = { version: STORED_VERSION, fragment: location.hash.slice(1), at: { remaining, flipped, mode }, path: tree?.path, place, isSaved: saved === game };
    try {
      sessionStorage.setItem(STORAGE_KEY, `${JSON.stringify(head).slice(0, -1)},"game":${game}}`);
    } catch {
      // Storage is full or blocked. The library and the address still contain the position.
    }
  }

  /**
   * The state saved by this tab, unless the address has changed since.
   * @param {string} fragment
   * @returns {any}
   */
  static saved(fragment) {
    try {
      const saved = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? 'null');
      if (saved?.version !== STORED_VERSION || (fragment !== '' && saved.fragment !== fragment)) return null;
      const { game, at, path, place, isSaved } = saved;
      return { ...game, ...at, tree: { ...game.tree, path }, place: { ...place, saved: isSaved ? JSON.stringify(game) : '' } };
    } catch {
      return null;
    }
  }

  /** @param {any} saved */
  async restore(saved) {
    const tree = Tree.restore(saved.tree);
    const shown = await this.app.show(tree.line()).catch(() => {
      // The line has an illegal move.
      tree.current = tree.root;
      return this.app.show(tree.line());
    });
    this.#reset(tree);
    if (saved.place) this.place = saved.place;
    this.known.set(tree.current.id, shown);
    this.names = saved.names ?? ['', ''];
    this.tags = saved.tags ?? [];
    this.times = saved.times ?? [];
    this.ended = saved.ended ?? null;
    this.damage = saved.damage ?? '';
    this.seats = saved.seats ?? null;
    this.control = saved.control ?? null;
    if (this.control?.kind === 'clock') this.clock = new Clock(this.control, saved.remaining ?? undefined);
    this.review = saved.review ?? null;
    this.flipped = saved.flipped;
    // Older versions saved the ply in the main line.
    this.live = this.seats ? tree.at(saved.live ?? tree.indices(tree.end()).slice(0, saved.livePly ?? undefined)) : null;
    await this.goTo(tree.current);
    this.prefetch();
  }
}
