// The dialogs: settings, help, sharing, opening.
import { html } from 'wabe/vendor/lit-html/lit-html.js';
import { copyText, download, gameFileName } from 'wabe/files.js';
import { gamesFile, resultRequest } from 'wabe/library.js';
import { number, t } from 'wabe/i18n.js';
import { icon } from 'wabe/icons.js';
import { MARK_GLYPHS } from 'wabe/movelist.js';
import { describeValue } from 'wabe/moves.js';
import { gamesList, openBox } from 'wabe/open.js';
import { pictureButtons } from 'wabe/picture.js';
import { select } from 'wabe/select.js';
import { change, settings } from 'wabe/settings.js';

/** @typedef {import('./app.js').App} App */

/** Keys and the text names of their actions. */
const KEYS = /** @type {const} */ ([
  ['← →', 'help.step'], ['↑ ↓', 'help.variations'], ['Home End', 'help.ends'], ['F', 'steps.flip'], ['L', 'analysis.switch'], ['Space', 'help.best'],
  ['X', 'analysis.threat'], ['H', 'help.hint'], ['C', 'help.comment'], ['Ctrl Z', 'help.undo'], ['Ctrl Shift Z', 'help.redo'], ['?', 'help.help'], ['Esc', 'help.escape'],
]);
/** Text names of translated keys.
 * @type {Record<string, string>} */
const KEY_NAMES = { Home: 'key.home', End: 'key.end', Space: 'key.space', Enter: 'key.enter', Ctrl: 'key.ctrl', Shift: 'key.shift' };
const GRID_KEYS = /** @type {const} */ ([['Tab', 'help.tab'], ['← → ↑ ↓', 'help.walk'], ['Enter', 'help.choose'], ['N', 'help.next'], ['A', 'help.circle'], ['Esc', 'help.putBack']]);

/**
 * @param {App} app
 * @returns {[string, unknown]} title and content
 */
export function dialogContent(app) {
  switch (app.dialog) {
    case 'settings': return [t('settings.title'), settingsView(app)];
    case 'help': return [t('help.title'), helpView()];
    case 'share': return [t('share.title'), shareView(app)];
    case 'open': return [t('start.openTitle'), openBox(app, true)];
    case 'rename': return [t('library.rename'), app.shelf.renameDialog()];
    case 'games': return [t('open.several'), gamesList(app)];
    default: return ['', ''];
  }
}

/** @param {App} app */
function settingsView(app) {
  const choice = (/** @type {'language' | 'theme' | 'coordinates' | 'autoplayMs' | 'movable'} */ name, /** @type {[string | number, string][]} */ options) => html`
    <label class="setting"><span>${t(`settings.${name}`)}</span>${select(settings[name], options, (value) => {
      change({ [name]: value });
      app.settingsChanged();
    })}</label>`;
  const check = (/** @type {'letters' | 'arrows' | 'targets' | 'sounds' | 'times'} */ name) => html`
    <label class="check"><input type="checkbox" .checked=${settings[name]} @change=${(/** @type {Event} */ event) => {
      change({ [name]: /** @type {HTMLInputElement} */ (event.target).checked });
      app.settingsChanged();
    }}>${t(`settings.${name}`)}</label>`;
  return html`<div class="settings">
    <label class="setting"><span>${t('settings.name')}</span><input maxlength="40" autocomplete="off" placeholder=${t('seat.person')} .value=${settings.name} @change=${(/** @type {Event} */ event) => {
      change({ name: /** @type {HTMLInputElement} */ (event.target).value.trim() });
      app.settingsChanged();
    }}></label>
    ${choice('language', [['auto', t('settings.languageAuto')], ['en', 'English'], ['de', 'Deutsch']])}
    ${choice('theme', [['auto', t('settings.themeAuto')], ['light', t('settings.light')], ['dark', t('settings.dark')]])}
    ${choice('coordinates', [['edge', t('settings.edge')], ['fields', t('settings.fields')], ['off', t('settings.off')]])}
    ${choice('autoplayMs', [500, 1000, 2000, 4000].map((ms) => [ms, t('start.seconds', { n: number(ms / 1000, ms % 1000 ? 1 : 0) })]))}
    ${choice('movable', [['first', t('settings.first')], ['always', t('settings.always')], ['never', t('settings.never')]])}
    ${check('letters')}${check('targets')}${check('arrows')}${check('times')}${check('sounds')}
    <p class="quiet">${app.welcome?.engine ?? ''}</p></div>`;
}

function helpView() {
  const list = (/** @type {readonly (readonly [string, string])[]} */ keys) => html`<dl class="keys">${keys.map(([key, text]) => html`
    <div><dt>${key.split(' ').map((one) => html`<kbd>${KEY_NAMES[one] ? t(KEY_NAMES[one]) : one}</kbd>`)}</dt><dd>${t(text)}</dd></div>`)}</dl>`;
  return html`<div class="help"><h3>${t('help.game')}</h3>${list(KEYS)}<h3>${t('help.board')}</h3>${list(GRID_KEYS)}<p class="quiet">${t('help.mouse')}</p></div>`;
}

