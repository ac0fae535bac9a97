// The start view: a new game, and links to the other views.
import { html } from 'wabe/vendor/lit-html/lit-html.js';
import { t } from 'wabe/i18n.js';
import { icon } from 'wabe/icons.js';
import { describeLevel, levelName } from 'wabe/levels.js';
import { openBox } from 'wabe/open.js';
import { paintOf, tileIcon } from 'wabe/pieces.js';
import { select } from 'wabe/select.js';
import { change, settings } from 'wabe/settings.js';

/** @typedef {import('./app.js').App} App */

const GAMES = [1, 2, 4, 10, 20, 50, 100];
const MOVE_TIMES = [500, 1000, 2000, 5000, 10_000, 30_000];
const MINUTES = [1, 3, 5, 10, 15, 30, 60];
const INCREMENTS = [0, 2, 5, 10, 30];

/**
 * A group of radio buttons, shown as segments.
 * @param {object} group
 * @param {string} group.name
 * @param {unknown} group.legend
 * @param {[string, unknown][]} group.options values and labels
 * @param {string} group.value
 * @param {(value: string) => void} group.onchange
 * @param {string} [group.className]
 */
function choice({ name, legend, options, value, onchange, className = '' }) {
  return html`<fieldset class="choice ${className}"><legend>${legend}</legend><div class="segments">${options.map(([key, label]) => html`
    <label><input type="radio" name=${name} value=${key} .checked=${value === key} @change=${() => onchange(key)}><span>${label}</span></label>`)}</div></fieldset>`;
}

/** Explains that the engine runs in the browser, with a link to the program. */
function siteNote() {
  const { home } = document.documentElement.dataset;
  return html`<section class="card" aria-labelledby="site-title"><h2 id="site-title">${t('site.title')}</h2>
    <p class="quiet">${t('site.note')}</p><p class="quiet">${t('site.native')}${home ? html` <a href=${home}>${t('site.get')}</a>` : ''}</p></section>`;
}

