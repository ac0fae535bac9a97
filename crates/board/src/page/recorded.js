// The connection of an offline page. It answers requests from data embedded in the page.
import { Problem } from './connection.js';
import { t } from './i18n.js';

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
    if (word === 'review' && this.recording.reviewed) {
      return { is: 'reviewed', id: 0, plies: this.recording.reviewed };
    }
    throw new Problem(t('app.offline'));
  }

  /** @param {GameLine} line */
  #shown(line) {
    /** @type {import('./types.js').OpenedGame[]} */
    const games = this.recording.welcome.first;
    const contains = (/** @type {GameLine} */ own) => (own.start ?? null) === (line.start ?? null)
      && own.game === line.game && line.moves.every((move, i) => own.moves[i] === move);
    const game = games.findIndex((opened) => contains(opened.line));
    const view = this.recording.views[game]?.[line.moves.length];
    return view ? { view, record: this.recording.records[game] } : null;
  }

  subscribe() {
    return 0;
  }

  unsubscribe() {}

  notify() {}

  stop() {}
}
