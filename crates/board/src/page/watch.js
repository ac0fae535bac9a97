// Watching games while they are played: the list of them, and one of them move by move.
import { html } from './vendor/lit-html/lit-html.js';
import { curve } from './curve.js';
import { t, tn } from './i18n.js';
import { icon, iconButton } from './icons.js';
import { moveList } from './movelist.js';
import { playerOf } from './open.js';
import { remarkInWords, sideName, stateInWords } from './moves.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {{number: number, game: string, title: string, names: [string, string], plies: number, running: boolean, result: import('./types.js').Ending | null}} LiveInfo */
/** @typedef {{number: number, game: import('./types.js').OpenedGame, scores: [number, number][], running: boolean}} Following */

/**
 * A game's title, with a room's long number cut to its first digits.
 * @param {string} title
 */
function shortTitle(title) {
  return title.replace(/\b([\da-f]{8})-[\da-f]{4}-[\da-f-]{22}\b/, '$1');
}

export class Watch {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.subscribed = false;
    /** @type {LiveInfo[]} */
    this.games = [];
    this.standings = '';
    /** The followed game.
     * @type {Following | null} */
    this.following = null;
    this.subscription = 0;
    /** The followed game on the table.
     * @type {{number: number, key: number} | null} */
    this.laid = null;
    this.problem = '';
    this.observing = false;
    this.showForm = false;
    /** The last request. */
    this.wanted = { address: 'localhost:13050', room: '' };
    /** True once a game was followed. */
    this.hasChosen = false;
  }

  begin() {
    if (this.subscribed) return;
    this.subscribed = true;
    this.app.connection.subscribe('watch', {}, (reply) => {
      this.games = reply.games;
      this.standings = reply.standings ?? '';
      // The only game of a match is followed at once.
      if (!this.hasChosen && this.games.length === 1 && this.app.mode === 'watch') this.follow(this.games[0].number);
      this.app.refresh();
    }, (error) => {
      this.problem = error.message;
      this.app.refresh();
    });
  }

  /** Leaves the followed game. */
  leave() {
    if (!this.subscription) return;
    this.app.connection.unsubscribe(this.subscription);
    this.subscription = 0;
    this.following = null;
    this.laid = null;
    this.app.connection.tell('follow', { number: null });
    this.app.refresh();
  }

  /** @param {number} number */
  follow(number) {
    this.hasChosen = true;
    if (this.subscription) this.app.connection.unsubscribe(this.subscription);
    this.laid = null;
    this.app.play.halt();
    let last = Promise.resolve();
    const subscription = this.app.connection.subscribe('follow', { number }, (reply) => {
      // One after the other: laying a game takes a moment.
      last = last.then(() => this.#take(reply)).catch((error) => this.app.fail(error));
    }, (error) => this.app.fail(error));
    this.subscription = subscription;
  }

  /** @param {Following} reply */
  async #take(reply) {
    const { app } = this;
    const { table } = app;
    if (!this.subscription || app.mode !== 'watch') return;
    this.following = reply;
    const { line } = reply.game;
    const { tree } = table;
    const known = tree && this.laid?.number === reply.number && this.laid.key === table.key ? tree.mainline().slice(1).map((node) => node.move) : null;
    if (!tree || !known || known.length > line.moves.length || known.some((move, i) => line.moves[i] !== move)) {
      await table.load(reply.game);
      this.laid = { number: reply.number, key: table.key };
      app.refresh();
      return;
    }
    const wasAtEnd = tree.current === tree.end();
    for (const move of line.moves.slice(known.length)) {
      const node = tree.append(move);
      node.comment = reply.game.remarks.find(([ply]) => ply === node.ply)?.[1] ?? '';
    }
    table.ended = reply.game.result ? { ply: line.moves.length, ending: reply.game.result } : null;
    table.times = reply.game.times;
    if (wasAtEnd) await table.goTo(tree.end());
    table.lookAhead();
  }

  /** @param {SubmitEvent} event */
  #observe(event) {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.currentTarget);
    const value = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name)).value.trim();
    this.wanted = { address: value('address'), room: value('room') };
    this.problem = '';
    this.observing = true;
    this.app.refresh();
    // A fault may also show later: the referee goes away, or knows no such room.
    this.app.connection.subscribe('observe', { address: this.wanted.address, password: value('password'), room: this.wanted.room || null }, () => {
      this.observing = false;
      this.showForm = false;
      this.app.refresh();
    }, (error) => {
      this.observing = false;
      this.showForm = true;
      this.problem = error.message;
      this.app.refresh();
    });
  }

  // --- the panel ---

  panel() {
    return this.following ? this.#game(this.following) : this.#list();
  }

  /** @param {Following} following */
  #game({ game, scores, running }) {
    const { app } = this;
    const { table } = app;
    const { info, tree, view } = table;
    if (!info || !tree || !view) return '';
    const ending = table.endingAt(tree.end());
    const title = this.games.find((one) => one.number === this.following?.number)?.title ?? '';
    const words = title ? shortTitle(title) : [0, 1].map((side) => game.names[side] || sideName(info, side)).join(' – ');
    const nodes = tree.mainline();
    const byPly = new Map(scores);
    let score = 0.5;
    const plies = game.line.moves.map((text, i) => {
      const value = (/** @type {number} */ of) => ({ score: of, proven: false, plies: null });
      const before = score;
      score = byPly.get(i + 1) ?? score;
      return { ply: i + 1, text, before: value(before), after: value(score), loss: 0, better: null, mark: /** @type {const} */ ('good') };
    });
    return html`<section class="status" data-section="engine">
        <p class="state" title=${title}>${words}</p>
        <p class="quiet">${running && !ending ? html`<i class="live-dot"></i>${t('watch.running')} · ` : ''}${stateInWords(info, view, ending)}</p>
        ${game.damage ? html`<p class="callout bad">${t('open.damaged', { damage: game.damage })}</p>` : ''}
        ${tree.current.comment ? html`<p class="callout comment">${remarkInWords(info, tree.current.comment, app.moverOf(tree.current))}</p>` : ''}
        ${scores.length > 0 ? curve({ info, plies, current: tree.isMainline(tree.current) ? tree.current.ply : -1, onclick: (ply) => table.goTo(nodes[ply]) }) : ''}
        ${scores.length > 0 ? html`<p class="quiet">${t('watch.scores')}</p>` : ''}
      </section>
      ${moveList(app)}
      <div class="buttons" data-section="engine">
        <button type="button" @click=${() => this.leave()}>${t('watch.back')}</button>
        ${running && !ending ? '' : html`<button type="button" class="primary" @click=${() => {
          this.leave();
          app.review.begin();
        }}>${t('end.review')}</button>`}
        <button type="button" @click=${() => {
          this.leave();
          app.go('analyse');
        }}>${t('watch.analyse')}</button>
      </div>`;
  }

  /**
   * The winner, by name.
   * @param {LiveInfo} game
   */
  #end({ game, names, result }) {
    if (!result) return '';
    if (result.winner === null) return t('end.draw');
    return t('end.wins', { side: playerOf(this.app, { game, names }, result.winner) });
  }

  #list() {
    return html`<section class="watch" aria-label=${t('watch.title')}>
      <h2>${t('watch.title')}</h2>
      ${this.standings ? html`<h3>${t('watch.standings')}</h3><pre class="standings" tabindex="0">${this.standings}</pre>` : ''}
      ${this.games.length === 0 ? html`<p class="quiet">${t('watch.none')}</p>` : html`<ul class="games">${[...this.games].reverse().map((game) => html`
        <li><button type="button" @click=${() => this.follow(game.number)}>
          ${game.running ? html`<i class="live-dot" role="img" aria-label=${t('watch.running')}></i>` : html`<i class="live-dot over" role="img" aria-label=${t('watch.over')}></i>`}
          <span><b>${playerOf(this.app, game, 0)} – ${playerOf(this.app, game, 1)}</b><br><span class="quiet" title=${game.title}>${shortTitle(game.title)}</span></span>
          <span class="quiet">${this.#end(game) || tn('open.plies', game.plies)}</span></button></li>`)}</ul>`}
      ${iconButton(this.showForm ? 'close' : 'plus', t('watch.observe'), () => {
        this.showForm = !this.showForm;
        this.app.refresh();
      }, { text: true })}
      ${this.showForm ? html`<form class="observe" @submit=${(/** @type {SubmitEvent} */ event) => this.#observe(event)}>
        <label class="field">${t('watch.address')}<input name="address" value=${this.wanted.address} required spellcheck="false" autocomplete="off"></label>
        <label class="field">${t('watch.password')}<input name="password" type="password" autocomplete="off"></label>
        <label class="field">${t('watch.room')}<input name="room" value=${this.wanted.room} spellcheck="false" autocomplete="off"></label>
        <div class="buttons"><button type="submit" class="primary" ?disabled=${this.observing}>${icon('eye')} ${t('watch.connect')}</button></div></form>` : ''}
      ${this.problem ? html`<p class="error" role="alert">${this.problem}</p>` : ''}
      <p class="quiet">${t('watch.help')}</p>
    </section>`;
  }
}
