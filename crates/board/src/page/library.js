// The library: saves the game on the table as it changes, and reads, imports and exports entries.
import { download, toBase64, today } from 'wabe/files.js';
import { t } from 'wabe/i18n.js';
import { describeError, Problem } from 'wabe/problems.js';
import { BrowserStore, newId, ServerStore } from 'wabe/store.js';
import { Tree } from 'wabe/tree.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./types.js').Summary} Summary */
/** @typedef {import('./types.js').LibraryEntry} LibraryEntry */
/** @typedef {import('./types.js').OpenedGame} OpenedGame */

/** The `format` of saved games. */
export const GAME_FORMAT = 'wabe-game';
/** The `format` of several saved games in a file. */
export const LIBRARY_FORMAT = 'wabe-library';
/** Minimum time between two saves, in ms. */
const INTERVAL = 400;
/** Delay before another attempt after an error, in ms. */
const RETRY_DELAY = 5000;
/** Number of entries per request. */
const BATCH = 100;

/**
 * The place of a game in the library. Shared by all saves of a game.
 * @typedef {{id: string | null, revision: number, saved: string, title: string, labels: string[], source: string}} Place
 */

/** `file` is a name, followed by the number of a game if the file has several.
 * @typedef {{added: number, known: number, problems: {file: string, why: string}[]}} ImportOutcome */

/**
 * The part of a state whose changes are saved: not the shown position and not the clock.
 * @param {any} state
 */
function essence(state) {
  return JSON.stringify({ ...state, tree: { ...state.tree, path: null }, remaining: null, flipped: null, mode: null });
}

/**
 * A result as in PGN.
 * @param {import('./types.js').Ending | null | undefined} ending
 */
function resultText(ending) {
  if (!ending || (ending.winner === null && !ending.reason && !ending.sentence)) return '*';
  return ending.winner === null ? '1/2-1/2' : ending.winner === 0 ? '1-0' : '0-1';
}

/**
 * What the list shows of a state.
 * @param {any} state
 * @param {Tree} tree
 * @param {Pick<Place, 'title' | 'labels' | 'source'>} place
 * @param {import('./types.js').Ending | null | undefined} ending of the main line
 * @returns {Summary}
 */
function summarize(state, tree, { title, labels, source }, ending) {
  const date = state.tags.find((/** @type {[string, string]} */ [name]) => name === 'Date')?.[1] ?? '';
  return {
    game: tree.game, names: state.names, title, labels, source,
    result: resultText(ending), date: /\d/.test(date) ? date : '', plies: tree.end().ply,
  };
}

/**
 * A result for the request that writes a game.
 * @param {import('./types.js').Ending} ending
 */
export function resultRequest({ winner, reason, note, sentence }) {
  return { winner, reason: (reason === 'stated' ? note : null) ?? reason ?? sentence ?? '' };
}

/**
 * The request that writes a state's game in a format for other programs.
 * @param {any} state
 * @param {Tree} tree
 * @param {string} form
 */
function copyRequest(state, tree, form) {
  const nodes = tree.mainline();
  const { ended } = state;
  return {
    line: tree.line(tree.end()), form, names: state.names, tags: state.tags,
    result: ended && ended.ply === tree.end().ply ? resultRequest(ended.ending) : null,
    remarks: nodes.filter((node) => node.comment).map((node) => [node.ply, node.comment]),
    glyphs: nodes.filter((node) => node.glyph).map((node) => [node.ply, node.glyph]),
    variations: tree.variations(nodes.slice(1)),
  };
}

/**
 * The state of a game that was read from a file.
 * @param {OpenedGame} game
 */
function stateOf(game) {
  const tree = new Tree(game.line);
  tree.annotate(tree.path(), game);
  tree.current = tree.root;
  const ended = game.result ? { ply: game.line.moves.length, ending: game.result } : null;
  const state = {
    tree: tree.save(), names: game.names, tags: game.tags, times: game.times, ended, damage: game.damage ?? '', seats: null,
    control: null, remaining: null, review: null, flipped: false, mode: 'analyse',
  };
  return { state, tree };
}

