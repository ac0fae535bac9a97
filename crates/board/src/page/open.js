// Opens games, positions, reviews and analysis files that were dropped, pasted or chosen.
import { html } from 'wabe/vendor/lit-html/lit-html.js';
import { fromFragment } from 'wabe/address.js';
import { toBase64 } from 'wabe/files.js';
import { t, tn } from 'wabe/i18n.js';
import { icon } from 'wabe/icons.js';
import { GAME_FORMAT, LIBRARY_FORMAT } from 'wabe/library.js';
import { describeResult, sideName } from 'wabe/moves.js';
import { describeError, describeProblem } from 'wabe/problems.js';
import { REVIEW_FORMAT } from 'wabe/review.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./types.js').OpenedGame} OpenedGame */

/** The `format` of analyses saved by 0.2.0, which contain only a tree. */
const TREE_FORMAT = 'wabe-tree';
/** Maximum size of a file in bytes. */
export const MAX_BYTES = 16 << 20;

/**
 * Opens a text: a link to a board, saved JSON, or any format that the engine can read.
 * @param {App} app
 * @param {string} text
 */
export async function openText(app, text) {
  const trimmed = text.trim();
  if (!trimmed) return;
  if (trimmed.startsWith('{') && (await openJson(app, trimmed))) return;
  const address = /^https?:\/\/\S+#(\S*game=\S+)$/.exec(trimmed);
  if (address) {
    const { line } = fromFragment(address[1]);
    if (line) {
      await openSource(app, { line });
      return;
    }
  }
  await openSource(app, { text });
}

/**
 * Opens a file: saved JSON, or any format that the engine can read.
 * @param {App} app
 * @param {File} file
 */
export async function openFile(app, file) {
  if (file.size > MAX_BYTES) {
    app.toast(t('problem.file_too_large', { max_mib: MAX_BYTES >> 20 }));
    return;
  }
  if (/\.html?$/.test(file.name) && (await openPage(app, await file.text()))) return;
  if (file.name.endsWith('.json')) {
    if (await openJson(app, await file.text())) return;
  }
  await openSource(app, { base64: await toBase64(file) }, file.name);
}

/**
 * Opens a page that the board exported, with its review.
 * @param {App} app
 * @param {string} text
 * @returns {Promise<boolean>} whether it is such a page
 */
async function openPage(app, text) {
  const json = /<script type="application\/json" id="recording">(.*?)<\/script>/s.exec(text)?.[1];
  if (!json) return false;
  try {
    const { welcome, reviewed } = JSON.parse(json);
    const [game] = welcome.first;
    if (welcome.first.length > 1) {
      app.chooseGame(welcome.first);
      return true;
    }
    if (reviewed) await loadReview(app, game, { line: game.line, nodes: 1000, plies: reviewed });
    else await loadGame(app, game);
  } catch (error) {
    app.fail(error);
  }
  return true;
}

/**
 * Opens JSON that the page reads itself: what the board has saved.
 * @param {App} app
 * @param {string} text
 * @returns {Promise<boolean>} whether the text has one of these formats
 */
async function openJson(app, text) {
  let saved;
  try {
    saved = JSON.parse(text);
  } catch {
    return false;
  }
  if (saved?.format === GAME_FORMAT && saved.state?.tree) {
    await openGame(app, saved);
    return true;
  }
  if (saved?.format === LIBRARY_FORMAT) {
    await app.shelf.importFiles([new File([text], 'games.json')]);
    return true;
  }
  if (saved?.format === REVIEW_FORMAT) {
    await openReview(app, saved);
    return true;
  }
  if (saved?.format === TREE_FORMAT) {
    await openGame(app, { summary: null, state: { tree: saved, names: ['', ''], tags: [], control: null, review: null, flipped: false } });
    return true;
  }
  return false;
}

/**
 * @param {App} app
 * @param {{text: string} | {base64: string} | {line: import('./types.js').GameLine}} source
 * @param {string} [name] of the file
 */
async function openSource(app, source, name) {
  try {
    const { games } = await app.connection.ask('open', { source });
    if (games.length === 1) await loadGame(app, games[0], name);
    else app.chooseGame(games, name);
  } catch (error) {
    app.openProblem = describeError(error);
    if (app.dialog !== 'open' && app.table.tree) app.openDialog('open');
    app.refresh();
  }
}

/**
 * Puts a game on the table, or reports why it cannot be loaded.
 * @param {App} app
 * @param {import('./table.js').Loading} game
 * @returns {Promise<boolean>} whether it is on the table
 */
