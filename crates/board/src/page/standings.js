// The state of an arena run: tables and charts.
import { html } from 'wabe/vendor/lit-html/lit-html.js';
import { Chart, roundNumbers } from 'wabe/chart.js';
import { number, percent, shortNumber, t, tn } from 'wabe/i18n.js';
import { sideName } from 'wabe/moves.js';
import { select } from 'wabe/select.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./types.js').Standings} Run */
/** @typedef {import('./types.js').Pairing} Pairing */
/** @typedef {import('./types.js').Estimate} Estimate */

/** With more engines, a column per engine would be too wide. */
const MAX_COLUMNS = 6;

/** Width of a bar in the histogram of times, in decades. */
const BAR_WIDTH = 0.05;

export class Standings {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** The pairing that is shown. @type {[number, number] | null} */
    this.pairing = null;
    const refresh = () => app.refresh();
    this.charts = { score: new Chart(refresh), ratio: new Chart(refresh), times: new Chart(refresh) };
  }

  /** @param {Run} run */
  view(run) {
    const pairing = run.pairings.find(({ engines }) => engines.join() === this.pairing?.join()) ?? run.pairings[0];
    return html`<section class="standings" aria-label=${t('watch.standings')}>
      <h3>${t('watch.standings')}</h3>
      ${this.#progress(run)}
      ${this.#table(run)}
      ${run.ratings.some((list) => list.is_regularised) ? html`<p class="quiet">${t('run.unrated')}</p>` : ''}
      ${pairing ? this.#pairing(run, pairing) : ''}
      ${run.sprt && run.sprt.history.length > 0 ? this.#test(run.sprt) : ''}
      ${run.games > 0 ? html`<details ?open=${!!this.app.recorded}><summary>${t('run.details')}</summary>
        ${pairing ? this.#facts(run, pairing) : ''}
        ${this.#speeds(run)}
        ${this.#endings(run)}
        ${this.#times(run)}</details>` : ''}
    </section>`;
  }

  /** @param {Run} run */
  #progress(run) {
    const facts = [
      t('run.moveTime', { n: number(run.move_time_ms) }),
      run.opening_plies === null ? t('run.listed') : tn('run.plies', run.opening_plies),
      run.max_plies === null ? '' : t('run.maxPlies', { n: number(run.max_plies) }),
    ];
    const { games, planned } = run;
    return html`<p class="quiet">${planned === null ? tn('common.games', games) : t('run.progress', { done: number(games / 2), all: number(planned / 2) })} · ${facts.filter(Boolean).join(' · ')}</p>
      ${planned !== null && games < planned && !this.app.recorded ? html`<progress max=${planned} .value=${games} aria-label=${t('watch.standings')}></progress>` : ''}`;
  }

  /**
   * One row per engine. More than two engines are sorted by rating, and meet in further columns.
   * @param {Run} run
   */
  #table(run) {
    const { engines, pairings } = run;
    const rated = run.ratings.flatMap((list) => list.engines);
    const [duel] = pairings;
    /** @type {[number, Estimate | null][]} */
    const rows = engines.length === 2
      ? [[0, duel ? eloOf(duel.score) : null], [1, duel ? opposite(eloOf(duel.score)) : null]]
      : [...rated, ...engines.map((_, i) => /** @type {[number, null]} */ ([i, null])).filter(([i]) => !rated.some(([one]) => one === i))];
    const meets = engines.length > 2;
    const points = (/** @type {number} */ one, /** @type {number} */ other) => {
      const met = pairings.find(({ engines: [a, b] }) => (a === one && b === other) || (a === other && b === one));
      if (!met) return '';
      const { wins, draws, losses } = met.games;
      return `${number((met.engines[0] === one ? wins : losses) + draws / 2, draws % 2)}/${number(wins + draws + losses)}`;
    };
    const head = [t('run.engine'), t(meets ? 'run.elo' : 'run.difference'), t('run.score'), t('common.games'), t('run.won'), t('run.drawn'), t('run.lost')];
    return table(t('watch.standings'), [...head, ...(meets ? rows.map((_, i) => `${i + 1}`) : [])], rows.map(([index, elo], i) => {
      const { name, games: { wins, draws, losses } } = engines[index];
      const games = wins + draws + losses;
      return [
        html`<span title=${name}>${meets ? html`<span class="quiet">${i + 1}</span> ` : ''}${name}</span>`, elo ? interval(elo) : '–', games > 0 ? percent((wins + draws / 2) / games, 1) : '–',
        ...[games, wins, draws, losses].map((n) => number(n)), ...(meets ? rows.map(([other]) => points(index, other)) : []),
      ];
    }));
  }

  /**
   * The score of a pairing after each pair.
   * @param {Run} run
   * @param {Pairing} pairing
   */
  #pairing(run, pairing) {
    const { history } = pairing;
    const choose = (/** @type {number} */ i) => {
      this.pairing = run.pairings[i].engines;
      this.app.refresh();
    };
    // The first intervals would fill the chart.
    const settled = history.slice(Math.floor(history.length / 4));
    // Lines at 0% and 100% need some space.
    const low = Math.max(-0.02, Math.min(0.45, ...settled.map((point) => point[2])) - 0.02);
    const high = Math.min(1.02, Math.max(0.55, ...settled.map((point) => point[3])) + 0.02);
    const elos = roundNumbers([eloAt(Math.max(low, 0.01)), eloAt(Math.min(high, 0.99))], 4);
    const last = history[history.length - 1][0];
    return html`${run.pairings.length > 1 ? html`<label class="field">${t('run.pairing')}${
      select(run.pairings.indexOf(pairing), run.pairings.map((one, i) => [i, names(run, one)]), choose)}</label>` : ''}
      ${this.charts.score.view({
        title: t('run.scoreOf', { pairing: names(run, pairing) }),
        x: [0, Math.max(1, last)], y: [low, high],
        below: pairTicks(last), left: roundNumbers([low, high], 4).map((score) => [score, percent(score)]),
        right: elos.map((elo) => [1 / (1 + 10 ** (-elo / 400)), signed(elo, 0)]),
        unit: t('run.pairs'), marks: [0.5],
        lines: [history.map(([pairs, score]) => [pairs, score])],
        band: history.map(([pairs, , from, to]) => [pairs, from, to]),
        describe: (x) => {
          const [pairs, value, from, to] = closest(history, x);
          const score = { value, low: from, high: to };
          return [pairs, `${tn('run.pairs', pairs)}: ${shares(score)} · Elo ${interval(eloOf(score))}`];
        },
      })}`;
  }

  /** @param {NonNullable<Run['sprt']>} sprt */
  #test({ test, ratio, lower, upper, accepted, history }) {
    const last = history[history.length - 1][0];
    const values = [lower, upper, ...history.map(([, value]) => value)];
    const space = (upper - lower) / 20;
    return html`<p><strong>${t(`run.sprt.${accepted ?? 'open'}`)}</strong> <span class="quiet">LLR ${signed(ratio, 2)} · ${test}</span></p>
      ${this.charts.ratio.view({
        title: t('run.ratio'),
        x: [0, Math.max(1, last)], y: [Math.min(...values) - space, Math.max(...values) + space],
        below: pairTicks(last), left: [[lower, signed(lower, 2)], [0, '0'], [upper, signed(upper, 2)]],
        unit: t('run.pairs'), marks: [lower, upper],
        lines: [history],
        describe: (x) => {
          const [pairs, value] = closest(history, x);
          return [pairs, `${tn('run.pairs', pairs)}: LLR ${signed(value, 2)}`];
        },
      })}`;
  }

  /**
   * @param {Run} run
   * @param {Pairing} pairing
   */
  #facts(run, pairing) {
    const { games, as_first_side: asFirst, pairs, score, normalized_elo: normalized, superiority } = pairing;
    const info = this.app.gameInfo(run.game);
    const counts = (/** @type {import('./types.js').WinDrawLoss} */ { wins, draws, losses }) => `+${number(wins)} =${number(draws)} −${number(losses)}`;
    const asSecond = { wins: games.wins - asFirst.wins, draws: games.draws - asFirst.draws, losses: games.losses - asFirst.losses };
    const side = (/** @type {number} */ one) => t('run.as', { side: info ? sideName(info, one) : one + 1 });
    const rows = [
      [side(0), counts(asFirst)],
      [side(1), counts(asSecond)],
      [t('run.byPoints'), pairs.map((n) => number(n)).join(' · ')],
      [t('run.score'), shares(score)],
      [t('run.difference'), interval(eloOf(score))],
      [t('run.normalized'), normalized ? interval(normalized) : '–'],
      [t('run.superiority'), percent(superiority, 2)],
    ];
    return html`<h3>${names(run, pairing)}</h3>${table(names(run, pairing), [], rows)}`;
  }

  /** @param {Run} run */
  #speeds({ engines }) {
    const faults = (/** @type {Record<string, number>} */ counts) => Object.entries(counts).map(([end, n]) => `${t(`ended.${end}`)} ${number(n)}`).join(', ');
    const ms = (/** @type {number | null} */ time) => (time === null ? '–' : number(time, time < 10 ? 2 : 0));
    return table(t('run.times'), ['run.engine', 'run.mean', 'run.slow', 'run.speed', 'run.faults'].map((name) => t(name)), engines.map((engine) => [
      html`<span title=${engine.name}>${engine.name}</span><br><small class="quiet">${engine.player}</small>`, ms(engine.mean_ms), ms(engine.slow_ms),
      engine.nodes_per_second === null ? '–' : shortNumber(engine.nodes_per_second), faults(engine.faults) || '–',
    ]));
  }

  /** @param {Run} run */
  #endings({ game, engines, ends, games, by_side: [first, draws, second], plies }) {
    const info = this.app.gameInfo(game);
    const columns = engines.length <= MAX_COLUMNS ? engines : [];
    const side = (/** @type {number} */ one) => (info ? sideName(info, one) : one + 1);
    const head = [t('run.endings'), t('common.games'), ...columns.map(({ name }) => t('run.wonBy', { name }))];
    return html`${table(t('run.endings'), head, Object.entries(ends).map(([end, n]) => [t(`ended.${end}`), number(n), ...columns.map(({ wins }) => number(wins[end] ?? 0))]))}
      <p class="quiet">${t('run.bySide', { first: side(0), won: percent(first / games, 1), drawn: percent(draws / games, 1), second: side(1), lost: percent(second / games, 1), plies: number(plies / games, 1) })}</p>`;
  }

  /** @param {Run} run */
  #times({ engines }) {
    const timed = engines.filter(({ times }) => times.length > 0);
    const logs = timed.map(({ times }) => times.map(([ms, n]) => /** @type {[number, number]} */ ([Math.log10(ms), n])));
    const lines = logs.map(outline);
    const [xs, ys] = [0, 1].map((axis) => lines.flatMap((points) => points.map((point) => point[axis])));
    // At least half a decade, so that there is a label.
    const middle = (Math.min(...xs) + Math.max(...xs)) / 2;
    const half = Math.max(0.25, Math.max(...xs) - middle);
    const [from, to] = [middle - half, middle + half];
    const factors = half > 1.25 ? [1] : [1, 2, 5];
    const marks = [-3, -2, -1, 0, 1, 2, 3, 4, 5, 6].flatMap((decade) => factors.map((n) => Math.log10(n) + decade)).filter((log) => log >= from && log <= to);
    const high = 1.05 * Math.max(...ys);
    return timed.length === 0 ? '' : this.charts.times.view({
      title: t('run.times'), x: [from, to], y: [0, high], unit: t('run.ms'), lines, names: timed.map(({ name }) => name),
      below: marks.map((log) => [log, log < 0 ? number(10 ** log, Math.ceil(-log)) : shortNumber(10 ** log)]),
      left: roundNumbers([0, high], 3).map((share) => [share, percent(share, share > 0 && high < 0.03 ? 1 : 0)]),
    });
  }
}

/**
 * @param {Run} run
 * @param {Pairing} pairing
 */
function names({ engines }, { engines: [first, second] }) {
  return `${engines[first].name} – ${engines[second].name}`;
}

/**
 * A table with engines or names in the first column.
 * @param {string} label
 * @param {string[]} head
 * @param {unknown[][]} rows
 */
function table(label, head, rows) {
  return html`<div class="wide" role="region" aria-label=${label} tabindex="0"><table class="summary">
    ${head.length > 0 ? html`<thead><tr>${head.map((name, i) => html`<th scope="col" class=${i === 0 ? 'name' : ''}>${name}</th>`)}</tr></thead>` : ''}
    <tbody>${rows.map(([name, ...cells]) => html`<tr><th scope="row" class="name">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
}

/**
 * A signed number with a typographic minus.
 * @param {number} value
 * @param {number} digits
 */
function signed(value, digits) {
  const text = Number.isFinite(value) ? number(Math.abs(value), digits) : '∞';
  return value > 0 && text !== number(0, digits) ? `+${text}` : value < 0 && text !== number(0, digits) ? `−${text}` : text;
}

/**
 * An Elo difference with its margin, or with its interval if that is not symmetric: `+101 ± 58`,
 * `+338 [+193, +1041]`.
 * @param {Estimate} elo
 */
function interval({ value, low, high }) {
  const margin = (high - low) / 2;
  const digits = margin < 10 ? 1 : 0;
  const [below, above] = [value - low, high - value];
  const isBalanced = Math.max(below, above) <= 1.5 * Math.min(below, above);
  if (Number.isFinite(margin) && isBalanced) return `${signed(value, digits)} ± ${number(margin, digits)}`;
  return `${signed(value, digits)} [${signed(low, digits)}, ${signed(high, digits)}]`;
}

/**
 * A score with its interval: `64.2% [56.6, 71.8]`.
 * @param {Estimate} score
 */
function shares({ value, low, high }) {
  return `${percent(value, 1)} [${number(100 * low, 1)}, ${number(100 * high, 1)}]`;
}

/** @param {number} score from 0 to 1 */
function eloAt(score) {
  return 400 * Math.log10(score / (1 - score));
}

/**
 * @param {Estimate} score
 * @returns {Estimate} as Elo difference
 */
function eloOf({ value, low, high }) {
  return { value: eloAt(value), low: eloAt(low), high: eloAt(high) };
}

/**
 * @param {Estimate} elo
 * @returns {Estimate} for the opponent
 */
function opposite({ value, low, high }) {
  return { value: -value, low: -high, high: -low };
}

/**
 * The point of a history closest to a number of pairs.
 * @template {[number, ...number[]]} T
 * @param {T[]} history
 * @param {number} x
 */
function closest(history, x) {
  return history.reduce((best, point) => (Math.abs(point[0] - x) < Math.abs(best[0] - x) ? point : best));
}

/**
 * @param {number} last number of pairs
 * @returns {[number, string][]}
 */
function pairTicks(last) {
  return roundNumbers([0, last], 4).filter(Number.isInteger).map((pairs) => [pairs, number(pairs)]);
}

/**
 * The outline of a histogram of times, as shares of all moves.
 * @param {[number, number][]} bars logarithm of the left end, and count
 * @returns {[number, number][]}
 */
function outline(bars) {
  const all = bars.reduce((sum, [, n]) => sum + n, 0);
  const [first, last] = [bars[0][0], bars[bars.length - 1][0] + BAR_WIDTH];
  return [[first, 0], ...bars.flatMap(([left, n]) => /** @type {[number, number][]} */ ([[left, n / all], [left + BAR_WIDTH, n / all]])), [last, 0]];
}
