// The connection of an offline page. It answers requests from data embedded in the page.
import { t } from 'wabe/i18n.js';
import { Problem } from 'wabe/problems.js';

/** @typedef {import('./types.js').GameLine} GameLine */

export class Recorded {
  /**
   * The recording embedded in this page.
   * @returns {Recorded | null}
   */
  static inPage() {
    const element = document.getElementById('recording');
    return element ? new Recorded(JSON.parse(element.textContent ?? '')) : null;
  }

  /** @param {any} recording */
  constructor(recording) {
    this.recording = recording;
    /** @type {'connecting' | 'open' | 'lost' | 'refused'} */
    this.state = 'connecting';
    this.refusal = '';
    /** @type {(() => void)} */
    this.onstate = () => {};
    /** @type {((welcome: import('./types.js').Welcome) => void)} */
    this.onwelcome = () => {};
  }

  connect() {
    this.state = 'open';
    this.onwelcome(this.recording.welcome);
  }

  /**
   * @param {string} word
   * @param {any} request
   * @param {(reply: any) => void} [_progress]
   * @returns {Promise<any>}
   */
  async ask(word, request, _progress) {
    if (word === 'show') {
      const shown = this.#shown(request.line);
      if (shown) return { is: 'shown', id: 0, ...shown };
    }
    throw new Problem(t('app.offline'));
  }

  /** @param {GameLine} line */
  #shown(line) {
    const { welcome, views, record } = this.recording;
    /** @type {GameLine} */
    const own = welcome.first[0].line;
    const isPart = (own.start ?? null) === (line.start ?? null) && own.game === line.game && line.moves.every((move, i) => own.moves[i] === move);
    const view = views[line.moves.length];
    return isPart && view ? { view, record } : null;
  }

  /** The standings of an arena run's report; `undefined` in the page of a game. */
  get standings() {
    return /** @type {import('./types.js').Standings | undefined} */ (this.recording.standings);
  }

  /**
   * @param {string} word
   * @param {any} _request
   * @param {(reply: any) => void} onreply
   */
  subscribe(word, _request, onreply) {
    if (word === 'watch') queueMicrotask(() => onreply({ games: this.#games(), standings: this.standings }));
    return 0;
  }

  /** The games of the report. */
  #games() {
    const { games } = this.recording;
    const names = this.standings?.engines.map(({ name }) => name) ?? [];
    return games.map((/** @type {[number, number, [number, number], number | null, string, number, string]} */ [pair, game, engines, winner, end, plies, file], /** @type {number} */ i) => ({
      number: i, game: this.standings?.game, room: '', pair: [pair, game], names: engines.map((engine) => names[engine]), plies, running: false,
      result: { winner, reason: null }, end, file,
    }));
  }

  unsubscribe() {}

  notify() {}

  stop() {}
}
