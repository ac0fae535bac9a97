// Play mode: turns, engine moves, takebacks, hints, draws, resignation and the end of the game.
import { html } from './vendor/lit-html/lit-html.js';
import { shareOfClock } from './clock.js';
import { percent, t, tn } from './i18n.js';
import { icon, iconButton } from './icons.js';
import { moveList } from './movelist.js';
import { adviseMove, capitalize, describeEnding, describeMove, describeProgress, describeReason, describeResult, describeState, describeValue, sideName } from './moves.js';
import { settings } from './settings.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./types.js').MoveView} MoveView */

/** Search time for a hint, in ms. */
const HINT_MS = 1000;
/** Iterations of the search that evaluates a draw offer. */
const DRAW_NODES = 1000;
/** Minimum reply time of levels with a node limit, in ms, so that people can follow. */
const MIN_REPLY_MS = 280;

export class Play {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** The id of the node that the engine is searching; 0 if none. */
    this.thinkingAt = 0;
    /** Incremented on every search, to ignore late answers. */
    this.ticket = 0;
    /** @type {{move: MoveView, side: number, at: number} | null} */
    this.hint = null;
    this.note = '';
    /** The question to be answered.
     * @type {'draw' | 'resign' | ''} */
    this.question = '';
    this.paused = false;
    /** The ply at which a draw was declined. */
    this.declinedAt = -1;
    /** The last position of the game, and when it arose in this page. */
    this.turn = { node: 0, since: 0 };
    window.setInterval(() => {
      if (this.app.mode === 'play' && this.app.table.clock?.running !== null && this.app.table.clock) this.app.refresh();
    }, 100);
  }

  /** Resets the state for a new game. */
  begin() {
    this.note = '';
    this.turn = { node: 0, since: 0 };
    this.paused = false;
    this.declinedAt = -1;
  }

  get #live() {
    return this.app.table.tree?.end();
  }

  /** True if the game has ended: by the rules, on time, by resignation or agreement. */
  isOver() {
    return this.#ending() !== null;
  }

  #ending() {
    const { table } = this.app;
    return table.ended?.ending ?? table.endingAt(this.#live);
  }

  /** True if the user may move now. */
  mayMove() {
    const { table } = this.app;
    const side = table.view?.to_move;
    if (!table.tree || !table.seats || !table.isSettled || this.isOver() || table.tree.current !== this.#live) return false;
    return side !== null && side !== undefined && table.seats[side].kind === 'person';
  }

  /** The user's side; `null` unless exactly one player is a person. */
  #personSide() {
    const seats = this.app.table.seats;
    const persons = [0, 1].filter((side) => seats?.[side].kind === 'person');
    return persons.length === 1 ? persons[0] : null;
  }

  #areEngines() {
    return this.app.table.seats?.every((seat) => seat.kind !== 'person') ?? false;
  }

  /** Continues the game: checks for its end, starts the clock, requests an engine's move. */
  async step() {
    const { app } = this;
    const { table } = app;
    const live = this.#live;
    if (app.mode !== 'play' || !table.tree || !table.seats || !live) {
      this.halt();
      return;
    }
    const { key } = table;
    const { view } = await table.shown(live);
    if (table.key !== key || this.#live !== live || app.mode !== 'play') return;
    if (this.isOver() || view.to_move === null) {
      this.halt();
      app.refresh();
      return;
    }
    const side = view.to_move;
    const seat = table.seats[side];
    if (this.turn.node !== live.id) this.turn = { node: live.id, since: performance.now() };
    if (this.paused && seat.kind !== 'person') return;
    if (table.clock) {
      table.clock.onflag = (loser) => this.#end({ reason: 'time', winner: 1 - loser });
      if (live.ply > 0 || seat.kind !== 'person') table.clock.start(side);
    }
    if (seat.kind === 'person' || this.thinkingAt === live.id) return;
    this.thinkingAt = live.id;
    this.ticket += 1;
    const { ticket } = this;
    app.refresh();
    const maxNodes = seat.kind === 'wabe' ? app.welcome?.levels[seat.level - 1] ?? null : null;
    const timeMs = table.clock && table.control?.kind === 'clock'
      ? shareOfClock(table.clock.left(side), table.control.incrementMs)
      : table.control?.kind === 'none' ? table.control.moveMs : 1000;
    const startedAt = performance.now();
    let found;
    try {
      const line = table.tree.line(live);
      found = seat.kind === 'program'
        ? await app.connection.ask('consult', { line, program: seat.program, time_ms: timeMs })
        : await app.connection.ask('search', {
            line,
            effort: { time_ms: timeMs, level: seat.level, lines: 0, threads: settings.threads, memory_mib: settings.memory },
          });
    } catch (error) {
      // A stopped program reports an error instead of a move, which is ignored.
      if (this.ticket !== ticket) return;
      this.halt();
      this.paused = true;
      app.fail(error);
      return;
    }
    if (maxNodes !== null && (!app.reducedMotion || this.#areEngines())) await pause(MIN_REPLY_MS - (performance.now() - startedAt));
    if (this.ticket !== ticket || this.#live !== live) return;
    this.thinkingAt = 0;
    if (!found.move) {
      this.paused = true;
      app.refresh();
      return;
    }
    const before = table.known.get(live.id)?.view ?? view;
    const mv = before.moves.find((one) => one.text === found.move);
    table.clock?.press(side);
    this.#recordTime();
    if (table.tree.current === live) {
      await table.play(found.move);
    } else {
      // The user is looking at an earlier position, which stays on the board.
      await table.shown(table.tree.append(found.move));
      app.positionChanged();
    }
    if (mv && table.info) this.#announceMove(describeMove(table.info, before, mv));
  }

  /** Records the time of the move about to be played. */
  #recordTime() {
    const { times } = this.app.table;
    const live = this.#live;
    if (live && this.turn.node === live.id) times.push([live.ply + 1, Math.round(performance.now() - this.turn.since)]);
  }

  /**
   * Announces a move, and the ending if it ended the game.
   * @param {string} move description
   */
  #announceMove(move) {
    const ending = this.#ending();
    const { info } = this.app.table;
    this.app.announce(ending && info ? `${move}. ${describeEnding(info, ending)}` : move);
  }

  /** Stops the engine and the clocks. */
  halt() {
    this.app.table.clock?.stop();
    if (this.thinkingAt === 0) return;
    this.ticket += 1;
    this.thinkingAt = 0;
    this.app.connection.stop();
  }

  /** Call after every change of the shown position. */
  changed() {
    if (this.hint && this.hint.at !== this.app.table.tree?.current.id) this.hint = null;
    this.question = '';
    this.step();
  }

  /**
   * Plays the user's move.
   * @param {MoveView} move
   */
  async move(move) {
    const { table } = this.app;
    if (!this.mayMove() || !table.view || !table.info) return;
    const side = table.view.to_move ?? 0;
    this.note = '';
    const description = describeMove(table.info, table.view, move);
    table.clock?.press(side);
    this.#recordTime();
    await table.play(move.text);
    this.#announceMove(description);
  }

  /** @param {import('./types.js').Ending} ending */
  #end(ending) {
    const { app } = this;
    app.table.ended = { ply: this.#live?.ply ?? 0, ending };
    this.halt();
    this.question = '';
    this.note = '';
    app.table.save();
    if (app.table.info) app.announce(describeEnding(app.table.info, ending));
    app.refresh();
  }

  /** Takes back to the user's last turn, or one ply unless exactly one person plays. */
  async takeBack() {
    const { table } = this.app;
    const live = this.#live;
    if (!table.tree || !table.seats || !live?.parent) return;
    const person = this.#personSide();
    this.halt();
    // A game between engines stays paused, because they would only repeat the move.
    if (!this.#areEngines()) this.paused = false;
    table.ended = null;
    this.note = '';
    let to = live.parent;
    if (person !== null) {
      // Find the last position with the user to move.
      for (;;) {
        const { view } = await table.shown(to);
        if (view.to_move === person || !to.parent) break;
        to = to.parent;
      }
    }
    for (const child of [...to.children]) table.tree.remove(child);
    table.times = table.times.filter(([ply]) => ply <= to.ply);
    await table.goTo(to);
    this.app.announce(t('play.takenBack'));
  }

  async askHint() {
    const { app } = this;
    const { table } = app;
    if (!this.mayMove() || !table.tree || !table.view || !table.info) return;
    const node = table.tree.current;
    const view = table.view;
    this.note = t('play.hintSearching');
    app.refresh();
    try {
      const found = await app.connection.ask('search', {
        line: table.tree.line(),
        effort: { time_ms: HINT_MS, lines: 1, threads: settings.threads, memory_mib: settings.memory },
      });
      if (table.tree.current !== node) return;
      const move = view.moves.find((one) => one.text === found.move);
      if (!move) return;
      const value = found.findings.lines[0]?.value;
      const advice = adviseMove(table.info, view, move);
      this.hint = { move, side: view.to_move ?? 0, at: node.id };
      this.note = value ? t('play.hintValue', { move: advice, value: this.#hintValue(value) }) : t('play.hint', { move: advice });
      app.announce(this.note);
    } catch (error) {
      this.note = '';
      app.fail(error);
    }
    app.refresh();
  }

  /**
   * The value of a hint: the user's chances. If two people play, the chances of a side.
   * @param {import('./types.js').ValueView} value
   */
  #hintValue(value) {
    const person = this.#personSide();
    const info = /** @type {import('./types.js').GameInfo} */ (this.app.table.info);
    if (person === null || value.proven) return describeValue(info, value);
    return t('play.yourChances', { share: percent(person === 0 ? value.score : 1 - value.score) });
  }

  async offerDraw() {
    const { app } = this;
    const { table } = app;
    const live = this.#live;
    if (!table.tree || !table.seats || !live || this.isOver()) return;
    const person = this.#personSide();
    if (person === null) {
      this.question = 'draw';
      app.refresh();
      return;
    }
    const engine = 1 - person;
    const ply = live.ply;
    this.halt();
    this.note = t('play.drawThinking');
    app.refresh();
    try {
      const found = await app.connection.ask('search', { line: table.tree.line(live), effort: { nodes: DRAW_NODES, lines: 1 } });
      if (this.#live !== live) return;
      const score = found.findings.lines[0]?.value.score ?? 0.5;
      const expected = engine === 0 ? score : 1 - score;
      if (expected <= 0.5) {
        this.#end({ reason: 'agreement', winner: null });
        return;
      }
      this.declinedAt = ply;
      this.note = t('play.drawDeclined');
      app.announce(this.note);
    } catch (error) {
      this.note = '';
      app.fail(error);
    }
    app.refresh();
    this.step();
  }

  /** The side that offers a draw or resigns: the user. If two people play, the side to move. */
  #actor() {
    return this.#personSide() ?? this.app.table.known.get(this.#live?.id ?? 0)?.view.to_move ?? 0;
  }

  /** @param {MouseEvent} event */
  #resign(event) {
    // A double click must not confirm immediately.
    if (event.detail > 1) return;
    if (this.question === 'resign') {
      this.#end({ reason: 'resignation', winner: 1 - this.#actor() });
      return;
    }
    this.question = 'resign';
    this.app.refresh();
  }

  /**
   * Asks the other person to accept a draw.
   * @param {import('./types.js').GameInfo} info
   */
  #drawQuestion(info) {
    return html`<div class="callout" role="group" aria-label=${t('play.draw')}>
      <p>${t('play.drawOffered', { side: sideName(info, this.#actor()), other: sideName(info, 1 - this.#actor()) })}</p>
      <div class="buttons"><button type="button" class="primary" @click=${() => this.#end({ reason: 'agreement', winner: null })}>${t('play.drawAccept')}</button>
        <button type="button" @click=${() => {
          this.question = '';
          this.app.refresh();
        }}>${t('play.drawDecline')}</button></div></div>`;
  }

  // --- the panel ---

  panel() {
    const { app } = this;
    const { table } = app;
    const { info, view, tree } = table;
    if (!info || !view || !tree || !table.seats) {
      return html`<section class="card center"><p>${t('play.nothing')}</p>
        <button type="button" class="primary" @click=${() => app.go('start')}>${t('start.new')}</button></section>`;
    }
    const live = this.#live;
    const liveView = live ? table.known.get(live.id)?.view ?? view : view;
    const ending = this.#ending();
    const thinking = this.thinkingAt !== 0;
    const areEngines = this.#areEngines();
    const hasEngine = table.seats.some((seat) => seat.kind !== 'person');
    const hasProgram = table.seats.some((seat) => seat.kind === 'program');
    const isBehind = tree.current !== live;
    const side = sideName(info, liveView.to_move ?? 0);
    const state = thinking ? t('play.thinking', { side, who: this.#thinker(liveView.to_move ?? 0) })
      : this.paused && !this.mayMove() ? t('play.pausedNote')
      : this.mayMove() && hasEngine ? t('play.yourTurn', { side })
      : describeState(info, liveView);
    return html`
      <section class="status" data-section="game">
        ${ending ? this.#endCard(ending) : html`
          <p class="state" data-testid="state">${state}</p>
          <p class="quiet">${describeProgress(liveView)}${thinking ? html`<span class="dots-busy" aria-hidden="true"><i></i><i></i><i></i></span>` : ''}</p>`}
        ${this.mayMove() ? passCallout(app, t('play.mustPass')) : ''}
        ${view.last && !view.last.to && !ending ? html`<p class="callout quiet">${t('play.passed', { side: sideName(info, (view.to_move ?? 0) === 0 ? 1 : 0) })}</p>` : ''}
        ${isBehind && !ending ? html`<button type="button" class="wide" @click=${() => table.goTo(live)}>${t('play.backToGame')}</button>` : ''}
        ${this.question === 'draw' && !ending ? this.#drawQuestion(info) : ''}
        ${this.note ? html`<p class="callout">${this.note}</p>` : ''}
      </section>
      ${moveList(app)}
      ${this.mayMove() ? typedMove(app) : ''}
      <section class="actions" aria-label=${t('play.actions')} data-section="game">
        ${areEngines && (!this.paused || ending) ? '' : iconButton('back', t('play.takeBack'), () => this.takeBack(), { text: true, disabled: !live?.parent || table.ended?.ending.reason === 'time' })}
        ${areEngines ? '' : html`
          ${iconButton('hint', t('play.hintButton'), () => this.askHint(), { text: true, disabled: !this.mayMove() })}
          ${iconButton('draw', t('play.draw'), () => this.offerDraw(), { text: true, disabled: !!ending || hasProgram || this.question === 'draw' || this.declinedAt === live?.ply })}
          ${iconButton('flag', this.question === 'resign' ? t('play.resignSure') : t('play.resign'), (event) => this.#resign(event), { text: true, disabled: !!ending, className: this.question === 'resign' ? 'danger' : '' })}`}
        ${ending || (!areEngines && !this.paused) ? '' : iconButton(this.paused ? 'play' : 'pause', this.paused ? t('play.goOn') : t('play.pause'), () => {
            this.paused = !this.paused;
            if (this.paused) this.halt();
            else this.step();
            app.refresh();
          }, { text: true })}
      </section>`;
  }

  /**
   * A short name for a side's engine.
   * @param {number} side
   */
  #thinker(side) {
    const seat = this.app.table.seats?.[side];
    return seat?.kind === 'program' ? t('play.program') : 'wabe';
  }

  /**
   * The result and its reason, with buttons for what to do next.
   * @param {import('./types.js').Ending} ending
   */
  #endCard(ending) {
    const { app } = this;
    const { table } = app;
    const info = /** @type {import('./types.js').GameInfo} */ (table.info);
    const person = this.#personSide();
    const { winner } = ending;
    const outcome = person === null || winner === null ? describeResult(info, ending) : t(winner === person ? 'end.youWon' : 'end.youLost');
    return html`<div class="end-card">
      <p class="rounds quiet">${tn('end.rounds', Math.ceil((this.#live?.ply ?? 0) / 2))}</p>
      <div data-testid="state"><p class="outcome">${outcome}</p><p>${capitalize(describeReason(info, ending))}.</p></div>
      <div class="buttons">
        <button type="button" class="primary" @click=${() => app.review.begin()}>${t('end.review')}</button>
        <button type="button" @click=${() => app.rematch()}>${t('end.rematch')}</button>
        <button type="button" @click=${() => app.go('start')}>${t('start.new')}</button>
      </div></div>`;
  }
}

/**
 * The pass button, shown if passing is the only legal move.
 * @param {App} app
 * @param {string} text explanation
 */
export function passCallout(app, text) {
  const moves = app.table.view?.moves ?? [];
  if (moves.length !== 1 || moves[0].to) return '';
  return html`<div class="callout" data-section="engine"><p>${text}</p>
    <button type="button" class="primary" data-testid="pass" @click=${() => app.boardMove(moves[0])}>${t('play.pass')}</button></div>`;
}

/**
 * The input field for typed moves.
 * @param {App} app
 */
export function typedMove(app) {
  const { view } = app.table;
  if (!view || view.moves.length === 0) return '';
  const submit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.currentTarget);
    const input = /** @type {HTMLInputElement} */ (form.elements.namedItem('typed'));
    app.typeMove(input.value).then((isLegal) => {
      if (isLegal) input.value = '';
    });
  };
  return html`<form class="typed" @submit=${submit} data-section="moves">
    <label><span class="visually-hidden">${t('play.typeMove')}</span>
      <input name="typed" list="legal-moves" autocomplete="off" autocapitalize="off" spellcheck="false"
        placeholder=${t('play.typePlaceholder', { example: view.moves[0].text })} aria-invalid=${app.typedWrong ? 'true' : 'false'} @input=${() => app.clearTyped()}></label>
    <datalist id="legal-moves">${view.moves.map((move) => html`<option value=${move.text}></option>`)}</datalist>
    <button type="submit" aria-label=${t('play.typeGo')} title=${t('play.typeGo')}>${icon('check')}</button>
    ${app.typedWrong ? html`<p class="error" role="alert">${app.typedWrong}</p>` : ''}
  </form>`;
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}
