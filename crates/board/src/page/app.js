// The application: owns all views and shows one at a time, routes moves, keys, files and history.
import { html, render } from 'wabe/vendor/lit-html/lit-html.js';
import { fromFragment } from 'wabe/address.js';
import { Analysis } from 'wabe/analysis.js';
import { toggleShape } from 'wabe/arrows.js';
import { Board } from 'wabe/board.js';
import { Connection, VERSION } from 'wabe/connection.js';
import { completeRecord, dialogContent } from 'wabe/dialogs.js';
import { Editor } from 'wabe/editor.js';
import { Explorer } from 'wabe/explorer.js';
import { Edits } from 'wabe/edits.js';
import { today } from 'wabe/files.js';
import { same } from 'wabe/geometry.js';
import { chooseLanguage, t } from 'wabe/i18n.js';
import { icon, iconButton, logo } from 'wabe/icons.js';
import { Match } from 'wabe/match.js';
import { scrollToCurrent } from 'wabe/movelist.js';
import { completeTyped, describeRemark, describeTime, explainIdle, findTyped, isHint, shortMove } from 'wabe/moves.js';
import { loadGame, loadReview, openFile, openText } from 'wabe/open.js';
import { symbols } from 'wabe/pieces.js';
import { Library } from 'wabe/library.js';
import { LibraryView } from 'wabe/libraryview.js';
import { Play } from 'wabe/play.js';
import { Puzzles } from 'wabe/puzzles.js';
import { describeError, describeProblem, Problem } from 'wabe/problems.js';
import { sideStrip } from 'wabe/reserve.js';
import { Recorded } from 'wabe/recorded.js';
import { Review } from 'wabe/review.js';
import { change, isStored, settings } from 'wabe/settings.js';
import { isClicked, watchClicks } from 'wabe/space.js';
import { startView } from 'wabe/start.js';
import { Table } from 'wabe/table.js';
import { Tour } from 'wabe/tour.js';
import { Watch } from 'wabe/watch.js';
import { WorkerSocket } from 'wabe/worker.js';

/** @typedef {'start' | 'play' | 'analyse' | 'review' | 'puzzles' | 'library' | 'watch' | 'editor' | 'tour'} Mode */
/** @typedef {'settings' | 'help' | 'share' | 'open' | 'games' | 'rename' | ''} Dialog */
/** @typedef {import('./types.js').Seat} Seat */
/** @typedef {import('./types.js').View} View */

const MODES = /** @type {Mode[]} */ (['play', 'puzzles', 'analyse', 'review', 'library', 'watch', 'editor', 'tour']);
/** Views that show the game on the table. */
const TABLE_MODES = /** @type {Mode[]} */ (['play', 'analyse', 'review', 'watch']);
/** @type {Record<string, string>} */
const NAV_ICONS = { play: 'play', puzzles: 'puzzle', analyse: 'search', review: 'review', library: 'library', editor: 'editor', tour: 'tour', watch: 'eye' };
/** Text names of the first tab. The second one shows the moves.
 * @type {Record<string, string>} */
const FIRST_TABS = { play: 'panel.game', analyse: 'analysis.engine', review: 'nav.review', watch: 'panel.game' };
const TOKEN_KEY = 'wabe-token';