async function load(app, game) {
  app.closeDialog();
  try {
    await app.table.load(game);
  } catch (error) {
    app.fail(error);
    return false;
  }
  // The panel of an offline page shows the damage.
  if (game.damage && !app.recorded) app.toast(t('open.damaged', { damage: describeProblem(game.damage) }));
  return true;
}

/**
 * Loads an opened game.
 * @param {App} app
 * @param {OpenedGame} game
 * @param {string} [source] name of its file
 */
export async function loadGame(app, game, source) {
  if (!(await load(app, { ...game, source }))) return;
  app.go(game.line.moves.length > 0 && app.mode === 'review' ? 'review' : 'analyse');
}

/**
 * Loads a game and shows its review.
 * @param {App} app
 * @param {import('./table.js').Loading} game
 * @param {import('./table.js').ReviewData | null} review
 */
export async function loadReview(app, game, review) {
  if (!(await load(app, game))) return;
  app.table.review = review;
  app.go('review');
}

/**
 * @param {App} app
 * @param {{summary: import('./types.js').Summary | null, state: any}} saved
 */
async function openGame(app, { summary, state }) {
  try {
    app.closeDialog();
    await app.table.restore({ ...state, seats: null, place: null });
    app.table.place = { ...app.library.newPlace(summary?.source ?? 'analysis'), title: summary?.title ?? '', labels: summary?.labels ?? [] };
    app.library.loaded();
    app.go(state.review ? 'review' : 'analyse');
  } catch (error) {
    app.fail(error);
  }
}

/**
 * @param {App} app
 * @param {any} saved
 */
async function openReview(app, saved) {
  const { line, names, nodes, plies } = saved;
  if (Array.isArray(plies) && line) await loadReview(app, { line, names }, { line, nodes: Number(nodes) || 1000, plies });
  else app.toast(t('open.noReview'));
}

/**
 * The form for files and pasted texts.
 * @param {App} app
 * @param {boolean} [isDialog]
 */
export function openBox(app, isDialog = false) {
  const submit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.currentTarget);
    openText(app, /** @type {HTMLTextAreaElement} */ (form.elements.namedItem('text')).value);
  };
  const choose = (/** @type {Event} */ event) => {
    const input = /** @type {HTMLInputElement} */ (event.currentTarget);
    const file = input.files?.[0];
    if (file) openFile(app, file);
    input.value = '';
  };
  return html`<form class="open-box" @submit=${submit}>
    <label class="drop"><input type="file" class="visually-hidden" @change=${choose}>${icon('open')}<span><strong>${t('open.choose')}</strong><br><span class="quiet">${t('open.drop')}</span></span></label>
    <label>${t('open.paste')}<textarea name="text" rows="4" spellcheck="false" placeholder=${t('open.placeholder')}></textarea></label>
    ${app.openProblem && isDialog === (app.dialog === 'open') ? html`<p class="error" role="alert">${t('open.failed')} ${app.openProblem}</p>` : ''}
    <div class="buttons"><button type="submit" class="primary">${t('open.open')}</button></div>
  </form>`;
}

/**
 * The result of a game, for lists.
 * @param {App} app
 * @param {{game: string, result: import('./types.js').Ending | null}} game
 */
function resultOf(app, { game, result }) {
  const info = app.gameInfo(game);
  return info && result ? describeResult(info, result) : '';
}

/**
 * A player's name. If it is unknown, the side's name.
 * @param {App} app
 * @param {{game: string, names: [string, string]}} game
 * @param {number} side
 */
export function playerName(app, { game, names }, side) {
  const info = app.gameInfo(game);
  return names[side] || (info ? sideName(info, side) : '?');
}

/**
 * The list of a file's games.
 * @param {App} app
 */
export function gamesList(app) {
  const { games } = app;
  return html`<p class="quiet">${tn('open.games', games.length)}</p><ul class="games">${games.map((game, i) => {
    const end = resultOf(app, { game: game.line.game, result: game.result });
    return html`
    <li><button type="button" @click=${() => loadGame(app, game, app.gamesSource)}><span class="quiet">${i + 1}</span>
      <span>${playerName(app, { game: game.line.game, names: game.names }, 0)} – ${playerName(app, { game: game.line.game, names: game.names }, 1)}</span>
      <span class="quiet">${game.line.game} · ${tn('analysis.plies', game.line.moves.length)}${end ? ` · ${end}` : ''}</span></button></li>`;
  })}</ul>`;
}
