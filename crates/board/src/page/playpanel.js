// The panel of play mode.
import { html } from 'wabe/vendor/lit-html/lit-html.js';
import { t, tn } from 'wabe/i18n.js';
import { icon, iconButton } from 'wabe/icons.js';
import { describeLevel, levelName } from 'wabe/levels.js';
import { moveList } from 'wabe/movelist.js';
import { capitalize, describeProgress, describeReason, describeResult, describeState, sideName } from 'wabe/moves.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./play.js').Play} Play */

/** @param {Play} play */
export function playPanel(play) {
  const { app } = play;
  const { table } = app;
  const { info, view, tree } = table;
  if (!info || !view || !tree || !table.seats) {
    return html`<section class="card center"><p>${t('play.nothing')}</p>
      <button type="button" class="primary" @click=${() => app.go('start')}>${t('start.new')}</button></section>`;
  }
  const live = play.live;
  const liveView = live ? table.known.get(live.id)?.view ?? view : view;
  const ending = play.ending();
  const thinking = play.thinkingAt !== 0;
  const areEngines = play.areEngines();
  const inMatch = app.match.shown() > 0;
  const hasEngine = table.seats.some((seat) => seat.kind !== 'person');
  const hasProgram = table.seats.some((seat) => seat.kind === 'program');
  const isBehind = tree.current !== live;
  const side = sideName(info, liveView.to_move ?? 0);
  const state = thinking ? t('play.thinking', { side, who: thinker(app, liveView.to_move ?? 0) })
    : play.isPaused() && !play.mayMove() ? t('play.pausedNote')
    : play.mayMove() && hasEngine ? t('play.yourTurn', { side })
    : describeState(info, liveView);
  return html`
    <section class="status" data-section="game">
      ${ending ? endCard(play, ending) : html`
        <p class="state" data-testid="state">${state}</p>
        ${(live?.ply ?? 0) < 2 ? levelNote(app) : ''}
        <p class="quiet">${describeProgress(liveView)}${thinking ? html`<span class="dots-busy" aria-hidden="true"><i></i><i></i><i></i></span>` : ''}</p>`}
      ${play.mayMove() && (live?.ply ?? 0) === (play.personSide() ?? 0) && (live?.ply ?? 0) < 2 && view.stacks.length < 2 ? html`<p class="callout" data-testid="cue">${t('play.cue')}</p>` : ''}
      ${play.mayMove() ? passCallout(app, t('play.mustPass')) : ''}
      ${view.last && !view.last.to && !ending ? html`<p class="callout quiet">${t('play.passed', { side: sideName(info, (view.to_move ?? 0) === 0 ? 1 : 0) })}</p>` : ''}
      ${isBehind && !ending ? html`<button type="button" class="wide" @click=${() => table.goTo(live)}>${t('play.backToGame')}</button>` : ''}
      ${play.question === 'draw' && !ending ? drawQuestion(play, info) : ''}
      ${play.note ? html`<p class="callout">${play.note}</p>` : ''}
    </section>
    ${app.match.panel()}
    ${moveList(app)}
    ${play.mayMove() ? typedMove(app) : ''}
    <section class="actions" aria-label=${t('play.actions')} data-section="game">
      ${inMatch || (areEngines && (!play.isPaused() || ending)) ? '' : iconButton('back', t('play.takeBack'), () => play.takeBack(), { text: true, disabled: !live?.parent || table.ended?.ending.reason === 'time' })}
      ${areEngines ? '' : html`
        ${iconButton('hint', t('play.hintButton'), () => play.askHint(), { text: true, disabled: !play.mayMove() })}
        ${iconButton('draw', t('play.draw'), () => play.offerDraw(), { text: true, disabled: !!ending || hasProgram || play.question === 'draw' || play.declinedAt === live?.ply })}
        ${iconButton('flag', play.question === 'resign' ? t('play.resignSure') : t('play.resign'), (event) => play.resign(event), { text: true, disabled: !!ending, className: play.question === 'resign' ? 'danger' : '' })}`}
      ${inMatch || ending || (!areEngines && !play.isPaused()) ? '' : iconButton(play.paused ? 'play' : 'pause', play.paused ? t('play.goOn') : t('play.pause'), () => {
          play.paused = !play.paused;
          if (play.paused) play.halt();
          else play.step();
          app.refresh();
        }, { text: true })}
    </section>`;
}

/**
 * A short name for a side's engine.
 * @param {App} app
 * @param {number} side
 */
function thinker(app, side) {
  const seat = app.table.seats?.[side];
  return seat?.kind === 'wabe' ? app.seatName(seat) : t('play.program');
}

/**
 * What to expect of wabe's level, for the start of a game against it.
 * @param {App} app
 */
function levelNote(app) {
  const person = app.play.personSide();
  const seat = person === null ? null : app.table.seats?.[1 - person];
  if (seat?.kind !== 'wabe') return '';
  return html`<p class="quiet">${levelName(seat.level)}: ${describeLevel(seat.level, app.welcome?.levels ?? [])}</p>`;
}

/**
 * Asks the other person to accept a draw.
 * @param {Play} play
 * @param {import('./types.js').GameInfo} info
 */
function drawQuestion(play, info) {
  return html`<div class="callout" role="group" aria-label=${t('play.draw')}>
    <p>${t('play.drawOffered', { side: sideName(info, play.actor()), other: sideName(info, 1 - play.actor()) })}</p>
    <div class="buttons"><button type="button" class="primary" @click=${() => play.end({ reason: 'agreement', winner: null })}>${t('play.drawAccept')}</button>
      <button type="button" @click=${() => {
        play.question = '';
        play.app.refresh();
      }}>${t('play.drawDecline')}</button></div></div>`;
}

/**
 * The result and its reason, with buttons for what to do next.
 * @param {Play} play
 * @param {import('./types.js').Ending} ending
 */
function endCard(play, ending) {
  const { app } = play;
  const { table } = app;
  const info = /** @type {import('./types.js').GameInfo} */ (table.info);
  const person = play.personSide();
  const { winner } = ending;
  const outcome = person === null || winner === null ? describeResult(info, ending) : t(winner === person ? 'end.youWon' : 'end.youLost');
  return html`<div class="end-card">
    <p class="rounds quiet">${tn('end.rounds', Math.ceil((play.live?.ply ?? 0) / 2))}</p>
    <div data-testid="state"><p class="outcome">${outcome}</p><p>${capitalize(describeReason(info, ending))}.</p></div>
    <div class="buttons">
      <button type="button" class="primary" @click=${() => app.review.begin()}>${t('end.review')}</button>
      ${app.match.shown() ? '' : html`<button type="button" @click=${() => app.rematch()}>${t('end.rematch')}</button>`}
      <button type="button" @click=${() => app.go('start')}>${t('start.new')}</button>
    </div></div>`;
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
    <button type="button" class="primary" data-testid="pass" @click=${() => app.boardMove(moves[0])}>${t('move.pass')}</button></div>`;
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