/** @param {string | null} token from the page's address */
function openSocket(token) {
  const known = token ?? sessionStorage.getItem(TOKEN_KEY);
  const address = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`;
  // The subprotocol is the only header that a page can set on a WebSocket request.
  return new WebSocket(address, ['wabe', ...(known ? [`wabe.token.${known}`] : [])]);
}

export class App {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    const { token } = fromFragment(location.hash);
    if (token) sessionStorage.setItem(TOKEN_KEY, token);
    this.recorded = Recorded.inPage();
    /** Path of the engine's worker script; empty if the page has a server. */
    this.engine = document.documentElement.dataset.engine ?? '';
    this.connection = this.recorded ?? new Connection(this.engine ? () => new WorkerSocket(this.engine) : () => openSocket(token));
    /** @type {import('./types.js').Welcome | null} */
    this.welcome = null;
    /** @type {Mode} */
    this.mode = 'start';
    /** @type {Dialog} */
    this.dialog = '';
    /** @type {import('./types.js').OpenedGame[]} */
    this.games = [];
    /** Name of the file of `games`. @type {string | undefined} */
    this.gamesSource = undefined;
    this.openProblem = '';
    this.typedWrong = '';
    /** Why the clicked piece cannot move. */
    this.idleNote = '';
    this.message = '';
    /** @type {{label: string, run: () => void} | null} */
    this.messageAction = null;
    this.messageTimer = 0;
    /** @type {'engine' | 'game' | 'moves'} */
    this.tab = 'engine';
    this.queued = false;
    /** Identifies the state for which the move list was last scrolled. */
    this.scrolled = '';
    this.ready = false;
    /** True while a view is being restored from the browser's history. */
    this.isGoingBack = false;
    this.fatal = '';
    this.autoplay = false;
    this.autoplayTimer = 0;
    /** True to skip purely visual pauses. Games of two engines keep their pace. */
    this.reducedMotion = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.library = new Library(this);
    this.shelf = new LibraryView(this);
    this.table = new Table(this);
    this.edits = new Edits(this);
    this.match = new Match(this);
    this.play = new Play(this);
    this.analysis = new Analysis(this);
    this.explorer = new Explorer(this);
    this.review = new Review(this);
    this.editor = new Editor(this);
    this.puzzles = new Puzzles(this);
    this.tour = new Tour(this);
    this.watch = new Watch(this);
    this.board = new Board({
      onmove: (move) => this.boardMove(move),
      onchoose: () => this.#clearIdle(),
      onfield: (field) => this.editor.put(field),
      onidle: (field) => this.showIdleNote((piece) => same(piece.at, field)),
      ondrag: (from, to) => this.editor.drag(from, to),
      onplan: (field) => this.play.planField(field),
      onshape: (shape) => this.#drawShape(shape),
      announce: (text) => this.announce(text),
    });
  }

  async start() {
    await this.#applySettings();
    this.connection.onstate = () => this.refresh();
    this.connection.onwelcome = (welcome) => this.#welcomed(welcome);
    this.connection.connect();
    window.addEventListener('keydown', (event) => this.#onKey(event));
    window.addEventListener('hashchange', () => this.#addressChanged());
    window.addEventListener('popstate', (event) => this.#onPopState(event.state));
    window.addEventListener('pagehide', () => this.library.flush());
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#applySettings());
    watchClicks();
    this.#listenForFiles();
    // The service worker caches the page's files for offline use.
    if (this.engine) navigator.serviceWorker?.register('sw.js').catch(() => {});
    this.refresh();
  }

  /** @param {import('./types.js').Welcome} welcome */
  async #welcomed(welcome) {
    const isReconnect = this.welcome !== null;
    this.welcome = welcome;
    // A game from the command line takes precedence over the last choice.
    if (!isReconnect && welcome.game && (welcome.game !== 'contest' || !isStored)) settings.game = welcome.game;
    if (welcome.version !== VERSION) {
      this.fatal = t('problem.other_version');
      this.refresh();
      return;
    }
    if (isReconnect) {
      this.refresh();
      return;
    }
    this.library.open(welcome);
    if (this.recorded) {
      this.ready = true;
      const [game] = welcome.first;
      const { standings, recording: { reviewed } } = this.recorded;
      if (standings) this.go('watch');
      else await loadReview(this, game, reviewed ? { line: game.line, nodes: 0, plies: reviewed } : null);
      return;
    }
    const { line } = fromFragment(location.hash);
    const fragment = line ? location.hash.slice(1) : '';
    const saved = Table.saved(fragment);
    const isToWatch = !this.engine && (/(^#|&)watch$/.test(location.hash) || (welcome.watch && !line && !saved));
    const { first } = welcome;
    /** @type {Mode} */
    let mode = fragment || history.state?.mode !== 'tour' ? 'start' : 'tour';
    history.replaceState(history.state, '', `#${fragment}`);
    try {
      if (isToWatch) {
        mode = 'watch';
      } else if (saved) {
        await this.table.restore(saved);
        if (mode === 'start') mode = saved.mode;
      } else if (line) {
        await this.#loadLine(line);
        mode = 'analyse';
      } else if (welcome.saved) {
        this.ready = true;
        await openText(this, welcome.saved);
        if (this.table.tree) return;
        if (this.openProblem) this.toast(this.openProblem);
      } else if (first.length === 1) {
        this.ready = true;
        await loadGame(this, first[0]);
        return;
      } else if (first.length > 1) {
        this.chooseGame(first);
      }
    } catch (error) {
      this.fail(error);
    }
    this.ready = true;
    this.go(mode);
  }

  /**
   * Restores a view when the browser goes back or forward.
   * @param {{mode: Mode, key: number} | null} state
   */
  async #onPopState(state) {
    if (this.recorded || !this.ready || !state) return;
    const { line } = fromFragment(location.hash);
    this.isGoingBack = true;
    try {
      if (line && state.key !== this.table.key && location.hash.slice(1) !== this.table.fragment()) {
        await this.#loadLine(line);
      }
      this.go(state.mode === 'play' && !this.table.isPlayed ? 'analyse' : state.mode);
    } catch (error) {
      this.fail(error);
    }
    this.isGoingBack = false;
  }

  /**
   * Loads the game of an address, with its moves in the engine's notation.
   * @param {import('./types.js').GameLine} line
   */
  async #loadLine(line) {
    const { games } = await this.connection.ask('open', { source: { line } });
    await this.table.load(games[0]);
  }

  async #addressChanged() {
    // `#onPopState` handles history entries that the page itself added.
    if (this.recorded || history.state?.mode) return;
    const { line, token } = fromFragment(location.hash);
    if (token || !line || location.hash.slice(1) === this.table.fragment()) return;
    try {
      await this.#loadLine(line);
      this.go('analyse');
    } catch (error) {
      this.fail(error);
    }
  }

  // --- requests and names ---

  /**
   * Requests a game's last position.
   * @param {import('./types.js').GameLine} line
   * @returns {Promise<import('./table.js').Shown>}
   */
  async show(line) {
    const { view, record } = await this.connection.ask('show', { line });
    return { view, record };
  }

  /**
   * @param {string} word
   * @returns {import('./types.js').GameInfo | null}
   */
  gameInfo(word) {
    return this.welcome?.games.find((game) => game.word === word) ?? null;
  }

  /** @param {string} word */
  gameName(word) {
    if (word === 'rulebook') return `${t('start.contest')}, ${t('start.rulebook')}`;
    return word === 'contest' ? t('start.contest') : word;
  }

  /** Number of the highest level; the lowest is 1. */
  get highestLevel() {
    return this.welcome?.levels.length || 1;
  }

  /** @param {Seat} seat */
  seatName(seat) {
    if (seat.kind === 'person') return settings.name || t('seat.person');
    return seat.kind === 'program' ? seat.program : t('seat.wabe', { n: seat.level });
  }

  /**
   * The comment on the shown move. A search report names the move, and is left out after the last
   * one, because it predicts what has happened.
   */
  remark() {
    const { tree, info } = this.table;
    if (!tree || !info) return '';
    const { move, comment, ply } = tree.current;
    if (!isHint(comment)) return comment;
    const report = this.table.endingAt() ? '' : describeRemark(info, comment, this.table.sideOf(ply));
    return report && `${shortMove(move)}: ${report}`;
  }

  // --- navigation ---

  /** @param {Mode} mode */
  go(mode) {
    const before = this.mode;
    this.mode = mode;
    if (mode !== 'puzzles') this.puzzles.endLesson();
    if (mode === 'editor' && before !== 'editor') this.editor.begin().catch((error) => this.fail(error));
    if (mode === 'play' && before !== 'play') this.play.enter();
    if (mode === 'tour' && before !== 'tour') this.tour.begin();
    if (mode === 'puzzles' && before !== 'puzzles') this.puzzles.begin();
    if (mode === 'start' && this.ready) this.library.flush().then(() => this.library.findUnfinished()).then(() => this.refresh());
    if (mode === 'library') this.shelf.begin();
    if (mode === 'watch') this.watch.begin();
    else this.watch.leave();
    this.tab = mode === 'play' || mode === 'tour' || mode === 'puzzles' || mode === 'editor' ? 'game' : 'engine';
    if (mode === 'analyse' && !this.table.tree) {
      this.analyseEmpty(settings.game);
      return;
    }
    this.positionChanged();
  }

  /** Call after every change of the view or of the position on the table. */
  positionChanged() {
    this.idleNote = '';
    this.typedWrong = '';
    this.#updateAddress();
    this.analysis.changed();
    this.explorer.changed();
    this.play.changed();
    this.library.changed();
    this.refresh();
  }

  /** Call after a change of the tree that keeps the position. */
  treeChanged() {
    this.library.changed();
    this.refresh();
  }

  #updateAddress() {
    if (this.recorded) return;
    const atTable = TABLE_MODES.includes(this.mode) && this.mode !== 'watch' && this.table.tree;
    const fragment = atTable ? `#${this.table.fragment()}` : this.mode === 'watch' ? '#watch' : '#';
    const state = { mode: this.mode, key: this.table.key };
    const before = history.state?.mode;
    try {
      // Views get entries in the browser's history, moves do not.
      if (this.ready && before && before !== this.mode && !this.isGoingBack) history.pushState(state, '', fragment);
      else if (location.hash !== fragment || before !== this.mode || history.state?.key !== state.key) history.replaceState(state, '', fragment);
    } catch {
      // Browsers limit how often the address changes. A later step sets it.
    }
  }

  async settingsChanged() {
    await this.#applySettings();
    this.refresh();
  }

  async #applySettings() {
    const dark = settings.theme === 'dark' || (settings.theme === 'auto' && window.matchMedia('(prefers-color-scheme: dark)').matches);
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    await chooseLanguage(settings.language);
    document.title = t('app.title');
  }

  /**
   * Draws a shape of the user on the board, or removes all.
   * @param {import('./arrows.js').Shape | null} shape
   */
  #drawShape(shape) {
    const node = this.table.tree?.current;
    if (!node) return;
    this.edits.set(node, 'shapes', shape ? toggleShape(node.shapes, shape) : []);
  }

  // --- games ---

  async newGame() {
    const { opponents } = settings;
    const person = /** @type {Seat} */ ({ kind: 'person' });
    const side = opponents === 'random' ? (Math.random() < 0.5 ? 'first' : 'second') : opponents;
    const [one, other] = settings.engines.map((engine) => this.#seatOf(engine));
    /** @type {Record<string, [Seat, Seat]>} */
    const seats = { first: [person, one], second: [one, person], persons: [person, person], engines: [one, other] };
    /** @type {import('./types.js').TimeControl} */
    const control = settings.useClock
      ? { kind: 'clock', baseMs: settings.clockMinutes * 60_000, incrementMs: settings.clockIncrement * 1000 }
      : { kind: 'none', moveMs: settings.moveMs };
    const { game, games } = settings;
    if (side === 'engines' && games > 1) await this.match.begin({ game, players: [one, other], control, games });
    else await this.begin(game, seats[side] ?? seats.first, control);
  }

  /**
   * Starts a game.
   * @param {string} game
   * @param {[Seat, Seat]} seats
   * @param {import('./types.js').TimeControl} control
   * @param {{line?: import('./types.js').GameLine, tags?: [string, string][], title?: string, labels?: string[]}} [how]
   */
  async begin(game, seats, control, { line, tags = [], title = '', labels = [] } = {}) {
    try {
      // The start view offers this game again.
      if (this.gameInfo(game)) change({ game });
      const start = line ?? (await this.connection.ask('new', { game })).games[0].line;
      this.mode = 'play';
      await this.table.load({ line: start, tags: [['Date', today()], ...tags], seats, control });
      Object.assign(this.table.place, { title, labels });
      this.table.flipped = seats[1].kind === 'person' && seats[0].kind !== 'person';
      this.go('play');
      requestAnimationFrame(() => this.board.focus());
    } catch (error) {
      this.fail(error);
    }
  }

  /**
   * @param {import('./settings.js').Engine} engine
   * @returns {Seat}
   */
  #seatOf({ kind, level, program }) {
    if (kind === 'program' && this.welcome?.programs) return { kind, program: program.trim() };
    return { kind: 'wabe', level: Math.min(level, this.highestLevel) };
  }

  /** Starts the same game with sides swapped. */
  async rematch() {
    const { seats, control, tree } = this.table;
    if (!seats || !tree) return;
    await this.begin(tree.game, [seats[1], seats[0]], control ?? { kind: 'none', moveMs: settings.moveMs });
  }

  /** Returns to the running game, even if another game was opened since. */
  async backToGame() {
    try {
      if (!this.table.isRunning) await this.library.goOn();
      this.go('play');
    } catch (error) {
      this.fail(error);
    }
  }

  /** Starts a game against the lowest level without changing the settings of opponents.
   * @param {string} game */
  async playBeginner(game) {
    await this.begin(game, [{ kind: 'person' }, { kind: 'wabe', level: 1 }], { kind: 'none', moveMs: settings.moveMs });
  }

  /** @param {string} game */
  async analyseEmpty(game) {
    try {
      const { games } = await this.connection.ask('new', { game });
      await this.table.load({ line: games[0].line });
      this.go('analyse');
    } catch (error) {
      this.fail(error);
    }
  }

  /**
   * @param {import('./types.js').OpenedGame[]} games
   * @param {string} [source] name of their file
   */
  chooseGame(games, source) {
    this.games = games;
    this.gamesSource = source;
    this.openDialog('games');
  }

  /**
   * Shows why a piece cannot move.
   * @param {(piece: View['idle'][number]) => boolean} which
   */
  showIdleNote(which) {
    const { view } = this.board.state;
    const piece = view?.idle.find(which);
    this.idleNote = piece ? explainIdle(piece) : '';
    this.refresh();
  }

  #clearIdle() {
    this.idleNote = '';
    this.refresh();
  }

  /** @param {import('./types.js').MoveView} move */
  boardMove(move) {
    this.idleNote = '';
    if (this.mode === 'play') this.play.move(move);
    else if (this.mode === 'tour') this.tour.move(move);
    else if (this.mode === 'puzzles') this.puzzles.move(move);
    else if (this.table.isSettled) this.edits.play([move.text]);
  }

  /**
   * @param {string} typed
   * @returns {Promise<boolean>} whether the move is legal
   */
  async typeMove(typed) {
    const { view, tree } = this.table;
    const move = view ? findTyped(view, typed) : null;
    this.typedWrong = '';
    if (move) this.boardMove(move);
    else if (tree && view) await this.#explainIllegal(tree.line(), completeTyped(view, typed));
    this.refresh();
    return !!move;
  }

  /**
   * Shows the engine's error for an illegal move.
   * @param {import('./types.js').GameLine} line
   * @param {string} move
   */
  async #explainIllegal(line, move) {
    this.typedWrong = t('play.typedWrong');
    try {
      if (move) await this.show({ ...line, moves: [...line.moves, move] });
    } catch (error) {
      const why = error instanceof Problem ? error.problem?.why : null;
      if (why) this.typedWrong += ` ${describeProblem(why)}`;
    }
  }

  clearTyped() {
    if (!this.typedWrong) return;
    this.typedWrong = '';
    this.refresh();
  }

  flip() {
    this.table.flipped = !this.table.flipped;
    this.library.changed();
    this.refresh();
  }

  /** True if the second side is at the bottom. */
  flipped() {
    if (this.mode === 'puzzles') return this.puzzles.side === 1;
    return TABLE_MODES.includes(this.mode) && this.table.flipped;
  }

  /** Starts or stops autoplay. */
  toggleAutoplay() {
    this.autoplay = !this.autoplay;
    clearTimeout(this.autoplayTimer);
    const { tree } = this.table;
    // At the end of the game, autoplay restarts from the beginning.
    if (this.autoplay) this.#autoplayStep(tree?.current.children.length ? undefined : tree?.root);
    this.refresh();
  }

  /** @param {import('./tree.js').Node} [to] default: the next position */
  async #autoplayStep(to) {
    if (!this.autoplay) return;
    const node = to ?? this.table.tree?.current.children[0];
    if (!node || !TABLE_MODES.includes(this.mode) || this.mode === 'play') {
      this.autoplay = false;
      this.refresh();
      return;
    }
    await this.table.goTo(node);
    this.autoplayTimer = window.setTimeout(() => this.#autoplayStep(), settings.autoplayMs);
  }

  /**
   * The recorded time of a move; empty if there is none.
   * @param {import('./tree.js').Node | undefined} node
   */
  timeOf(node) {
    const { table } = this;
    if (!node || !table.tree?.isMainline(node)) return '';
    const ms = table.times.find(([ply]) => ply === node.ply)?.[1];
    return ms === undefined ? '' : describeTime(ms);
  }

  // --- messages ---

  /** Announces a text to screen readers. @param {string} text */
  announce(text) {
    const region = document.getElementById('announcements');
    if (region) region.textContent = text;
  }

  /**
   * @param {string} text
   * @param {{label: string, run: () => void} | null} [action] button in the toast
   */
  toast(text, action = null) {
    this.message = text;
    this.messageAction = action;
    clearTimeout(this.messageTimer);
    this.messageTimer = window.setTimeout(() => {
      this.message = '';
      this.refresh();
    }, 6000);
    this.refresh();
  }

  /** @param {unknown} error */
  fail(error) {
    this.toast(describeError(error));
  }

  /** @param {Dialog} dialog */
  openDialog(dialog) {
    this.dialog = dialog;
    if (dialog === 'share') completeRecord(this).catch((error) => this.fail(error));
    this.refresh();
  }

  closeDialog() {
    this.dialog = '';
    this.openProblem = '';
    this.refresh();
  }

  // --- keys and files ---

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (this.#undoes(event)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || this.dialog || (event.defaultPrevented && !isClicked(event.target))) return;
    const target = event.target;
    if (target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]')) {
      if (event.key === 'Escape') target.blur();
      return;
    }
    const atTable = TABLE_MODES.includes(this.mode) && this.table.tree;
    if (event.key === '?') {
      this.openDialog('help');
    } else if (!atTable) {
      return;
    } else {
      const steps = /** @type {Record<string, 'prev' | 'next' | 'up' | 'down' | 'first' | 'last'>} */ ({
        ArrowLeft: 'prev', ArrowRight: 'next', ArrowUp: 'up', ArrowDown: 'down', Home: 'first', End: 'last',
      });
      if (event.shiftKey && event.key in steps) return;
      if (event.key in steps) this.table.step(steps[event.key]);
      else if (event.key === 'f') this.flip();
      else if (event.key === 'l' && this.analysis.isAvailable(this.mode)) this.analysis.toggle();
      else if (event.key === 'x' && this.analysis.isAvailable(this.mode)) this.analysis.toggleThreat();
      else if (event.key === 'h' && this.mode === 'play') this.play.askHint();
      else if (event.key === 'c') document.getElementById('comment')?.focus();
      else if (event.key === ' ' && this.analysis.isAvailable(this.mode) && (isClicked(target) || !(target instanceof HTMLElement && target.closest('button, a, summary')))) {
        if (this.analysis.on) this.analysis.playLine(0, 1);
        else this.analysis.toggle();
      } else if (event.key === 'Escape') this.board.escape();
      else return;
    }
    event.preventDefault();
  }

  /**
   * Undoes or redoes a change in the editor or the tree.
   * @param {KeyboardEvent} event
   * @returns {boolean} whether the key does so
   */
  #undoes(event) {
    const key = event.key.toLowerCase();
    const redoes = key === 'y' || (key === 'z' && event.shiftKey);
    const changes = this.mode === 'editor' ? this.editor.history : this.analysis.isAvailable(this.mode) ? this.edits.current() : null;
    // Text fields have their own undo.
    const inField = event.target instanceof HTMLElement && event.target.closest('input, textarea');
    if (!(event.ctrlKey || event.metaKey) || event.altKey || !['z', 'y'].includes(key) || !changes || inField || this.dialog) return false;
    event.preventDefault();
    if (redoes) changes.redo();
    else changes.undo();
    return true;
  }

  #listenForFiles() {
    if (this.recorded) return;
    window.addEventListener('dragover', (event) => {
      if (!event.dataTransfer?.types.some((type) => type === 'Files' || type === 'text/plain')) return;
      event.preventDefault();
      document.documentElement.classList.add('dropping');
    });
    window.addEventListener('dragleave', (event) => {
      if (!event.relatedTarget) document.documentElement.classList.remove('dropping');
    });
    window.addEventListener('drop', (event) => {
      document.documentElement.classList.remove('dropping');
      const data = event.dataTransfer;
      if (!data) return;
      event.preventDefault();
      const file = data.files[0];
      if (file) this.#receive(() => openFile(this, file));
      else this.#receive(() => openText(this, data.getData('text/plain')));
    });
    window.addEventListener('paste', (event) => {
      if (event.target instanceof HTMLElement && event.target.closest('input, textarea')) return;
      const file = event.clipboardData?.files[0];
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (file) this.#receive(() => openFile(this, file));
      else if (text.trim()) this.#receive(() => openText(this, text));
    });
  }

  /** @param {() => Promise<void>} open */
  async #receive(open) {
    await open();
    if (this.openProblem && this.dialog !== 'open') this.openDialog('open');
  }

  // --- drawing ---

  /** Schedules a redraw. */
  refresh() {
    if (this.queued) return;
    this.queued = true;
    queueMicrotask(() => {
      this.queued = false;
      this.#draw();
    });
  }

  /** The board's state in the current view. */
  #boardState() {
    const { table, mode } = this;
    const defaults = { letters: settings.letters, coordinates: settings.coordinates, targets: settings.targets, flipped: this.flipped(), arrows: [], shapes: [], planning: false, movable: false, drawable: false, marks: [], preview: false, editing: false, close: mode === 'tour' };
    if (mode === 'editor') return { ...defaults, info: this.editor.info, view: this.editor.view, playable: false, editing: true, game: `editor ${this.editor.key}` };
    if (mode === 'puzzles') {
      const { puzzles } = this;
      return { ...defaults, info: puzzles.info, view: puzzles.view, playable: puzzles.state === 'ask', arrows: puzzles.arrows(), game: `puzzle ${puzzles.key}` };
    }
    if (mode === 'tour') return { ...defaults, info: this.tour.info, view: this.tour.view, playable: this.tour.state === 'ask', marks: this.tour.marks(), game: `tour ${this.tour.key}` };
    const game = `table ${table.key}`;
    const preview = this.analysis.isAvailable(mode) ? this.analysis.preview : null;
    const view = preview ? preview.view : table.view;
    const playable = !preview && mode !== 'watch' && table.isSettled && (mode === 'play' ? this.play.mayMove() : !!view && view.to_move !== null) && !this.recorded;
    /** @type {import('./board.js').Arrow[]} */
    let arrows = [];
    if (mode === 'analyse') arrows = this.analysis.arrows();
    else if (mode === 'review') arrows = [...this.analysis.arrows(), ...this.review.arrows()];
    else if (this.play.hint) arrows = [{ move: this.play.hint.move, side: this.play.hint.side, rank: 0, kind: 'hint' }];
    const drawable = !preview && table.isSettled;
    const shapes = drawable && table.tree ? table.tree.current.shapes : [];
    const planning = this.play.planningSide() !== null;
    if (planning) arrows = this.play.premove.arrows(this.play.planningSide() ?? 0);
    const marks = planning ? this.play.premove.marks() : [];
    const movable = mode === 'play' && (settings.movable === 'always' || (settings.movable === 'first' && settings.finishedGames === 0));
    return { ...defaults, info: table.info, view, playable, arrows, shapes, planning, marks, movable, drawable, preview: !!preview, game };
  }

  #draw() {
    this.board.set(this.#boardState());
    render(this.#template(), this.root);
    const dialog = this.root.querySelector('dialog');
    if (dialog instanceof HTMLDialogElement) {
      if (this.dialog && !dialog.open) dialog.showModal();
      if (!this.dialog && dialog.open) dialog.close();
    }
    const { tree } = this.table;
    const scrolled = `${this.mode} ${this.tab} ${this.analysis.on} ${this.table.key} ${tree?.current.id} ${tree?.version} ${!!this.table.review}`;
    if (scrolled !== this.scrolled) {
      this.scrolled = scrolled;
      requestAnimationFrame(scrollToCurrent);
    }
  }

  #template() {
    const { connection } = this;
    const [title, content] = dialogContent(this);
    return html`
      ${symbols}
      <header class="top">
        <button type="button" class="brand" aria-label=${`wabe: ${t('nav.start')}`} ?disabled=${!!this.recorded} @click=${() => this.go('start')}>${logo}<b>wabe</b></button>
        ${this.recorded ? html`<b class="players">${this.recorded.standings ? this.recorded.standings.engines.map(({ name }) => name).join(' – ') : this.table.names.some(Boolean) ? `${this.table.names[0] || '?'} – ${this.table.names[1] || '?'}` : ''}</b>` : html`<nav aria-label=${t('nav.label')}>${MODES.filter((mode) => mode !== 'watch' || !this.engine).map((mode) => html`
          <button type="button" class="nav nav-${mode}" aria-current=${this.mode === mode || (mode === 'play' && this.mode === 'start') ? 'page' : 'false'} ?disabled=${!this.ready}
            @click=${() => this.go(mode === 'play' && !this.table.isPlayed ? 'start' : mode)}>${icon(NAV_ICONS[mode])}<span>${t(`nav.${mode}`)}</span></button>`)}</nav>`}
        <span class="spring"></span>
        ${iconButton('help', t('help.title'), () => this.openDialog('help'))}
        ${iconButton('settings', t('settings.title'), () => this.openDialog('settings'))}
      </header>
      ${this.library.problem ? html`<p class="banner" role="alert">${this.library.banner()}</p>` : ''}
      ${connection.state === 'lost' && this.ready ? html`<p class="banner" role="status">${this.#lostText(this.board.state.playable)}</p>` : ''}
      ${this.fatal || connection.state === 'refused' ? html`<main class="center"><p class="error" role="alert">${this.fatal || t('app.refused', { message: connection.refusal })}</p></main>`
        : !this.ready ? html`<main class="center"><p class="quiet">${connection.state === 'lost' ? this.#lostText() : t('app.connecting')}</p></main>`
        : this.mode === 'start' ? html`<main>${startView(this)}</main>`
        : this.mode === 'library' ? html`<main class="library">${this.shelf.view()}</main>` : this.#tableView()}
      ${this.dialog ? '' : this.#toast()}
      <dialog aria-labelledby="dialog-title" @close=${() => this.closeDialog()} @click=${(/** @type {MouseEvent} */ event) => {
        if (event.target === event.currentTarget) this.closeDialog();
      }}>${this.dialog ? html`<div class="dialog-body"><header><h2 id="dialog-title">${title}</h2>${iconButton('close', t('app.close'), () => this.closeDialog())}</header>${content}</div>${this.#toast()}` : html`<h2 id="dialog-title" hidden></h2>`}</dialog>`;
  }

  /** @param {boolean} [playable] whether the user may move */
  #lostText(playable = false) {
    // The page itself restarts an engine in the browser.
    if (this.engine) return t('app.noConnection');
    return [t('app.lost'), playable ? t('app.waits') : '', t(this.welcome?.watch ? 'app.restartGames' : 'app.restart')].filter(Boolean).join(' ');
  }

  #toast() {
    const action = this.messageAction;
    const close = () => {
      this.message = '';
      this.refresh();
    };
    return this.message ? html`<div class="toast" role="status"><span>${this.message}</span>${action ? html`<button type="button" @click=${() => {
      close();
      action.run();
    }}>${action.label}</button>` : ''}${iconButton('close', t('app.close'), close)}</div>` : '';
  }

  /** After a move that misses a task of the tour, the next press starts the task again. */
  #pressed() {
    if (this.mode === 'tour' && this.tour.state === 'other') this.tour.again();
  }

  #tableView() {
    const { mode, board } = this;
    const state = board.state;
    const { info, view } = state;
    const flipped = this.flipped();
    const noBoard = !info || !view || (mode === 'watch' && !this.watch.following);
    const withStrips = info && view && mode !== 'editor' && mode !== 'tour';
    const strip = (/** @type {number} */ side) => (withStrips ? sideStrip(this, { info, view, side, playable: state.playable }) : '');
    const tourStrip = mode === 'tour' && info && view ? sideStrip(this, { info, view, side: 0, playable: state.playable }) : '';
    const { table } = this;
    const node = table.tree?.current;
    const withSteps = TABLE_MODES.includes(mode) && !noBoard && table.tree;
    if (mode === 'library') return '';
    const panel = { play: this.play, analyse: this.analysis, review: this.review, puzzles: this.puzzles, editor: this.editor, tour: this.tour, watch: this.watch, start: this.play }[mode].panel();
    const tabs = mode === 'analyse' || (mode === 'review' && table.tree) ? /** @type {const} */ (['engine', 'moves'])
      : mode === 'watch' && this.watch.following ? /** @type {const} */ (['engine', 'moves'])
      : mode === 'play' && table.tree ? /** @type {const} */ (['game', 'moves']) : [];
    return html`<main class="table-view mode-${mode} ${noBoard ? 'no-board' : ''}">
      <h1 class="visually-hidden">${t(`nav.${mode}`)}</h1>
      ${noBoard ? '' : html`<div class="board-column" @pointerdown=${{ handleEvent: () => this.#pressed(), capture: true }}>
        ${strip(flipped ? 0 : 1)}
        <div class="board-wrap">
          ${mode === 'analyse' || (mode === 'review') ? this.analysis.bar() : ''}
          ${board.element}
          ${this.idleNote && state.playable ? html`<p class="board-note" role="status">${this.idleNote}</p>` : ''}
          <div class="board-tools">${iconButton('fit', t('board.fit'), () => board.fit())}${iconButton('plus', t('board.larger'), () => board.zoomBy(0.8))}${iconButton('minus', t('board.smaller'), () => board.zoomBy(1.25))}</div>
        </div>
        ${strip(flipped ? 1 : 0)}${tourStrip}
      </div>`}
      ${withSteps ? html`<div class="steps" role="group" aria-label=${t('steps.label')}>
        ${iconButton('first', t('steps.first'), () => table.step('first'), { disabled: !node?.parent })}
        ${iconButton('prev', t('steps.prev'), () => table.step('prev'), { disabled: !node?.parent })}
        ${iconButton('next', t('steps.next'), () => table.step('next'), { disabled: !node?.children.length })}
        ${iconButton('last', t('steps.last'), () => table.step('last'), { disabled: !node?.children.length })}
        ${mode === 'play' ? '' : iconButton(this.autoplay ? 'pause' : 'play', t(this.autoplay ? 'steps.stop' : 'steps.autoplay'), () => this.toggleAutoplay(), { disabled: !table.tree?.root.children.length })}
        <span class="spring"></span>
        ${iconButton('flip', t('steps.flip'), () => this.flip())}
        ${iconButton('share', t('share.title'), () => this.openDialog('share'))}
      </div>` : ''}
      <aside class="panel" data-tab=${tabs.length > 0 ? this.tab : ''} aria-label=${t('panel.label')}>
        ${tabs.length > 0 ? html`<div class="tabs" role="group" aria-label=${t('panel.tabs')}>${tabs.map((tab) => html`<button type="button" aria-pressed=${this.tab === tab ? 'true' : 'false'} @click=${() => {
          this.tab = tab;
          this.refresh();
        }}>${t(tab === 'moves' ? 'moves.label' : FIRST_TABS[mode])}</button>`)}</div>` : ''}
        ${panel}
      </aside>
    </main>`;
  }
}

const root = document.getElementById('app');
if (root) {
  const app = new App(root);
  app.start();
}
