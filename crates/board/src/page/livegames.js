// The list of running and finished games.
import { html } from 'wabe/vendor/lit-html/lit-html.js';
import { t, tn } from 'wabe/i18n.js';
import { icon } from 'wabe/icons.js';
import { playerName } from 'wabe/open.js';
import { select } from 'wabe/select.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./types.js').LiveInfo} LiveInfo */

/** Longer lists can be searched and sorted. */
const LONG_LIST = 12;

/** Number of games that are shown until all are requested. */
const FIRST_GAMES = 50;

/** @type {Record<string, (a: LiveInfo, b: LiveInfo) => number>} */
const ORDERS = {
  latest: (a, b) => Number(b.running) - Number(a.running) || b.number - a.number,
  first: (a, b) => (a.pair?.[0] ?? 0) - (b.pair?.[0] ?? 0) || a.number - b.number,
  plies: (a, b) => b.plies - a.plies || b.number - a.number,
};

export class LiveGames {
  /**
   * @param {App} app
   * @param {(number: number) => void} follow
   */
  constructor(app, follow) {
    this.app = app;
    this.follow = follow;
    this.search = '';
    this.order = 'latest';
    this.showsAll = false;
  }

  /** @param {LiveInfo[]} games */
  view(games) {
    if (games.length === 0) return html`<p class="quiet">${t('watch.none')}</p>`;
    const words = this.search.toLowerCase().split(/\s+/).filter(Boolean);
    const found = games.filter((game) => words.every((word) => this.#text(game).includes(word))).sort(ORDERS[this.order]);
    const shown = this.showsAll ? found : found.slice(0, FIRST_GAMES);
    return html`${games.length > LONG_LIST ? this.#tools() : ''}
      ${found.length === 0 ? html`<p class="quiet">${t('library.noMatch')}</p>` : ''}
      <ul class="games">${shown.map((game) => html`<li>${this.app.recorded ? html`<div class="game">${this.#row(game)}</div>`
        : html`<button type="button" ?disabled=${this.app.connection.state === 'lost'} @click=${() => this.follow(game.number)}>${this.#row(game)}</button>`}</li>`)}</ul>
      ${shown.length < found.length ? html`<button type="button" @click=${() => {
        this.showsAll = true;
        this.app.refresh();
      }}>${tn('watch.all', found.length)}</button>` : ''}`;
  }

  #tools() {
    return html`<div class="library-tools">
      <label class="search"><span class="visually-hidden">${t('watch.search')}</span>${icon('search')}<input type="search" placeholder=${t('watch.search')} .value=${this.search} @input=${(/** @type {Event} */ event) => {
        this.search = /** @type {HTMLInputElement} */ (event.target).value;
        this.app.refresh();
      }}></label>
      <label class="field"><span class="visually-hidden">${t('library.order')}</span>${select(this.order, Object.keys(ORDERS).map((order) => [order, t(`watch.by.${order}`)]), (order) => {
        this.order = order;
        this.app.refresh();
      }, t('library.order'))}</label></div>`;
  }

  /** @param {LiveInfo} game */
  #row(game) {
    const state = t(game.running ? 'watch.running' : 'watch.over');
    const plies = tn('analysis.plies', game.plies);
    const result = this.#result(game);
    const end = game.end ? t(`ended.${game.end}`) : '';
    return html`${this.app.recorded ? '' : html`<i class=${`live-dot ${game.running ? '' : 'over'}`} role="img" aria-label=${state}></i>`}
      <span><b>${playerName(this.app, game, 0)} – ${playerName(this.app, game, 1)}</b><br><span class="quiet" title=${game.room}>${game.file || liveTitle(game)}</span></span>
      <span class="live-result">${result || plies}${result ? html`<br><span class="quiet">${[end, plies].filter(Boolean).join(' · ')}</span>` : ''}</span>`;
  }

  /**
   * What a search looks at, in lower case.
   * @param {LiveInfo} game
   */
  #text(game) {
    const names = [0, 1].map((side) => playerName(this.app, game, side));
    return [...names, liveTitle(game), game.room, this.#result(game), game.end ? t(`ended.${game.end}`) : ''].join(' ').toLowerCase();
  }

  /**
   * The result, with the winner's name.
   * @param {LiveInfo} game
   */
  #result({ game, names, result }) {
    if (!result) return '';
    if (result.winner === null) return t('end.draw');
    return t('end.wins', { side: playerName(this.app, { game, names }, result.winner) });
  }
}

/**
 * Pair or room of a game; empty for a match. A room's UUID is shortened to its first eight digits.
 * @param {LiveInfo} game
 */
export function liveTitle({ pair, room }) {
  if (pair) return t('watch.pair', { pair: pair[0], game: pair[1] });
  return room.replace(/\b([\da-f]{8})-[\da-f]{4}-[\da-f-]{22}\b/, '$1');
}
