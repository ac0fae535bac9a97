// Watch mode: live games, the state of an arena run, and the followed game.
import { html } from 'wabe/vendor/lit-html/lit-html.js';
import { Curve } from 'wabe/curve.js';
import { t } from 'wabe/i18n.js';
import { icon, iconButton } from 'wabe/icons.js';
import { LiveGames, liveTitle } from 'wabe/livegames.js';
import { moveList } from 'wabe/movelist.js';
import { describeState, sideName } from 'wabe/moves.js';
import { describeProblem } from 'wabe/problems.js';
import { Standings } from 'wabe/standings.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./types.js').LiveInfo} LiveInfo */
/** @typedef {{number: number, game: import('./types.js').OpenedGame, scores: [number, number][], running: boolean}} Following */

export class Watch {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.subscribed = false;
    /** @type {LiveInfo[]} */
    this.games = [];
    /** The standings of an arena run.
     * @type {import('./types.js').Standings | null} */
    this.standings = null;
    this.table = new Standings(app);
    this.list = new LiveGames(app, (number) => this.follow(number));
    /** The followed game.
     * @type {Following | null} */
    this.following = null;
    this.subscription = 0;
    /** The followed game that is loaded on the table.
     * @type {{number: number, key: number} | null} */
    this.loaded = null;
    this.problem = '';
    this.observing = false;
    this.showForm = false;
    /** The last values entered in the form. */
    this.form = { address: 'localhost:13050', room: '' };
    this.curve = new Curve(() => app.refresh());
    /** True once a game has been followed. */
    this.hasChosen = false;
  }

  begin() {
    if (this.subscribed) return;
    this.subscribed = true;
    this.app.connection.subscribe('watch', {}, (reply) => {
      this.games = reply.games;
      this.standings = reply.standings ?? this.standings;
      // A match has only one game, which is followed immediately.
      if (!this.hasChosen && this.games.length === 1 && this.app.mode === 'watch') this.follow(this.games[0].number);
      this.app.refresh();
    }, (error) => {
      this.problem = error.message;
      this.app.refresh();
    });
  }

  /** Stops following a game. */
  leave() {
    if (!this.subscription) return;
    // Afterwards the game counts as the user's.
    this.app.library.flush();
    this.app.connection.unsubscribe(this.subscription);
    this.subscription = 0;
    this.following = null;
    this.loaded = null;
    this.app.connection.notify('follow', { number: null });
    this.app.refresh();
  }

  /** @param {number} number */
  follow(number) {
    this.hasChosen = true;
    if (this.subscription) this.app.connection.unsubscribe(this.subscription);
    this.loaded = null;
    this.app.play.halt();
    let last = Promise.resolve();
    const subscription = this.app.connection.subscribe('follow', { number }, (reply) => {
      // Loading a game is asynchronous, so updates are queued.
      last = last.then(() => this.#update(reply)).catch((error) => this.app.fail(error));
    }, (error) => this.app.fail(error));
    this.subscription = subscription;
  }

  /** @param {Following} reply */
  async #update(reply) {
    const { app } = this;
    const { table } = app;
    if (!this.subscription || app.mode !== 'watch') return;
    this.following = reply;
    const { line } = reply.game;
    const { tree } = table;
    const known = tree && this.loaded?.number === reply.number && this.loaded.key === table.key ? tree.mainline().slice(1).map((node) => node.move) : null;
    if (!tree || !known || known.length > line.moves.length || known.some((move, i) => line.moves[i] !== move)) {
      await table.load(reply.game);
      if (this.subscription) this.loaded = { number: reply.number, key: table.key };
      app.refresh();
      return;
    }
    const wasAtEnd = tree.current === tree.end();
    for (const move of line.moves.slice(known.length)) {
      const node = tree.extend(tree.end(), move);
      node.comment = reply.game.remarks.find(([ply]) => ply === node.ply)?.[1] ?? '';
    }
    table.ended = reply.game.result ? { ply: line.moves.length, ending: reply.game.result } : null;
    table.times = reply.game.times;
    if (wasAtEnd) await table.goTo(tree.end());
    table.prefetch();
  }

  /** @param {SubmitEvent} event */
  #observe(event) {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.currentTarget);
    const value = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name)).value.trim();
    this.form = { address: value('address'), room: value('room') };
    this.problem = '';
    this.observing = true;
    this.app.refresh();
    // Errors can also arrive later, when the connection ends or the room does not exist.
    this.app.connection.subscribe('observe', { address: this.form.address, password: value('password'), room: this.form.room || null }, () => {
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
    const own = this.games.find((one) => one.number === this.following?.number);
    const heading = (own ? liveTitle(own) : '') || [0, 1].map((side) => game.names[side] || sideName(info, side)).join(' – ');
    const remark = app.remark();
    const byPly = new Map(scores);
    let score = 0.5;
    const plies = game.line.moves.map((text, i) => {
      const value = (/** @type {number} */ expected) => ({ score: expected, proven: false, plies: null });
      const before = score;
      score = byPly.get(i + 1) ?? score;
      return { ply: i + 1, text, before: value(before), after: value(score), loss: 0, better: null, mark: /** @type {const} */ ('good') };
    });
    return html`<section class="status" data-section="engine">
        <p class="state" title=${own?.room ?? ''}>${heading}</p>
        <p class="quiet">${running && !ending ? html`<i class="live-dot"></i>${t('watch.running')} · ` : ''}${describeState(info, view, ending)}</p>
        ${game.damage ? html`<p class="callout bad">${t('open.damaged', { damage: describeProblem(game.damage) })}</p>` : ''}
        ${remark ? html`<p class="callout comment">${remark}</p>` : ''}
        ${scores.length > 0 ? this.curve.view(table, plies) : ''}
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

  #list() {
    return html`<section class=${`watch ${this.standings ? 'with-standings' : ''}`} aria-label=${t('watch.title')}>
      ${this.app.recorded ? '' : html`<h2>${t('watch.title')}</h2>`}
      ${this.standings ? this.table.view(this.standings) : ''}
      <section class="live-games" aria-label=${t('common.games')}>
      ${this.standings ? html`<h3>${t('common.games')}</h3>` : ''}
      ${this.list.view(this.games)}
      ${this.app.recorded ? '' : this.#other()}
      </section>
    </section>`;
  }

  /** Another server to watch. */
  #other() {
    return html`
      ${iconButton(this.showForm ? 'close' : 'plus', t('watch.observe'), () => {
        this.showForm = !this.showForm;
        this.app.refresh();
      }, { text: true })}
      ${this.showForm ? html`<form class="observe" @submit=${(/** @type {SubmitEvent} */ event) => this.#observe(event)}>
        <label class="field">${t('watch.address')}<input name="address" value=${this.form.address} required spellcheck="false" autocomplete="off"></label>
        <label class="field">${t('watch.password')}<input name="password" type="password" autocomplete="off"></label>
        <label class="field">${t('watch.room')}<input name="room" value=${this.form.room} spellcheck="false" autocomplete="off"></label>
        <div class="buttons"><button type="submit" class="primary" ?disabled=${this.observing}>${icon('eye')} ${t('nav.watch')}</button></div></form>` : ''}
      ${this.problem ? html`<p class="error" role="alert">${this.problem}</p>` : ''}
      <p class="quiet">${t('watch.help')}</p>`;
  }
}
