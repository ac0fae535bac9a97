// Review mode: searches a whole game, shows its curve and mistakes, and offers puzzles.
import { html } from 'wabe/vendor/lit-html/lit-html.js';
import { Curve } from 'wabe/curve.js';
import { exportGame } from 'wabe/dialogs.js';
import { download, gameFileName } from 'wabe/files.js';
import { percent, t, tn } from 'wabe/i18n.js';
import { engineSection } from 'wabe/lines.js';
import { collectMistakes, mistakesOf } from 'wabe/mistakes.js';
import { moveList, nodeTools } from 'wabe/movelist.js';
import { adviseMove, describeMove, describeProgress, describeState, describeValue, moveNumber, readMove, shortMove, sideName, stackAt } from 'wabe/moves.js';
import { openBox } from 'wabe/open.js';
import { paintOf } from 'wabe/pieces.js';
import { describeError, describeProblem } from 'wabe/problems.js';
import { select } from 'wabe/select.js';
import { change, settings } from 'wabe/settings.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./types.js').ReviewedMove} ReviewedMove */

/** Iterations per position. */
const EFFORTS = [500, 2000, 10_000, 50_000];
/** The `format` of saved reviews. */
export const REVIEW_FORMAT = 'wabe-review';

export class Review {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {{key: number, done: number, all: number} | null} */
    this.running = null;
    this.curve = new Curve(() => app.refresh());
    this.problem = '';
    /** The node at which the better move is shown instead of the move of the game.
     * @type {{key: number, node: number} | null} */
    this.shown = null;
    /** The node that was shown when the last review finished.
     * @type {{key: number, node: number} | null} */
    this.finished = null;
  }

  /** Shows the review of the game on the table, and starts it if necessary. */
  async begin() {
    this.app.go('review');
    this.shown = null;
    if (!this.app.table.review && !this.running) await this.start();
  }

  async start() {
    const { app } = this;
    const { table } = app;
    const { tree, key } = table;
    if (!tree || this.running) return;
    const line = tree.line(tree.end());
    if (line.moves.length === 0) return;
    if (table.isRunning && table.clock) {
      // The clock keeps running, and a review would end the search for wabe’s move.
      if (app.play.thinkingAt !== 0) {
        app.toast(t('analysis.waiting'));
        return;
      }
    } else {
      app.play.halt();
    }
    const nodes = settings.reviewNodes;
    this.running = { key, done: 0, all: line.moves.length + 1 };
    app.analysis.changed();
    this.problem = '';
    app.refresh();
    try {
      const reply = await app.connection.ask('review', { line, nodes }, ({ done, all }) => {
        this.running = { key, done, all };
        app.refresh();
      });
      if (table.key === key && reply.plies?.length > 0) {
        table.review = { line, nodes, plies: reply.plies };
        app.library.changed();
        await collectMistakes(app);
        this.finished = { key, node: table.tree?.current.id ?? 0 };
        app.announce(t('review.done'));
      }
    } catch (error) {
      this.problem = describeError(error);
    }
    this.running = null;
    app.analysis.changed();
    app.refresh();
  }

  stop() {
    if (this.running) this.app.connection.stop();
  }

  /** True if the review still matches the main line. */
  isCurrent() {
    const { tree, review } = this.app.table;
    if (!tree || !review) return false;
    const moves = tree.mainline().slice(1).map((node) => node.move);
    return review.plies.every((ply, i) => moves[i] === ply.text);
  }

  /** Saves a file that opens the review on this board. */
  save() {
    const { table } = this.app;
    if (!table.review) return;
    const text = JSON.stringify({ format: REVIEW_FORMAT, version: 1, engine: this.app.welcome?.engine, names: [table.playerName(0), table.playerName(1)], ...table.review }, null, 1);
    download(gameFileName(table, 'review.json'), text, 'application/json');
  }

  /** The reviewed move: before the shown position, or after it while a better move is shown. */
  #remarked() {
    const { tree, review } = this.app.table;
    if (!tree || !review || !tree.isMainline(tree.current)) return null;
    const { ply } = tree.current;
    return review.plies[this.#isShown() ? ply : ply - 1] ?? null;
  }

  #isShown() {
    const { tree, key } = this.app.table;
    return this.shown?.key === key && this.shown.node === tree?.current.id;
  }

  /** The better alternative to the reviewed move.
   * @returns {import('./board.js').Arrow[]} */
  arrows() {
    const { app } = this;
    const { table } = app;
    const { tree, view } = table;
    const ply = this.#remarked();
    const node = this.#isShown() ? tree?.current : tree?.current.parent;
    const before = node ? table.known.get(node.id)?.view : null;
    const move = ply?.better && before ? readMove(before, ply.better) : null;
    if (!ply || !tree || !before || !view || !move?.to || (!settings.arrows && !this.#isShown())) return [];
    // The move of the game put a piece on the target, which an arrow would cover.
    const height = (/** @type {import('./types.js').View} */ at) => stackAt(at, move.to)?.pieces.length ?? 0;
    if (height(view) > height(before)) return [];
    // The engine's arrows show moves in this position, the review's a move before it.
    if (app.analysis.on && !this.#isShown()) return [];
    return [{ move, side: table.sideOf(ply.ply), rank: 0, kind: 'better' }];
  }

  // --- the panel ---

  panel() {
    const { app } = this;
    const { table } = app;
    const { tree, info } = table;
    const review = table.review;
    if (!tree || !info || !table.view) return openBox(app);
    if (app.recorded && !(review && this.isCurrent())) return html`${this.#facts()}${moveList(app)}`;
    const { running } = this;
    const result = review && this.isCurrent() ? review.plies : null;
    const summary = result ? html`<section class="review" data-section="engine" aria-label=${t('review.summary')}>${this.#summary(result)}</section>` : '';
    // Until the user steps, the result of a review is more important than the moves.
    const isFirst = this.finished?.key === table.key && this.finished.node === tree.current.id;
    return html`
      ${app.recorded ? this.#facts() : ''}
      <section class="review" data-section="engine" aria-label=${t('nav.review')}>
        ${result ? this.#course(result) : running ? '' : this.#offer()}
        ${running ? html`<div class="progress-box"><label>${t('review.running', { done: running.done, all: running.all })}
            <progress max=${running.all} .value=${running.done}></progress></label>
            <button type="button" @click=${() => this.stop()}>${t('review.stop')}</button></div>` : ''}
        ${this.problem ? html`<p class="error" role="alert">${this.problem}</p>` : ''}
      </section>
      ${isFirst ? summary : ''}
      ${app.analysis.isAvailable('review') ? engineSection(app.analysis) : ''}
      ${moveList(app)}
      ${app.recorded ? '' : nodeTools(app)}
      ${isFirst ? '' : summary}`;
  }

  /** State, time and comment of the shown position, for offline pages. */
  #facts() {
    const { app } = this;
    const { table } = app;
    const info = /** @type {import('./types.js').GameInfo} */ (table.info);
    const view = /** @type {import('./types.js').View} */ (table.view);
    const remark = app.remark();
    const { tree } = table;
    // After the last move, the round in the view is the one that would follow.
    const progress = tree && table.endingAt() ? tn('end.rounds', moveNumber(table.root, tree.current.ply)) : describeProgress(view);
    return html`<section class="status" data-section="engine">
      <p class="state">${describeState(info, view, table.endingAt())}</p>
      <p class="quiet">${progress}${app.timeOf(table.tree?.current) ? ` · ${app.timeOf(table.tree?.current)}` : ''}</p>
      ${table.damage ? html`<p class="callout bad">${t('open.damaged', { damage: describeProblem(table.damage) })}</p>` : ''}
      ${remark ? html`<p class="callout comment">${remark}</p>` : ''}
    </section>`;
  }

  #offer() {
    const { app } = this;
    const moves = app.table.tree?.end().ply ?? 0;
    return html`<div class="offer">
      <h2>${t('nav.review')}</h2>
      <p class="quiet">${moves === 0 ? t('review.empty') : t('review.offer')}</p>
      ${this.#effort()}
      <div class="buttons"><button type="button" class="primary" ?disabled=${moves === 0} @click=${() => this.start()}>${t('review.start')}</button>
      <button type="button" @click=${() => app.openDialog('open')}>${t('review.other')}</button></div>
    </div>`;
  }

  #effort() {
    return html`<label><span>${t('review.effort')}</span>${
      select(settings.reviewNodes, EFFORTS.map((n, i) => [n, t(`review.effort.${i}`)]), (reviewNodes) => change({ reviewNodes }), t('review.effort'))}</label>`;
  }

  /**
   * The curve and the verdict on the shown move.
   * @param {ReviewedMove[]} plies
   */
  #course(plies) {
    return html`${this.curve.view(this.app.table, plies)}${this.#remark()}`;
  }

  /**
   * What each side lost, and what to do with the review.
   * @param {ReviewedMove[]} plies
   */
  #summary(plies) {
    const { app } = this;
    const { table } = app;
    const info = /** @type {import('./types.js').GameInfo} */ (table.info);
    const tree = /** @type {import('./tree.js').Tree} */ (table.tree);
    const nodes = tree.mainline();
    const movesOf = (/** @type {number} */ side) => plies.filter((ply) => table.sideOf(ply.ply) === side);
    const marks = /** @type {const} */ (['inaccuracy', 'mistake', 'blunder']);
    const jump = (/** @type {number} */ side, /** @type {string} */ mark) => {
      const own = movesOf(side).filter((ply) => ply.mark === mark);
      if (own.length === 0) return;
      const next = own.find((ply) => ply.ply > tree.current.ply) ?? own[0];
      table.goTo(nodes[next.ply]);
      // The verdict on the move stands above.
      document.querySelector('.panel')?.scrollTo({ top: 0 });
    };
    const meanLoss = (/** @type {number} */ side) => {
      const own = movesOf(side);
      return own.length === 0 ? 0 : own.reduce((sum, ply) => sum + Math.max(0, ply.loss), 0) / own.length;
    };
    // The formula of lichess (scalachess, AccuracyPercent), with the mean of all moves.
    const accuracy = (/** @type {number} */ side) => {
      const own = movesOf(side);
      const ofMove = (/** @type {number} */ loss) => Math.max(0, 1.031668 * Math.exp(-4.354 * loss) - 0.031669);
      return own.length === 0 ? 0 : own.reduce((sum, ply) => sum + ofMove(Math.max(0, ply.loss)), 0) / own.length;
    };
    return html`
      <table class="summary">
        <thead><tr><td></td>${[0, 1].map((side) => html`<th scope="col"><span class="chip side${side} ${paintOf(info)}"></span>${table.playerName(side) || sideName(info, side)}</th>`)}</tr></thead>
        <tbody>
          ${marks.map((mark) => html`<tr class="mark-${mark}"><th scope="row"><i class="mark-dot"></i>${t(`mark.${mark}.many`)}</th>
            ${[0, 1].map((side) => {
              const count = movesOf(side).filter((ply) => ply.mark === mark).length;
              return html`<td>${count === 0 ? '0' : html`<button type="button" class="link" aria-label=${t('review.jump', { marks: tn(`marks.${mark}`, count), side: sideName(info, side) })} @click=${() => jump(side, mark)}>${count}</button>`}</td>`;
            })}</tr>`)}
          <tr><th scope="row">${t('review.accuracy')} <button type="button" class="help-button" popovertarget="accuracy-help" aria-label=${t('review.accuracyHelp')} title=${t('review.accuracyHelp')}>?</button></th>${[0, 1].map((side) => html`<td>${percent(accuracy(side))}</td>`)}</tr>
          <tr><th scope="row">${t('review.loss')}</th>${[0, 1].map((side) => html`<td>${percent(meanLoss(side), 1)}</td>`)}</tr>
        </tbody>
      </table>
      <div id="accuracy-help" class="popover" popover><h3>${t('review.accuracy')}</h3><p>${t('review.accuracyFormula')}</p>
        <h3>${t('review.loss')}</h3><p>${t('review.lossFormula')}</p><p class="quiet">${t('review.accuracyNote')}</p></div>
      <div class="buttons learn-row" ?hidden=${!!app.recorded}>
        ${app.recorded || [0, 1].every((side) => mistakesOf(app, side).length === 0) ? '' : html`<span>${t('review.learn')}</span>`}
        ${[0, 1].map((side) => {
          const count = mistakesOf(app, side).length;
          return count === 0 || app.recorded ? '' : html`<button type="button" data-testid="learn" aria-label=${t('review.learnOf', { side: sideName(info, side), n: count })} @click=${() => app.puzzles.learn(side)}><i class="chip side${side} ${paintOf(info)}"></i>${sideName(info, side)} (${count})</button>`;
        })}
      </div>
      ${app.recorded ? '' : html`<div class="again">${this.running ? '' : html`${this.#effort()}<button type="button" @click=${() => this.start()}>${t('review.again')}</button>`}</div>
        <div class="buttons learn-row"><span>${t('review.save')}</span>
          <button type="button" title=${t('review.fileHelp')} @click=${() => this.save()}>${t('review.file')}<small>.json</small></button>
          ${info.forms.includes('html') ? html`<button type="button" title=${t('form.html')} @click=${() => exportGame(app, 'html')}>${t('review.page')}<small>.html</small></button>` : ''}</div>`}`;
  }

  /** What the review says about the current move. */
  #remark() {
    const { app } = this;
    const { table } = app;
    const { tree, info } = table;
    const ply = this.#remarked();
    if (!tree || !info || !ply) return html`<div class="remark none"><p class="quiet">${t('review.noRemark')}</p></div>`;
    const isShown = this.#isShown();
    const nodes = tree.mainline();
    const [before, node] = [nodes[ply.ply - 1], nodes[ply.ply]];
    const view = table.known.get(before.id)?.view;
    const describe = (/** @type {string} */ text, /** @type {typeof describeMove} */ how) => {
      const move = view ? readMove(view, text) : null;
      return view && move ? how(info, view, move, table.flipped) : shortMove(text);
    };
    return html`<div class="remark mark-${ply.mark}">
      <p><i class="mark-dot"></i><strong>${t(`mark.${ply.mark}`)}</strong>&nbsp;· ${ply.loss >= 0.01 ? html`<span class="nowrap">${sideName(info, table.sideOf(node.ply))} −${percent(ply.loss)}</span>&nbsp;· ` : ''}${
        isShown ? describe(ply.text, describeMove) : describeValue(info, ply.after)}${app.timeOf(node) ? html`<span class="quiet">&nbsp;· <span class="nowrap">${app.timeOf(node)}</span></span>` : ''}</p>
      ${ply.better ? html`<p class="quiet">${t('review.better', { move: describe(ply.better, adviseMove) })}
        <button type="button" class="link" @click=${() => {
          this.shown = isShown ? null : { key: table.key, node: before.id };
          table.goTo(isShown ? node : before);
        }}>${t(isShown ? 'review.hideBetter' : 'review.showBetter')}</button></p>` : ''}
    </div>`;
  }
}
