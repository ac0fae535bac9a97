// A match of several games between two engines. Colours alternate, and each opening is played with
// both colours.
import { html } from 'wabe/vendor/lit-html/lit-html.js';
import { number, percent, t } from 'wabe/i18n.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./types.js').Seat} Seat */
/**
 * @typedef {object} MatchState
 * @property {string} name the games' label in the library, and their Event tag
 * @property {string} game
 * @property {[Seat, Seat]} players the first one begins game 1
 * @property {import('./types.js').TimeControl} control
 * @property {number} games
 * @property {(0 | 1 | null)[]} winners the players who won the finished games; `null` for draws
 * @property {import('./types.js').GameLine | null} opening of the current pair of games
 * @property {boolean} isStopped
 */

const STORAGE_KEY = 'wabe-match';
/** Time between the end of a game and the next one, in ms. */
const PAUSE_MS = 2500;
/** Number of random moves at the start, as in `wabe arena`. */
const RANDOM_PLIES = { contest: 4, standard: 6 };
/** Minimum number of games for an estimate of the difference in strength. */
const MIN_RATED_GAMES = 10;

/**
 * Wins, draws, losses and score of a player.
 * @param {(0 | 1 | null)[]} winners
 * @param {number} player
 */
export function tally(winners, player) {
  const wins = winners.filter((winner) => winner === player).length;
  const draws = winners.filter((winner) => winner === null).length;
  return { wins, draws, losses: winners.length - wins - draws, score: wins + draws / 2 };
}

/**
 * The first player's advantage in Elo, with the half-width of its 95% confidence interval, which
 * assumes independent games and a normal distribution. `null` if all games have the same winner.
 * @param {(0 | 1 | null)[]} winners
 */
export function eloOf(winners) {
  const { wins, draws, losses, score } = tally(winners, 0);
  const games = winners.length;
  const mean = score / games;
  if (!(mean > 0 && mean < 1)) return null;
  const variance = (wins * (1 - mean) ** 2 + draws * (0.5 - mean) ** 2 + losses * mean ** 2) / games;
  const slope = 400 / Math.LN10 / (mean * (1 - mean));
  return { elo: 400 * Math.log10(mean / (1 - mean)), error: 1.96 * Math.sqrt(variance / games) * slope };
}