/**
 * Requests the text of the shown line to its end, with a result that does not follow from the moves,
 * where the format has one.
 * @param {App} app
 */
export async function completeRecord(app) {
  const { table, connection, recorded } = app;
  const { tree, info, ended } = table;
  if (recorded || !tree || !info) return;
  const node = tree.end(tree.current);
  const line = tree.line(node);
  const isEnded = ended?.ply === node.ply && tree.isMainline(node) && info.forms.includes('uhp');
  const text = isEnded
    ? (await connection.ask('export', { line, form: 'uhp', result: resultRequest(ended.ending) })).text.split('\n')[0]
    : (await app.show(line)).record;
  if (table.tree === tree) table.record = text;
  app.refresh();
}

/** @param {App} app */
function shareView(app) {
  const { table } = app;
  const address = `${location.origin}${location.pathname}#${table.fragment()}`;
  const copy = async (/** @type {string} */ text) => {
    app.toast((await copyText(text)) ? t('share.copied') : t('share.notCopied'));
  };
  const row = (/** @type {string} */ label, /** @type {string} */ text) => html`<div class="share-row">
    <label><span>${label}</span><input readonly .value=${text} @focus=${(/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target).select()}></label>
    <button type="button" aria-label=${t('share.copy', { what: label })} title=${t('share.copy', { what: label })} @click=${() => copy(text)}>${icon('copy')}</button></div>`;
  return html`<div class="share">
    ${app.recorded ? '' : row(t('share.address'), address)}
    ${row(t('share.record'), table.record)}
    ${app.recorded ? '' : html`<h3>${t('share.export')}</h3>
    <p class="quiet">${t('share.exportNote')}</p>
    <div class="buttons">${table.info?.forms.map((form) => html`<button type="button" @click=${() => exportGame(app, form)}>${t(`form.${form}`)}<small>.${form}</small></button>`)}
      <button type="button" @click=${() => download(gameFileName(app.table, 'game.json'), gamesFile([app.library.entryOfTable()]), 'application/json')}>${t('share.tree')}<small>.json</small></button></div>`}
    ${pictureButtons(app)}
  </div>`;
}

/**
 * Exports the game. PGN contains the whole tree with annotation symbols, other formats only the
 * shown line with annotations as comments.
 * @param {App} app
 * @param {string} form
 */
export async function exportGame(app, form) {
  const { table } = app;
  const { tree } = table;
  if (!tree) return;
  const isTree = form === 'pgn';
  const nodes = isTree ? tree.mainline() : tree.path(tree.end(tree.current));
  const plies = app.review.isCurrent() && (isTree || tree.isMainline(tree.current)) ? table.review?.plies : null;
  /** @type {[number, string][]} */
  const remarks = [];
  /** @type {[number, string][]} */
  const glyphs = [];
  nodes.forEach((node, ply) => {
    // An exported page contains the review, and marks the moves itself.
    const reviewed = form === 'html' ? null : plies?.[ply - 1];
    const mark = reviewed && MARK_GLYPHS[reviewed.mark] ? reviewed.mark : '';
    const glyph = node.glyph || (isTree ? MARK_GLYPHS[mark] : '');
    const better = mark && reviewed?.better && !isTree ? `better ${reviewed.better}` : '';
    const text = [...(isTree ? [] : [glyph, mark]), better, node.comment].filter(Boolean).join(' · ');
    if (text) remarks.push([ply, text]);
    if (glyph) glyphs.push([ply, glyph]);
  });
  const variations = tree.variations(nodes.slice(1));
  for (const { ply, better, mark, before } of isTree && plies ? plies : []) {
    const isKnown = nodes[ply]?.parent?.children.some((child) => child.move === better);
    if (!better || !MARK_GLYPHS[mark] || isKnown || !table.info) continue;
    variations.push({ after: ply - 1, moves: [better], remarks: [[ply, describeValue(table.info, before)]], glyphs: [], variations: [] });
  }
  try {
    const end = nodes[nodes.length - 1];
    const { ended } = table;
    const result = ended?.ply === end.ply && tree.isMainline(end)
      ? resultRequest(ended.ending) : null;
    const { name, text } = await app.connection.ask('export', {
      line: tree.line(end), form, names: [table.playerName(0), table.playerName(1)], tags: table.tags, result, remarks,
      ...(isTree ? { glyphs, variations } : {}),
      ...(form === 'html' && plies ? { reviewed: plies } : {}),
    });
    download(gameFileName(app.table, name), text);
  } catch (error) {
    app.fail(error);
  }
}
