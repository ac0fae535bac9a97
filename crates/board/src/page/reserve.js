// A side's strip: name, clock and reserve.
import { html } from 'wabe/vendor/lit-html/lit-html.js';
import { clockText } from 'wabe/clock.js';
import { DragImage } from 'wabe/drag.js';
import { same } from 'wabe/geometry.js';
import { t, tn } from 'wabe/i18n.js';
import { levelName } from 'wabe/levels.js';
import { explainIdle, kindName, sideName } from 'wabe/moves.js';
import { paintOf, tileIcon } from 'wabe/pieces.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./types.js').View} View */
/** @typedef {import('./types.js').GameInfo} GameInfo */

/**
 * A side's strip next to the board.
 * @param {App} app
 * @param {{info: GameInfo, view: View, side: number, playable: boolean}} what
 */
export function sideStrip(app, { info, view, side, playable }) {
  const { table } = app;
  const clock = app.mode === 'play' || table.clock?.running !== null ? table.clock : null;
  const isTurn = view.to_move === side && !(app.mode === 'play' && app.play.isOver());
  const hasPlayers = ['play', 'analyse', 'review', 'watch'].includes(app.mode);
  const name = hasPlayers ? table.playerName(side) : '';
  const seat = hasPlayers ? table.seats?.[side] : null;
  const free = view.free[side];
  return html`<section class="strip ${paintOf(info)} ${isTurn ? 'turn' : ''}" aria-label=${t('reserve.label', { side: sideName(info, side) })}>
    <div class="who">
      <i class="chip side${side}" aria-hidden="true"></i>
      <span class="name"><b>${name || sideName(info, side)}</b>${seat?.kind === 'wabe' ? html`<span class="quiet level-name"> · ${levelName(seat.level)}</span>` : ''}</span>
      ${free !== null ? html`<span class="free quiet" title=${t('reserve.freeHelp', { bee: kindName(info, 'Q') })}>${tileIcon({ side, letter: 'Q', number: null })}${tn('reserve.free', free)}</span>` : ''}
      ${clock ? html`<span class="clock ${clock.running === side ? 'runs' : ''} ${clock.left(side) < 20_000 ? 'low' : ''}" role="timer">${clockText(clock.left(side))}</span>` : ''}
    </div>
    <div class="reserve ${view.reserves.length > 6 ? 'many' : ''}" role="group" aria-label=${t('reserve.pieces', { side: sideName(info, side) })}>${view.reserves.map(({ letter, counts }) => reserveTile(app, { info, view, side, playable, letter, count: counts[side] }))}</div>
  </section>`;
}

/**
 * @param {App} app
 * @param {{info: GameInfo, view: View, side: number, playable: boolean, letter: string, count: number}} what
 */
function reserveTile(app, { info, view, side, playable, letter, count }) {
  const { board } = app;
  const targets = playable && view.to_move === side ? view.moves.filter((move) => !move.from && move.to && move.letter === letter).length : 0;
  const chosen = board.chosen && 'letter' in board.chosen && board.chosen.letter === letter && targets > 0;
  const piece = { side, letter, number: null };
  const face = html`${tileIcon(piece)}${count > 1 ? html`<span class="count">${count}</span>` : ''}`;
  const name = `${kindName(info, letter)}, ${t('reserve.left', { n: count })}`;
  if (count > 0 && app.play.planningSide() === side) {
    const { origin } = app.play.premove;
    return html`<button type="button" class="reserve-tile" data-plan=${letter} aria-pressed=${origin && 'letter' in origin && origin.letter === letter ? 'true' : 'false'} title=${kindName(info, letter)}
      aria-label=${`${name}; ${t('play.plan')}`} @click=${() => app.play.planReserve(letter)}>${face}</button>`;
  }
  const idle = playable && view.to_move === side && targets === 0 ? view.idle.find((one) => !one.at && one.letter === letter) : null;
  if (idle) {
    const reason = explainIdle(idle);
    return html`<span class="reserve-tile idle" role="img" title=${reason} aria-label=${`${name}; ${reason}`} @click=${() => {
      board.choose(null);
      app.showIdleNote((piece) => piece === idle);
    }}>${face}</span>`;
  }
  if (count === 0 || targets === 0) {
    return html`<span class="reserve-tile ${count === 0 ? 'gone' : 'idle'}" role="img" aria-label=${name} title=${kindName(info, letter)}>${face}</span>`;
  }
  return html`<button type="button" class="reserve-tile ${board.state.movable && !board.chosen ? 'can-move' : ''}" data-letter=${letter} aria-pressed=${chosen ? 'true' : 'false'} title=${kindName(info, letter)}
    aria-label=${`${name}; ${tn('board.targets', targets)}`}
    @pointerdown=${(/** @type {PointerEvent} */ event) => press(app, event, piece, info)}
    @click=${(/** @type {PointerEvent} */ event) => {
      // Only for the keyboard: `press` handles mouse and touch.
      if (event.detail !== 0) return;
      board.choose(chosen ? null : { letter });
      if (board.chosen) board.focusTarget();
    }}>${face}</button>`;
}

/**
 * Selects a piece when pressed, and drags it if the pointer moves.
 * @param {App} app
 * @param {PointerEvent} down
 * @param {import('./types.js').PieceView} piece
 * @param {GameInfo} info
 */
function press(app, down, piece, info) {
  if (down.button !== 0) return;
  const { board } = app;
  const before = board.chosen;
  const wasChosen = !!before && 'letter' in before && before.letter === piece.letter;
  if (!wasChosen) board.choose({ letter: piece.letter });
  /** @type {DragImage | null} */
  let image = null;
  if (down.target instanceof Element && down.target.hasPointerCapture?.(down.pointerId)) down.target.releasePointerCapture(down.pointerId);
  const move = (/** @type {PointerEvent} */ event) => {
    if (event.pointerId !== down.pointerId) return;
    if (!image && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < 6) return;
    image ??= new DragImage(piece, info, board.scale());
    image.moveTo(event.clientX, event.clientY);
  };
  const stop = (/** @type {PointerEvent} */ event) => {
    if (event.pointerId !== down.pointerId) return;
    window.removeEventListener('pointermove', move);
    window.removeEventListener('pointerup', stop);
    window.removeEventListener('pointercancel', stop);
    if (!image) {
      if (wasChosen && event.type === 'pointerup') board.choose(null);
      return;
    }
    image.remove();
    const field = board.fieldAtPoint(event.clientX, event.clientY);
    const target = event.type === 'pointerup' ? board.targets().find((one) => same(one.to, field)) : null;
    if (!target) return;
    board.dropped = true;
    board.choose(null);
    app.boardMove(target);
  };
  window.addEventListener('pointermove', move);
  window.addEventListener('pointerup', stop);
  window.addEventListener('pointercancel', stop);
}
