// Play mode: turns, engine moves, takebacks, hints, draws, resignation and the end of the game.
import { shareOfClock } from 'wabe/clock.js';
import { percent, t } from 'wabe/i18n.js';
import { adviseMove, describeEnding, describeMove, describeValue } from 'wabe/moves.js';
import { playPanel } from 'wabe/playpanel.js';
import { Premove } from 'wabe/premove.js';
import { change, settings } from 'wabe/settings.js';
import { playSound } from 'wabe/sound.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./types.js').MoveView} MoveView */

/** Search time for a hint, in ms. */
const HINT_MS = 1000;
/** Iterations of the search that evaluates a draw offer. */
const DRAW_NODES = 1000;
/** Minimum reply time of levels with a node limit, in ms, so that people can follow. */
const MIN_REPLY_MS = 280;
/** Remaining time at which a sound warns the user, in ms. */
const LOW_MS = 10_000;

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
    this.premove = new Premove();
    /** True once a sound has warned the user of the clock. */
    this.warned = false;
    window.setInterval(() => this.#tick(), 100);
  }

  /** Resets the state for a new game. */
  begin() {
    this.note = '';
    this.turn = { node: 0, since: 0 };
    this.paused = false;
    this.declinedAt = -1;
    this.warned = false;
    this.premove.clear();
  }

  /** Returns to the running game, or from variations that were tried out in another view. */
  enter() {
    const { table } = this.app;
    const { live } = this;
    if (table.tree && live && (table.isRunning || !table.tree.path(live).includes(table.tree.current))) table.goTo(live);
  }

  /** Shows the running clock. */
  #tick() {
    const { clock, seats } = this.app.table;
    const side = clock?.running ?? null;
    if (!clock || side === null) return;
    if (!this.warned && seats?.[side].kind === 'person' && clock.left(side) < LOW_MS) {
      this.warned = true;
      playSound('low');
    }
    this.app.refresh();
  }

  /** The last position of the game. Nodes after it were tried out in other views. */
  get live() {
    const { live, tree } = this.app.table;
    return live ?? tree?.end();
  }

  /** True if the game goes on. With a clock it does even while another view is shown. */
  #goesOn() {
    return this.app.mode === 'play' || this.app.table.clock !== null;
  }

  /** True if the game has ended: by the rules, on time, by resignation or agreement. */
  isOver() {
    return this.ending() !== null;
  }

  /** True if the user has stopped the engines, or their match. */
  isPaused() {
    return this.paused || this.app.match.isHeld();
  }

  ending() {
    const { table } = this.app;
    return table.ended?.ending ?? table.endingAt(this.live);
  }

  /** True if the user may move now. */
  mayMove() {
    const { table } = this.app;
    const side = table.view?.to_move;
    if (!table.tree || !table.seats || !table.isSettled || this.isOver() || table.tree.current !== this.live) return false;
    return side !== null && side !== undefined && table.seats[side].kind === 'person';
  }

  /** The user's side; `null` unless exactly one player is a person. */
  personSide() {
    const seats = this.app.table.seats;
    const persons = [0, 1].filter((side) => seats?.[side].kind === 'person');
    return persons.length === 1 ? persons[0] : null;
  }

  areEngines() {
    return this.app.table.seats?.every((seat) => seat.kind !== 'person') ?? false;
  }

  /** Continues the game: checks for its end, starts the clock, requests an engine's move. */
  async step() {
    const { app } = this;
    const { table } = app;
    const live = this.live;
    if (!this.#goesOn() || !table.tree || !table.seats || !live) {
      this.halt();
      return;
    }
    const { key } = table;
    const { view } = await table.shown(live);
    if (table.key !== key || this.live !== live || !this.#goesOn()) return;
    if (this.isOver() || view.to_move === null) {
      this.halt();
      app.match.ended();
      app.refresh();
      return;
    }
    const side = view.to_move;
    const seat = table.seats[side];
    if (this.isPaused() && seat.kind !== 'person') return;
    if (table.clock) {
      table.clock.onflag = (loser) => this.end({ reason: 'time', winner: 1 - loser });
      if (live.ply > 0 || seat.kind !== 'person') table.clock.start(side);
    }
    if (seat.kind === 'person' || this.thinkingAt === live.id) return;
    this.thinkingAt = live.id;
    this.ticket += 1;
    const { ticket } = this;
    // Another search would end this one.
    app.analysis.changed();
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
    if (maxNodes !== null && (!app.reducedMotion || this.areEngines())) await pause(MIN_REPLY_MS - (performance.now() - startedAt));
    if (this.ticket !== ticket || this.live !== live) return;
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
    const follows = app.mode === 'play' && table.tree.current === live;
    table.live = table.tree.extend(live, found.move);
    // Undoing a move that was tried out before would remove it from the game.
    app.edits.history.clear();
    if (follows) {
      await table.goTo(table.live);
    } else {
      // The user is looking at another position or view, which stays.
      await table.shown(table.live);
      app.positionChanged();
      if (app.mode !== 'play' && !this.areEngines()) app.toast(t('play.moved', { who: app.seatName(seat) }), { label: t('play.backToGame'), run: () => app.backToGame() });
    }
    this.#report(mv);
    if (mv && table.info) this.#announceMove(describeMove(table.info, before, mv, table.flipped));
  }

  /**
   * Plays the sound of a move, or of the end of the game, which it counts.
   * @param {MoveView | undefined} move
   */
  #report(move) {
    const ending = this.ending();
    const person = this.personSide();
    if (ending) change({ finishedGames: settings.finishedGames + 1 });
    if (ending) playSound(ending.winner === null ? 'draw' : person === null || ending.winner === person ? 'win' : 'loss');
    else playSound(move?.from ? 'move' : 'place');
  }

  /** Records the time of the move about to be played. */
  #recordTime() {
    const { times } = this.app.table;
    const live = this.live;
    if (live && this.turn.node === live.id) times.push([live.ply + 1, Math.round(performance.now() - this.turn.since)]);
  }

  /**
   * Announces a move, and the ending if it ended the game.
   * @param {string} move description
   */
  #announceMove(move) {
    const ending = this.ending();
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
    const { live } = this;
    const { tree, view } = this.app.table;
    if (live && this.turn.node !== live.id) this.turn = { node: live.id, since: performance.now() };
    if (this.app.mode === 'play' && view && this.mayMove()) {
      const { planned, move } = this.premove.take(view);
      if (move) {
        this.move(move);
        return;
      }
      if (planned) this.note = t('play.premoveIllegal');
    } else if (this.planningSide() === null || tree?.current !== live) {
      this.premove.clear();
    }
    this.step();
  }

  // --- premoves ---

  /** The side that may plan a move: the user's, while the opponent thinks. Otherwise `null`. */
  planningSide() {
    const { mode, table } = this.app;
    const side = this.personSide();
    if (side === null || mode !== 'play' || this.isPaused() || this.isOver() || !table.isSettled || table.tree?.current !== this.live) return null;
    return table.view?.to_move === 1 - side ? side : null;
  }

  /**
   * Plans a move with a piece on the board, or cancels the plan.
   * @param {import('./types.js').Field | null} field
   */
  planField(field) {
    const side = this.planningSide();
    const { view } = this.app.table;
    if (side === null || !view || !field) this.premove.clear();
    else this.premove.chooseField(view, side, field);
    if (this.premove.target) this.app.announce(t('play.premove'));
    this.app.refresh();
  }

  /** Plans to place a piece. @param {string} letter */
  planReserve(letter) {
    if (this.planningSide() !== null) this.premove.chooseReserve(letter);
    this.app.refresh();
  }

  // --- the user's decisions ---

  /**
   * Plays the user's move.
   * @param {MoveView} move
   */
  async move(move) {
    const { table } = this.app;
    const { live } = this;
    if (!this.mayMove() || !table.view || !table.info || !table.tree || !live) return;
    const side = table.view.to_move ?? 0;
    this.note = '';
    const description = describeMove(table.info, table.view, move, table.flipped);
    table.clock?.press(side);
    this.#recordTime();
    table.live = table.tree.extend(live, move.text);
    this.app.edits.history.clear();
    await table.goTo(table.live);
    this.#report(move);
    this.#announceMove(description);
  }

  /** @param {import('./types.js').Ending} ending */
  end(ending) {
    const { app } = this;
    app.table.ended = { ply: this.live?.ply ?? 0, ending };
    this.halt();
    this.question = '';
    this.note = '';
    this.#report(undefined);
    app.library.changed();
    app.match.ended();
    if (app.table.info) app.announce(describeEnding(app.table.info, ending));
    app.refresh();
  }

  /** Takes back to the user's last turn, or one ply unless exactly one person plays. */
  async takeBack() {
    const { table } = this.app;
    const live = this.live;
    if (!table.tree || !table.seats || !live?.parent) return;
    const person = this.personSide();
    this.halt();
    // A game between engines stays paused, because they would only repeat the move.
    if (!this.areEngines()) this.paused = false;
    table.ended = null;
    this.note = '';
    this.premove.clear();
    let to = live.parent;
    if (person !== null) {
      // Find the last position with the user to move.
      for (;;) {
        const { view } = await table.shown(to);
        if (view.to_move === person || !to.parent) break;
        to = to.parent;
      }
    }
    // The user's variations stay.
    table.tree.remove(table.tree.path(live)[table.tree.path(to).length]);
    // Changes of removed nodes cannot be undone.
    this.app.edits.history.clear();
    table.times = table.times.filter(([ply]) => ply <= to.ply);
    table.live = to;
    await table.goTo(to);
    this.app.announce(t('play.takenBack'));
  }

  async askHint() {
    const { app } = this;
    const { table } = app;
    if (!this.mayMove() || !table.tree || !table.view || !table.info) return;
    const node = table.tree.current;
    const view = table.view;
    const searching = t('play.hintSearching');
    this.note = searching;
    app.refresh();
    try {
      const found = await app.connection.ask('search', {
        line: table.tree.line(),
        effort: { time_ms: HINT_MS, lines: 1, threads: settings.threads, memory_mib: settings.memory },
      });
      const move = table.tree.current === node ? view.moves.find((one) => one.text === found.move) : null;
      if (!move) {
        if (this.note === searching) this.note = '';
        app.refresh();
        return;
      }
      const value = found.findings.lines[0]?.value;
      const advice = adviseMove(table.info, view, move, table.flipped, view.to_move);
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
    const person = this.personSide();
    const info = /** @type {import('./types.js').GameInfo} */ (this.app.table.info);
    if (person === null || value.proven) return describeValue(info, value);
    return t('play.yourChances', { share: percent(person === 0 ? value.score : 1 - value.score) });
  }

  async offerDraw() {
    const { app } = this;
    const { table } = app;
    const live = this.live;
    if (!table.tree || !table.seats || !live || this.isOver()) return;
    const person = this.personSide();
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
      if (this.live !== live) return;
      const score = found.findings.lines[0]?.value.score ?? 0.5;
      const expected = engine === 0 ? score : 1 - score;
      if (expected <= 0.5) {
        this.end({ reason: 'agreement', winner: null });
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
  actor() {
    return this.personSide() ?? this.app.table.known.get(this.live?.id ?? 0)?.view.to_move ?? 0;
  }

  /** @param {MouseEvent} event */
  resign(event) {
    // A double click must not confirm immediately.
    if (event.detail > 1) return;
    if (this.question === 'resign') {
      this.end({ reason: 'resignation', winner: 1 - this.actor() });
      return;
    }
    this.question = 'resign';
    this.app.refresh();
  }

  panel() {
    return playPanel(this);
  }
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}