/**
 * The text of a file with one or several entries.
 * @param {{summary: Summary, state: any}[]} games
 */
export function gamesFile(games) {
  const [first] = games;
  const content = games.length === 1 ? { format: GAME_FORMAT, version: 1, ...first } : { format: LIBRARY_FORMAT, version: 1, games };
  return JSON.stringify(content);
}

export class Library {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {ServerStore | BrowserStore | null} */
    this.store = null;
    /** Why the last save failed; empty if it succeeded. */
    this.problem = '';
    this.timer = 0;
    /** Time of the last save. */
    this.savedAt = -INTERVAL;
    /** The running save. @type {Promise<void>} */
    this.saving = Promise.resolve();
    /** What to repeat for games that could not be saved. @type {Map<Place, {before: string, save: () => Promise<void>}>} */
    this.unsaved = new Map();
    this.retryTimer = 0;
    /** The removed game that was on the table. @type {{place: Place, id: string, revision: number} | null} */
    this.removed = null;
    /** The last list. @type {LibraryEntry[] | null} */
    this.entries = null;
    /** The newest unfinished game of the user. @type {LibraryEntry | null} */
    this.unfinished = null;
    /** The analysis, review or opened game that was changed last. @type {LibraryEntry | null} */
    this.last = null;
    /** The notes read so far, with their revisions. @type {Map<string, {revision: number, state: any}>} */
    this.notes = new Map();
  }

  /** Chooses where to save. @param {import('./types.js').Welcome} welcome */
  open(welcome) {
    if (this.app.recorded || this.store) return;
    const { connection } = this.app;
    this.store = welcome.library ? new ServerStore(connection) : new BrowserStore(connection);
    // The page does not wait for a long list.
    this.findUnfinished().then(() => this.app.refresh());
  }

  /** Lists all games. */
  async list() {
    this.entries = await this.store?.list() ?? [];
    return this.entries;
  }

  /** Looks for a game and an analysis to go on with. */
  async findUnfinished() {
    try {
      const newest = (/** @type {LibraryEntry[]} */ entries) => entries.reduce((best, entry) => (best && best.saved_ms > entry.saved_ms ? best : entry), /** @type {LibraryEntry | null} */ (null));
      const entries = await this.list();
      this.unfinished = newest(entries.filter((entry) => entry.source === 'played' && entry.result === '*' && entry.plies > 0));
      this.last = newest(entries.filter((entry) => entry.source !== 'played'));
    } catch (error) {
      this.#failed(error);
    }
  }

  /** A place for a game that is not in the library.
   * @param {string} source
   * @returns {Place} */
  newPlace(source) {
    return { id: null, revision: 0, saved: '', title: '', labels: [], source };
  }

  // --- saving ---

  /** Call after every change of the table. */
  changed() {
    if (this.app.recorded || !this.app.table.tree) return;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.flush(), Math.max(0, this.savedAt + INTERVAL - performance.now()));
  }

  /** Call after loading a game, which is saved only when it changes. */
  loaded() {
    const { table } = this.app;
    if (table.tree) table.place.saved = essence(table.state());
  }

  /** The game on the table, for a file. */
  entryOfTable() {
    const { table } = this.app;
    const tree = /** @type {Tree} */ (table.tree);
    const state = table.state();
    return { summary: summarize(state, tree, table.place, table.endingAt(tree.end())), state };
  }

  /** Saves the table's game, in the library only if it has changed. Resolves when it is saved. */
  flush() {
    clearTimeout(this.timer);
    const { table } = this.app;
    const { tree, place } = table;
    if (this.app.recorded || !tree) return this.saving;
    const state = table.state();
    const text = essence(state);
    this.savedAt = performance.now();
    // Watched games are not the user's.
    if (this.app.watch.loaded?.key === table.key) place.saved = text;
    const isEmpty = tree.root.children.length === 0 && !tree.root.comment;
    const isKnown = !this.store || text === place.saved || (isEmpty && !place.id);
    const before = place.saved;
    if (!isKnown) {
      place.saved = text;
      place.id ??= newId(today());
    }
    table.keep(state, text);
    if (isKnown) {
      // The change that could not be saved was undone.
      if (this.unsaved.has(place)) this.#settle(place);
      return this.saving;
    }
    const ending = state.ended?.ending ?? table.known.get(tree.end().id)?.view.ending;
    const dated = { ...state, tags: state.tags.some((/** @type {[string, string]} */ [name]) => name === 'Date') ? state.tags : [...state.tags, ['Date', today()]] };
    const draft = { summary: summarize(dated, tree, place, ending), state, copy: copyRequest(dated, tree, '') };
    this.#queue(place, before, () => this.#save(place, draft, before));
    return this.saving;
  }

  /**
   * Saves a game after those before it. If that fails, tries again later, even if another game is on
   * the table by then.
   * @param {Place} place
   * @param {string} before the essence of the replaced state
   * @param {() => Promise<void>} save
   */
  #queue(place, before, save) {
    this.saving = this.saving.then(save).then(() => this.#settle(place)).catch((error) => {
      place.saved = before;
      this.unsaved.set(place, { before, save });
      this.#failed(error);
      clearTimeout(this.retryTimer);
      this.retryTimer = window.setTimeout(() => {
        for (const [other, again] of this.unsaved) {
          if (other !== this.app.table.place) this.#queue(other, again.before, again.save);
        }
        this.flush();
      }, RETRY_DELAY);
    });
  }

  /** Forgets a failed save. @param {Place} place */
  #settle(place) {
    this.unsaved.delete(place);
    if (this.unsaved.size > 0 || !this.problem) return;
    this.problem = '';
    this.app.refresh();
  }

  /**
   * @param {Place} place
   * @param {{summary: Summary, state: any, copy: any}} draft
   * @param {string} before the essence of the replaced state
   */
  async #save(place, draft, before) {
    const store = /** @type {ServerStore} */ (this.store);
    const attempt = async () => (await store.save([{ id: /** @type {string} */ (place.id), revision: place.revision, ...draft }]))[0];
    let { saved } = await attempt();
    if (!saved) {
      const entry = await store.read(/** @type {string} */ (place.id));
      if (entry.summary && entry.state && [before, essence(draft.state)].includes(essence(entry.state))) {
        // Only the title or the labels were changed, or this page saved it while it was closed.
        Object.assign(place, { revision: entry.revision, title: entry.summary.title, labels: entry.summary.labels });
      } else {
        Object.assign(place, { id: newId(today()), revision: 0, title: [place.title, t('library.copy')].filter(Boolean).join(' – ') });
        this.app.toast(t('library.copied'));
      }
      draft.summary = { ...draft.summary, title: place.title, labels: place.labels };
      ({ saved } = await attempt());
    }
    if (!saved) throw new Problem(t('library.changed'));
    Object.assign(place, saved);
  }

  /** @param {unknown} error */
  #failed(error) {
    this.problem = describeError(error);
    this.app.refresh();
  }

  // --- entries ---

  /**
   * Puts an entry on the table.
   * @param {string} id
   * @param {number} [ply] the position to show
   */
  async show(id, ply) {
    const { app } = this;
    await this.flush();
    const { revision, summary, state } = await /** @type {ServerStore} */ (this.store).read(id);
    if (!summary || !state) throw new Problem(t('library.missing'));
    await app.table.restore(state);
    const { title, labels, source } = summary;
    app.table.place = { id, revision, saved: essence(app.table.state()), title, labels, source };
    const isOver = app.play.isOver();
    if (ply !== undefined) await app.table.goTo(app.table.tree?.mainline()[ply]);
    app.go(ply === undefined && state.seats && !isOver ? 'play' : state.review ? 'review' : 'analyse');
  }

  /** Opens the analysis that was changed last. */
  async openLast() {
    if (this.last) await this.show(this.last.id).catch((error) => this.app.fail(error));
  }

  /** Goes on with the newest unfinished game. */
  async goOn() {
    if (this.unfinished) await this.show(this.unfinished.id);
  }

  /**
   * Changes what the list shows of an entry.
   * @param {LibraryEntry} entry
   * @param {{title?: string, labels?: string[]}} changes
   */
  async describe({ id, revision, saved_ms: _, ...summary }, changes) {
    const [{ saved }] = await /** @type {ServerStore} */ (this.store).save([{ id, revision, summary: { ...summary, ...changes }, state: null }]);
    if (!saved) throw new Problem(t('library.changed'));
    const { place } = this.app.table;
    if (place.id === id) Object.assign(place, saved, changes);
  }

  /**
   * @param {string[]} ids
   * @param {boolean} [back]
   */
  async remove(ids, back = false) {
    const { place } = this.app.table;
    await this.flush();
    await this.store?.remove(ids, back);
    const { removed } = this;
    if (place.id && ids.includes(place.id) && !back) {
      this.removed = { place, id: place.id, revision: place.revision };
      // A game that is still on the table is a new one from now on.
      Object.assign(place, { id: null, revision: 0 });
    } else if (back && removed && ids.includes(removed.id) && !removed.place.id) {
      Object.assign(removed.place, { id: removed.id, revision: removed.revision });
    }
  }

  /**
   * Imports files.
   * @param {File[]} files
   * @param {(share: number) => boolean} progress called between batches; false stops the import
   * @returns {Promise<ImportOutcome>}
   */
  async importFiles(files, progress) {
    const store = /** @type {ServerStore} */ (this.store);
    const nameOf = (/** @type {Summary} */ { game, names, date, plies, result }) => JSON.stringify([game, names, date, plies, result]);
    const keys = new Map(await store.keys());
    const last = (/** @type {string} */ id) => keys.get(id)?.slice(-1)[0] ?? '';
    const known = new Set((await store.list()).map((entry) => nameOf(entry) + last(entry.id)));
    /** @type {ImportOutcome} */
    const outcome = { added: 0, known: 0, problems: [] };
    for (const [i, file] of files.entries()) {
      if (!progress(i / files.length)) return outcome;
      try {
        const games = await this.#gamesOf(file);
        for (let at = 0; at < games.length; at += BATCH) {
          if (!progress((i + at / games.length) / files.length)) return outcome;
          /** @type {Map<string, {draft: import('./types.js').Draft, where: string}>} */
          const drafts = new Map();
          for (const [nth, { summary, state }] of games.slice(at, at + BATCH).entries()) {
            const where = games.length > 1 ? t('library.nth', { file: file.name, n: at + nth + 1 }) : file.name;
            try {
              const tree = Tree.restore(state.tree);
              const copy = copyRequest(state, tree, '');
              // Games with illegal moves have no keys. They count as new.
              const own = await this.app.connection.ask('keys', { line: copy.line }).then(({ keys: all }) => all, () => [JSON.stringify(state.tree)]);
              const name = nameOf(summary) + (own.slice(-1)[0] ?? '');
              if (known.has(name) || drafts.has(name)) outcome.known += 1;
              else drafts.set(name, { draft: { id: newId(summary.date), revision: 0, summary, state, copy }, where });
            } catch (error) {
              // A damaged game must not hide the others.
              outcome.problems.push({ file: where, why: describeError(error) });
            }
          }
          const all = [...drafts.values()];
          // If wabe rejects one of them, those before it may be saved, and conflict when saved again.
          const save = async (/** @type {typeof all} */ some) => (await store.save(some.map(({ draft }) => draft))).length;
          try {
            outcome.added += await save(all);
          } catch {
            for (const one of all) {
              await save([one]).then((n) => { outcome.added += n; }, (error) => { outcome.problems.push({ file: one.where, why: describeError(error) }); });
            }
          }
          for (const name of drafts.keys()) known.add(name);
        }
      } catch (error) {
        outcome.problems.push({ file: file.name, why: describeError(error) });
      }
    }
    return outcome;
  }

  /**
   * The games of a file.
   * @param {File} file
   * @returns {Promise<{summary: Summary, state: any}[]>}
   */
  async #gamesOf(file) {
    if (file.name.endsWith('.json')) {
      const content = await file.text().then(JSON.parse).catch(() => null);
      // Notes, such as the results of puzzles, have no summary.
      if (content?.format === GAME_FORMAT && content.summary === null) return [];
      const all = content?.format === GAME_FORMAT ? [content] : content?.format === LIBRARY_FORMAT ? content.games : [];
      const games = all.filter((/** @type {any} */ game) => game?.summary && game.state?.tree);
      if (games.length === 0) throw new Problem(t('library.notAGame'));
      return games;
    }
    const { games } = await this.app.connection.ask('open', { source: { base64: await toBase64(file) } });
    return games.map((/** @type {OpenedGame} */ game) => {
      const { state, tree } = stateOf(game);
      const place = { title: '', labels: [], source: file.name };
      return { state, summary: summarize(state, tree, place, game.result) };
    });
  }

  /**
   * Downloads entries as one file.
   * @param {LibraryEntry[]} entries
   * @param {'pgn' | 'json'} form
   * @returns {Promise<number>} number of entries that the format cannot represent
   */
  async exportEntries(entries, form) {
    const store = /** @type {ServerStore} */ (this.store);
    const games = [];
    const texts = [];
    for (const { id, revision: _r, saved_ms: _s, ...summary } of entries) {
      const { state } = await store.read(id);
      if (!state) continue;
      if (form === 'json') {
        games.push({ summary, state });
      } else if (this.app.gameInfo(summary.game)?.forms.includes(form)) {
        try {
          const { text } = await this.app.connection.ask('export', copyRequest(state, Tree.restore(state.tree), form));
          texts.push(text);
        } catch {
          // Damaged games and games with illegal moves cannot be exported.
        }
      }
    }
    if (form === 'json' && games.length > 0) download('wabe-games.json', gamesFile(games), 'application/json');
    if (form === 'pgn' && texts.length > 0) download('wabe-games.pgn', texts.join('\n'));
    return entries.length - Math.max(games.length, texts.length);
  }

  // --- notes ---

  /**
   * Reads a note, such as the results of puzzles.
   * @param {string} name
   * @returns {Promise<any>} `null` if there is none
   */
  async note(name) {
    if (!this.store) return null;
    const { revision, state } = await this.store.read(name);
    this.notes.set(name, { revision, state });
    return state;
  }

  /**
   * Changes a note. Calls `change` again if another page has changed it since.
   * @param {string} name
   * @param {(state: any) => any} change returns the new content
   */
  async changeNote(name, change) {
    for (let attempts = 0; this.store && attempts < 5; attempts += 1) {
      // The request is sent immediately, so that it survives closing the tab.
      if (!this.notes.has(name)) await this.note(name);
      const { revision, state: before } = this.notes.get(name) ?? { revision: 0, state: null };
      const state = change(before);
      const [{ saved }] = await this.store.save([{ id: name, revision, summary: null, state }]);
      if (saved) {
        this.notes.set(name, { revision: saved.revision, state });
        return;
      }
      this.notes.delete(name);
    }
  }

  /** The banner that a game was not saved. */
  banner() {
    return this.problem ? t('library.notSaved', { message: this.problem }) : '';
  }
}