/** @param {App} app */
export function startView(app) {
  const { welcome } = app;
  if (!welcome) return '';
  const game = welcome.games.find((one) => one.word === settings.game) ?? welcome.games[0];
  const isContest = game.sides[0] === 'red';
  const paint = paintOf(game);
  const standard = welcome.games.filter((one) => one.sides[0] !== 'red');
  const expansions = game.word.includes('+') ? game.word.slice(game.word.indexOf('+') + 1) : '';
  const pick = (/** @type {Partial<import('./settings.js').Settings>} */ changes) => {
    change(changes);
    app.refresh();
  };
  const toggle = (/** @type {string} */ letter) => {
    const letters = ['M', 'L', 'P'].filter((one) => (one === letter ? !expansions.includes(one) : expansions.includes(one))).join('');
    const word = letters ? `Base+${letters}` : 'Base';
    if (standard.some((one) => one.word === word)) pick({ game: word });
  };
  const used = { persons: [], engines: [0, 1] }[settings.opponents] ?? [0];
  const isProgram = (/** @type {number} */ index) => welcome.programs && settings.engines[index].kind === 'program';
  const pickEngine = (/** @type {number} */ index, /** @type {Partial<import('./settings.js').Engine>} */ changes) => {
    const [one, other] = settings.engines;
    pick({ engines: index === 0 ? [{ ...one, ...changes }, other] : [one, { ...other, ...changes }] });
  };
  const levels = welcome.levels.map((_, i) => String(i + 1));
  const level = (/** @type {number} */ index) => String(Math.min(settings.engines[index].level, levels.length));
  const kindChoice = (/** @type {number} */ index, /** @type {unknown} */ legend) => (welcome.programs ? choice({
    name: `engine${index}`, legend, className: paint, value: settings.engines[index].kind, options: [['wabe', 'wabe'], ['program', t('start.program')]],
    onchange: (kind) => pickEngine(index, { kind: kind === 'program' ? 'program' : 'wabe' }),
  }) : '');
  const command = (/** @type {number} */ index) => html`<label class="field grow">${t('start.command')}<input .value=${settings.engines[index].program} spellcheck="false" autocomplete="off" placeholder=${isContest ? './bot/start.sh' : "uhp:'nokamute uhp'"}
    @input=${(/** @type {Event} */ e) => pickEngine(index, { program: /** @type {HTMLInputElement} */ (e.target).value })}></label>`;
  /** The settings of one side in a game of two engines. */
  const engineRow = (/** @type {number} */ side) => {
    const legend = html`<i class="chip side${side}"></i>${t(`side.${game.sides[side]}`)}`;
    return html`<div class="row ${paint}">${kindChoice(side, legend)}${isProgram(side) ? command(side) : html`
      <label class="field">${welcome.programs ? t('start.level') : html`<span>${legend}</span>`}${
        select(level(side), levels.map((key) => [key, `${t('level.n', { n: key })} · ${levelName(Number(key))}`]), (key) => pickEngine(side, { level: Number(key) }))}</label>`}</div>`;
  };
  const { isRunning } = app.table;
  const { last, unfinished } = app.library;
  return html`<div class="start">
    <div class="start-main">
      <section class="card new-game" aria-labelledby="new-game-title">
        <h1 id="new-game-title">${t('start.title')}</h1>
        ${choice({ name: 'kind', legend: t('start.game'), value: isContest ? 'contest' : 'standard', className: 'big', options: [
          ['contest', html`<span class="kind-choice paint-contest">${tileIcon({ side: 0, letter: 'Q', number: null })}<b>${t('start.contest')}</b><small>${t('start.contestNote')}</small></span>`],
          ['standard', html`<span class="kind-choice paint-standard">${tileIcon({ side: 0, letter: 'Q', number: null })}<b>${t('start.standard')}</b><small>${t('start.standardNote')}</small></span>`],
        ], onchange: (kind) => pick({ game: kind === 'contest' ? 'contest' : 'Base' }) })}
        ${isContest ? '' : html`<fieldset class="choice"><legend>${t('start.expansions')}</legend><div class="segments checks paint-standard">${['M', 'L', 'P'].map((letter) => html`
          <label><input type="checkbox" .checked=${expansions.includes(letter)} @change=${() => toggle(letter)}><span>${tileIcon({ side: 0, letter, number: null })}${t(`kind.${letter}`)}</span></label>`)}</div></fieldset>`}
        ${choice({ name: 'opponents', legend: t('start.side'), value: settings.opponents, className: paint, options: [
          ['first', html`<i class="chip side0"></i>${t(`side.${game.sides[0]}`)}`],
          ['second', html`<i class="chip side1"></i>${t(`side.${game.sides[1]}`)}`],
          ['random', t('start.random')],
          ['persons', t('start.persons')],
          ['engines', t('start.engines')],
        ], onchange: (opponents) => pick({ opponents }) })}
        ${used.length === 2 ? html`${used.map(engineRow)}
          <div class="row"><label class="field">${t('common.games')}${select(settings.games, GAMES.map((n) => [n, n]), (games) => pick({ games }))}</label></div>` : used.map((index) => html`
          ${welcome.programs ? html`<div class="row">${kindChoice(index, t('start.opponent'))}${isProgram(index) ? command(index) : ''}</div>` : ''}
          ${isProgram(index) ? '' : html`${choice({ name: 'level', legend: t('start.level'), value: level(index), 
          options: levels.map((key) => [key, html`<span><span class="visually-hidden">${t('level.n', { n: '' })}</span>${key}<span class="level-name"> · ${levelName(Number(key))}</span></span>`]), onchange: (key) => pickEngine(index, { level: Number(key) }) })}
          <p class="quiet level-about" role="status"><b>${levelName(Number(level(index)))}:</b> ${describeLevel(Number(level(index)), welcome.levels)}</p>`}`)}
        <div class="row">
          ${choice({ name: 'time', legend: t('start.time'), value: settings.useClock ? 'clock' : 'none', options: [['none', t('start.noClock')], ['clock', t('start.clock')]],
            onchange: (time) => pick({ useClock: time === 'clock' }) })}
          ${settings.useClock ? html`
            <label class="field">${t('start.minutes')}${select(settings.clockMinutes, MINUTES.map((n) => [n, n]), (clockMinutes) => pick({ clockMinutes }))}</label>
            <label class="field">${t('start.increment')}${select(settings.clockIncrement, INCREMENTS.map((n) => [n, n]), (clockIncrement) => pick({ clockIncrement }))}</label>`
          : used.length > 0 ? html`<label class="field">${t(used.some(isProgram) ? 'start.moveTimeAny' : 'start.moveTime')}${
              select(settings.moveMs, MOVE_TIMES.map((ms) => [ms, t('start.seconds', { n: (ms / 1000).toLocaleString(document.documentElement.lang) })]), (moveMs) => pick({ moveMs }))}</label>` : ''}
        </div>
        <div class="buttons"><button type="button" class="primary big" data-testid="begin" ?disabled=${used.some((index) => isProgram(index) && settings.engines[index].program.trim() === '')} @click=${() => app.newGame()}>${t('start.begin')}</button>
        ${isRunning || unfinished ? html`<button type="button" class="big" @click=${() => app.backToGame()}>${t('start.goOn')}</button>` : ''}
        ${last && !app.table.tree ? html`<button type="button" class="big" @click=${() => app.library.openLast()}>${t('start.last')}</button>` : ''}
        ${app.match.isOver() ? '' : html`<button type="button" class="big" @click=${() => app.match.resume()}>${t('match.resume')}</button>`}</div>
      </section>
      <div class="start-side">
        <button type="button" class="card link-card" @click=${() => app.go('tour')}>
          <span class="hive paint-standard" aria-hidden="true">${['A', 'Q', 'G'].map((letter, i) => tileIcon({ side: i === 1 ? 1 : 0, letter, number: null }))}</span>
          <span><b>${t('start.tour')}</b><br><span class="quiet">${t('start.tourNote')}</span></span></button>
        <button type="button" class="card link-card" @click=${() => app.analyseEmpty(game.word)}>${icon('search')}<span><b>${t('start.analyse')}</b><br><span class="quiet">${t('start.analyseNote')}</span></span></button>
        ${app.engine ? siteNote() : html`<button type="button" class="card link-card" @click=${() => app.go('watch')}>${icon('eye')}<span><b>${t('watch.title')}</b><br><span class="quiet">${t('start.watchNote')}</span></span></button>`}
        <section class="card" aria-label=${t('start.openTitle')}><h2>${t('start.openTitle')}</h2>${openBox(app)}</section>
      </div>
    </div>
  </div>`;
}