export class Match {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** The last match of this tab.
     * @type {MatchState | null} */
    this.state = null;
    this.timer = 0;
    try {
      this.state = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? 'null');
    } catch {
      // Storage is blocked, so matches end with the page.
    }
  }

  /** @param {Pick<MatchState, 'game' | 'players' | 'control' | 'games'>} match */
  async begin(match) {
    const name = `Match ${new Date().toLocaleString('sv')}`;
    this.state = { ...match, name, winners: [], opening: null, isStopped: false };
    await this.#next();
  }

  /** The number of the match's game on the table, from 1; 0 for another game. */
  shown() {
    const tag = (/** @type {string} */ name) => this.app.table.tags.find(([key]) => key === name)?.[1];
    return this.state && this.app.table.seats && tag('Event') === this.state.name ? Number(tag('Round')) : 0;
  }

  /** True if the game on the table has to wait, because the match is stopped. */
  isHeld() {
    return !!this.state?.isStopped && !this.isOver() && this.shown() > 0;
  }

  isOver() {
    return !this.state || this.state.winners.length >= this.state.games;
  }

  /** @param {MatchState} state */
  #save(state) {
    this.state = state;
    try {
      sessionStorage.setItem(STORAGE_KEY, JSON.stringify(state));
    } catch {
      // Storage is full or blocked.
    }
    this.app.refresh();
  }

  async #next() {
    const { app, state } = this;
    clearTimeout(this.timer);
    this.timer = 0;
    if (!state || this.isOver()) return;
    const played = state.winners.length;
    try {
      const opening = (played % 2 === 1 && state.opening) || (await this.#opening(state.game));
      this.#save({ ...state, opening });
      const seats = /** @type {[Seat, Seat]} */ (played % 2 === 0 ? state.players : [...state.players].reverse());
      await app.begin(state.game, seats, state.control, {
        line: opening, tags: [['Event', state.name], ['Round', String(played + 1)]], title: `${played + 1}/${state.games}`, labels: [state.name],
      });
    } catch (error) {
      app.fail(error);
    }
  }

  /**
   * A new opening: random brambles in the contest, and random moves.
   * @param {string} game
   */
  async #opening(game) {
    const { games } = await this.app.connection.ask('new', { game });
    let { line } = games[0];
    for (let ply = 0; ply < this.#randomPlies(); ply += 1) {
      const { moves } = (await this.app.show(line)).view;
      const move = moves[Math.floor(Math.random() * moves.length)];
      if (move) line = { ...line, moves: [...line.moves, move.text] };
    }
    return line;
  }

  #randomPlies() {
    return this.app.gameInfo(this.state?.game ?? '')?.has_edge ? RANDOM_PLIES.contest : RANDOM_PLIES.standard;
  }

  /** Call at the end of a game: counts it, and starts the next one after a pause. */
  ended() {
    const { app, state } = this;
    const shown = this.shown();
    const ending = app.play.ending();
    if (!state || !ending) return;
    if (shown === state.winners.length + 1) {
      const { winner } = ending;
      // The players swap sides after each game.
      const player = winner === null ? null : /** @type {0 | 1} */ ((winner + shown + 1) % 2);
      this.#save({ ...state, winners: [...state.winners, player] });
    }
    if (shown !== this.state?.winners.length || this.isOver() || state.isStopped || this.timer) return;
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      // If the user is looking at something else, the match continues when the game is shown again.
      if (app.mode === 'play' && this.shown() === shown && !this.state?.isStopped) this.#next();
    }, PAUSE_MS);
  }

  stop() {
    if (!this.state) return;
    clearTimeout(this.timer);
    this.timer = 0;
    this.app.play.halt();
    this.#save({ ...this.state, isStopped: true });
  }

  async resume() {
    const { app, state } = this;
    if (!state) return;
    this.#save({ ...state, isStopped: false });
    app.play.paused = false;
    const current = state.winners.length + 1;
    try {
      if (this.shown() === current || (await this.open(current))) app.go('play');
      else await this.#next();
    } catch (error) {
      app.fail(error);
    }
  }

  /**
   * Puts a game of the library on the table.
   * @param {number} game number from 1
   * @returns {Promise<boolean>} whether the library contains it
   */
  async open(game) {
    const { library } = this.app;
    await library.flush();
    const { state } = this;
    const entry = (await library.list()).find(({ title, labels }) => state && labels.includes(state.name) && title === `${game}/${state.games}`);
    if (entry) await library.show(entry.id);
    return !!entry;
  }

  /** The section in the panel of a game. */
  panel() {
    const { app, state } = this;
    const shown = this.shown();
    if (!state || !shown) return '';
    const { winners } = state;
    const info = app.gameInfo(state.game);
    const names = state.players.map((seat) => app.seatName(seat));
    if (names[0] === names[1]) names.forEach((name, i) => names.splice(i, 1, `${name} (${i + 1})`));
    const elo = winners.length >= MIN_RATED_GAMES ? eloOf(winners) : null;
    const isRunning = !app.play.isPaused();
    const open = (/** @type {number} */ game) => this.open(game).catch((error) => app.fail(error));
    return html`<section class="match" data-section="game" aria-label=${t('match.label')}>
      <h2>${this.isOver() ? t('match.over', { all: state.games }) : t('match.title', { n: shown, all: state.games })}</h2>
      <table class="summary"><thead><tr><td></td>${['wins', 'draws', 'losses', 'score'].map((column) => html`<th scope="col">${t(`match.${column}`)}</th>`)}</tr></thead>
        <tbody>${names.map((name, player) => {
          const { wins, draws, losses, score } = tally(winners, player);
          return html`<tr><th scope="row" title=${name}>${name}</th><td>${wins}</td><td>${draws}</td><td>${losses}</td><td>${winners.length > 0 ? html`${number(score, score % 1 ? 1 : 0)} <span class="quiet">(${percent(score / winners.length)})</span>` : '–'}</td></tr>`;
        })}</tbody></table>
      ${elo ? html`<p title=${t('match.eloHelp')}>${t('match.elo', { player: names[0], elo: `${elo.elo < 0 ? '−' : '+'}${number(Math.abs(elo.elo))}`, error: number(elo.error) })}</p>` : ''}
      ${winners.length > 0 ? html`<p class="match-games quiet">${t('match.games')} ${winners.map((winner, i) => html`<button type="button" class="link" ?disabled=${!this.isOver() && isRunning} title=${t('match.open', { n: i + 1 })} @click=${() => open(i + 1)}>${winner === null ? '½' : winner === 0 ? '1' : '0'}</button>`)}</p>` : ''}
      ${this.timer ? html`<p class="quiet" role="status">${t('match.next')}</p>` : ''}
      ${this.isOver() ? '' : html`<div class="buttons"><button type="button" @click=${() => (isRunning ? this.stop() : this.resume())}>${t(isRunning ? 'match.stop' : 'match.continue')}</button></div>`}
      <p class="quiet">${t(info?.has_edge ? 'match.contestOpenings' : 'match.openings', { n: this.#randomPlies() })}</p>
    </section>`;
  }
}
