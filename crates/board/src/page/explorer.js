// The opening explorer: which moves were played in the shown position, in the library and in the
// book, with their results. Positions that differ only by a symmetry count as one.
import { html } from 'wabe/vendor/lit-html/lit-html.js';
import { number, percent, t, tn } from 'wabe/i18n.js';
import { describeEntry } from 'wabe/libraryview.js';
import { shortMove, piecesOfLine, sideName } from 'wabe/moves.js';
import { paintOf, tileIcon } from 'wabe/pieces.js';
import { describeError } from 'wabe/problems.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./types.js').LibraryEntry} LibraryEntry */
/** @typedef {{games: number, wins: [number, number], draws: number, scores: number}} Counts */
/** @typedef {{text: string, key: string, own: Counts | null, book: Counts | null}} Row */
/** The book by game and key: games, wins of the first side, draws, and the mean score in percent.
 * @typedef {Record<string, Record<string, [number, number, number, number]>>} Book */

/** Number of games listed first. */
const FIRST_GAMES = 20;
/** Number of games that a click adds. */
const MORE_GAMES = 100;

export class Explorer {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.on = false;
    /** Games with a position, by game and key. `null` until they are loaded.
     * @type {Map<string, {entry: LibraryEntry, ply: number}[]> | null} */
    this.index = null;
    /** @type {Book} */
    this.book = {};
    /** The shown position. @type {{node: number, key: number} | null} */
    this.at = null;
    /** @type {Row[]} */
    this.rows = [];
    /** The library's games with the shown position.
     * @type {{entry: LibraryEntry, ply: number}[]} */
    this.games = [];
    /** Maximum number of listed games. */
    this.listed = FIRST_GAMES;
    this.problem = '';
    /** Incremented on every request, to ignore late answers. */
    this.ticket = 0;
  }

  /** @param {boolean} on */
  toggle(on) {
    if (this.on === on) return;
    this.on = on;
    this.index = null;
    this.at = null;
    this.changed();
  }

  /** Call after every change of the shown position. */
  async changed() {
    const { table, mode, connection } = this.app;
    const { tree } = table;
    if (!this.on || mode !== 'analyse' || !tree) return;
    if (this.at?.node === tree.current.id && this.at.key === table.key) return;
    this.at = { node: tree.current.id, key: table.key };
    this.ticket += 1;
    const { ticket } = this;
    try {
      this.index ??= await this.#load();
      const { keys, moves } = await connection.ask('keys', { line: tree.line() });
      if (this.ticket !== ticket) return;
      const known = keys.length > tree.current.ply ? keys[tree.current.ply] : '';
      this.games = (this.index.get(`${tree.game} ${known}`) ?? []).toSorted((a, b) => b.entry.date.localeCompare(a.entry.date));
      this.rows = this.#rows(tree.game, moves);
      this.listed = FIRST_GAMES;
      this.problem = '';
    } catch (error) {
      this.problem = describeError(error);
    }
    this.app.refresh();
  }

  async #load() {
    const { store } = this.app.library;
    const [entries, keys, book] = await Promise.all([
      store?.list() ?? [], store?.keys() ?? [], fetch('book.json').then((response) => (response.ok ? response.json() : {})).catch(() => ({})),
    ]);
    this.book = book;
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    /** @type {Map<string, {entry: LibraryEntry, ply: number}[]>} */
    const index = new Map();
    for (const [id, positions] of keys) {
      const entry = byId.get(id);
      if (!entry) continue;
      // A game counts once for each position, even if it repeats.
      for (const [ply, key] of positions.entries()) {
        if (positions.indexOf(key) !== ply) continue;
        const name = `${entry.game} ${key}`;
        const games = index.get(name);
        if (games) games.push({ entry, ply });
        else index.set(name, [{ entry, ply }]);
      }
    }
    return index;
  }

  /**
   * @param {string} game
   * @param {[string, string][]} moves with the keys after them
   */
  #rows(game, moves) {
    /** @type {Map<string, Row>} */
    const rows = new Map();
    for (const [text, key] of moves) {
      if (rows.has(key)) continue;
      const own = this.index?.get(`${game} ${key}`);
      const book = this.book[game]?.[key];
      if (own || book) rows.set(key, { text, key, own: own ? countsOf(own.map(({ entry }) => entry)) : null, book: book ? bookCounts(book) : null });
    }
    const games = (/** @type {'own' | 'book'} */ from, /** @type {Row} */ a, /** @type {Row} */ b) => (b[from]?.games ?? 0) - (a[from]?.games ?? 0);
    return [...rows.values()].sort((a, b) => games('own', a, b) || games('book', a, b));
  }

  panel() {
    const { app } = this;
    const { info, view } = app.table;
    if (!info || !view) return '';
    return html`<details class="explorer ${paintOf(info)}" data-section="engine" ?open=${this.on} @toggle=${(/** @type {Event} */ event) => this.toggle(/** @type {HTMLDetailsElement} */ (event.currentTarget).open)}>
      <summary>${t('explorer.title')}</summary>
      ${this.problem ? html`<p class="error">${this.problem}</p>` : ''}
      ${this.on && this.index ? html`${this.rows.length === 0 ? html`<p class="quiet">${t('explorer.none')}</p>` : this.#table(info)}${this.#gameList()}` : ''}
    </details>`;
  }

  /** @param {import('./types.js').GameInfo} info */
  #table(info) {
    const { app } = this;
    const view = /** @type {import('./types.js').View} */ (app.table.view);
    const toMove = view.to_move ?? 0;
    const bar = (/** @type {Row} */ row) => {
      const counts = row.own ?? row.book;
      const decided = counts ? counts.wins[0] + counts.wins[1] + counts.draws : 0;
      if (!counts || decided === 0) return '';
      const [first, draws] = [(100 * counts.wins[0]) / decided, (100 * counts.draws) / decided];
      const label = (row.own ? '' : `${t('explorer.book')}: `) + t('explorer.bar', {
        first: sideName(info, 0), wins: percent(first / 100), draws: percent(draws / 100), second: sideName(info, 1), losses: percent(1 - (first + draws) / 100),
      });
      return html`<svg class="result-bar ${row.own ? '' : 'of-book'}" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label=${label}><title>${label}</title>
        <rect class="bar1" width="100" height="10"/><rect class="bar-draw" width=${first + draws} height="10"/><rect class="bar0" width=${first} height="10"/></svg>`;
    };
    return html`<table><thead><tr><th scope="col">${t('explorer.move')}</th><th scope="col">${t('common.games')}</th><th scope="col">${t('explorer.results')}</th><th scope="col" title=${t('explorer.bookHelp')}>${t('explorer.book')}</th></tr></thead><tbody>
      ${this.rows.map((row) => {
        const [piece] = piecesOfLine(view, [row.text], toMove);
        // Rows of another position may still be shown.
        const move = view.moves.find(({ text }) => text === row.text);
        return html`<tr><td><button type="button" class="line-move" ?disabled=${!move} @click=${() => move && app.boardMove(move)}>${piece ? tileIcon({ ...piece, number: null }) : ''}${shortMove(row.text)}</button></td>
          <td class="number">${row.own ? number(row.own.games) : '–'}</td>
          <td>${bar(row)}</td>
          <td class="number" title=${row.book ? t('explorer.bookHelp') : ''}>${row.book ? html`${percent(toMove === 0 ? row.book.scores : 1 - row.book.scores)} <span class="quiet">(${number(row.book.games)})</span>` : ''}</td></tr>`;
      })}</tbody></table>`;
  }

  #gameList() {
    const { app, games } = this;
    if (games.length === 0) return '';
    const opened = (/** @type {Event} */ event) => {
      const list = /** @type {HTMLDetailsElement} */ (event.currentTarget);
      if (list.open) list.scrollIntoView({ block: 'nearest' });
    };
    return html`<details class="explorer-games" @toggle=${opened}><summary>${tn('explorer.here', games.length)}</summary><ul>${games.slice(0, this.listed).map(({ entry, ply }) => {
      const { title, players, result, facts } = describeEntry(app, entry);
      return html`<li><button type="button" class="link" @click=${() => app.library.show(entry.id, ply).catch((error) => app.fail(error))}>${[title, players].filter(Boolean).join(' · ')}</button> ${result}
        <span class="quiet">${facts.join(' · ')}</span></li>`;
    })}</ul>${games.length > this.listed ? html`<button type="button" @click=${() => {
      this.listed += MORE_GAMES;
      app.refresh();
    }}>${t('explorer.more')}</button>` : ''}</details>`;
  }
}

/**
 * @param {LibraryEntry[]} entries
 * @returns {Counts}
 */
function countsOf(entries) {
  const of = (/** @type {string} */ result) => entries.filter((entry) => entry.result === result).length;
  return { games: entries.length, wins: [of('1-0'), of('0-1')], draws: of('1/2-1/2'), scores: 0 };
}

/**
 * @param {[number, number, number, number]} book
 * @returns {Counts}
 */
function bookCounts([games, wins, draws, score]) {
  return { games, wins: [wins, games - wins - draws], draws, scores: score / 100 };
}
