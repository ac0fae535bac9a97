// The move list: the main line in two columns, with variations in between.
import { html } from 'wabe/vendor/lit-html/lit-html.js';
import { number, t } from 'wabe/i18n.js';
import { iconButton } from 'wabe/icons.js';
import { describeEnding, describeRemark, describeTime, isHint, movedPiece, moveNumber, pieceName, shortMove, sideName } from 'wabe/moves.js';
import { paintOf, tileIcon } from 'wabe/pieces.js';
import { change, settings } from 'wabe/settings.js';
import { GLYPHS } from 'wabe/tree.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./tree.js').Node} Node */

/** Annotation symbols for the marks of a review.
 * @type {Record<string, string>} */
export const MARK_GLYPHS = { inaccuracy: '?!', mistake: '?', blunder: '??' };

/**
 * The review's moves by node id.
 * @param {App} app
 * @returns {Map<number, import('./types.js').ReviewedMove>}
 */
function reviewed(app) {
  const { tree, review } = app.table;
  const marks = new Map();
  if (!tree || !review || app.mode === 'play') return marks;
  const nodes = tree.mainline();
  for (const ply of review.plies) {
    const node = nodes[ply.ply];
    if (!node || node.move !== ply.text) break;
    marks.set(node.id, ply);
  }
  return marks;
}

/**
 * @param {App} app
 * @param {Node} node
 * @param {ReturnType<typeof reviewed>} marks
 * @param {boolean} numbered whether to show the move number
 */
function moveButton(app, node, marks, numbered) {
  const { table } = app;
  const ms = table.times.length > 0 && table.tree?.isMainline(node) ? table.times.find(([ply]) => ply === node.ply)?.[1] : undefined;
  const info = /** @type {import('./types.js').GameInfo} */ (table.info);
  const isCurrent = table.tree?.current === node;
  const known = table.known.get(node.id)?.view;
  const side = table.sideOf(node.ply);
  const at = known?.last?.to;
  const top = at ? known.stacks.find((stack) => stack.at[0] === at[0] && stack.at[1] === at[1])?.pieces : null;
  const piece = movedPiece(node.move, side) ?? (top ? top[top.length - 1] : null);
  const mark = marks.get(node.id);
  const glyph = node.glyph || (mark ? MARK_GLYPHS[mark.mark] ?? '' : '');
  const nodeNumber = moveNumber(table.root, node.ply);
  const classes = ['move', `by${side}`];
  if (isCurrent) classes.push('current');
  if (mark) classes.push(`mark-${mark.mark}`);
  const label = piece ? `${pieceName(info, piece)}, ${node.move}` : node.move;
  return html`<button type="button" class=${classes.join(' ')} data-node=${node.id} aria-current=${isCurrent ? 'step' : 'false'}
      aria-label=${`${nodeNumber}. ${label}${glyph ? `, ${t(`glyph.${glyph}`)}` : ''}`} title=${ms === undefined ? '' : describeTime(ms)} @click=${() => table.goTo(node)}>
    ${numbered ? html`<span class="move-number">${nodeNumber}.${side === 1 ? '..' : ''}</span>` : ''}
    ${piece ? tileIcon({ ...piece, number: null }) : ''}<span class="move-text">${shortMove(node.move)}</span>${glyph ? html`<span class="glyph">${glyph}</span>` : ''}${ms === undefined || !settings.times ? '' : html`<span class="move-time">${number(ms / 1000, ms < 10_000 ? 1 : 0)}</span>`}
  </button>`;
}

/**
 * A variation from a node on, as a single paragraph.
 * @param {App} app
 * @param {Node} from
 * @param {ReturnType<typeof reviewed>} marks
 * @returns {import('./vendor/lit-html/lit-html.js').TemplateResult}
 */
function variation(app, from, marks) {
  const parts = [];
  let numbered = true;
  for (let node = /** @type {Node | undefined} */ (from); node; node = node.children[0]) {
    parts.push(moveButton(app, node, marks, numbered || node.ply % 2 === 1));
    numbered = false;
    if (node.comment && !isHint(node.comment)) {
      parts.push(html`<span class="comment">${node.comment}</span>`);
      numbered = true;
    }
    if (node !== from) {
      for (const other of node.parent?.children.slice(1) ?? []) {
        parts.push(variation(app, other, marks));
        numbered = true;
      }
    }
  }
  return html`<div class="variation">${parts}</div>`;
}

/** @param {App} app */
export function moveList(app) {
  const { table } = app;
  const { tree, info } = table;
  if (!tree || !info) return '';
  const marks = reviewed(app);
  const nodes = tree.mainline();
  const rows = [];
  /** @type {{number: number, cells: unknown[], below: unknown[]}} */
  let row = { number: 0, cells: [], below: [] };
  const flush = () => {
    if (row.cells.length > 0 || row.below.length > 0) rows.push(row);
    row = { number: 0, cells: [], below: [] };
  };
  if (tree.root.comment && !isHint(tree.root.comment)) rows.push({ number: 0, cells: [], below: [html`<p class="comment">${tree.root.comment}</p>`] });
  for (const node of nodes.slice(1)) {
    const side = table.sideOf(node.ply);
    if (side === 0 || row.number === 0) {
      if (side === 0) flush();
      row.number = moveNumber(table.root, node.ply);
      if (side === 1) row.cells.push(html`<span class="move none">…</span>`);
    }
    row.cells.push(moveButton(app, node, marks, false));
    const others = node.parent?.children.slice(1) ?? [];
    if (node.comment && !isHint(node.comment)) row.below.push(html`<p class="comment">${node.comment}</p>`);
    row.below.push(...others.map((other) => variation(app, other, marks)));
    if (row.below.length > 0) flush();
  }
  flush();
  const ending = table.endingAt(tree.end());
  const opening = table.tags.filter(([name]) => /opening/i.test(name)).map(([, value]) => value)[0];
  return html`<section class="moves ${paintOf(info)}" aria-label=${t('moves.label')} data-section="moves" tabindex="0">
    ${table.times.length > 0 ? timesHead(app) : ''}
    ${opening ? html`<p class="opening quiet">${opening}</p>` : ''}
    ${rows.length === 0 ? html`<p class="quiet empty">${t('moves.none')}</p>` : ''}
    ${rows.map(({ number, cells, below }) => html`
      ${cells.length > 0 ? html`<div class="move-row"><span class="row-number">${number}</span>${cells}</div>` : ''}
      ${below.length > 0 ? html`<div class="move-below">${below}</div>` : ''}`)}
    ${ending && (app.mode === 'analyse' || (app.mode === 'review' && !app.recorded)) ? html`<p class="recorded" title=${ending.note ?? ''}>${describeEnding(info, ending)}</p>` : ''}
  </section>`;
}

/**
 * The switch for the times of moves, with the total of each side.
 * @param {App} app
 */
function timesHead(app) {
  const { table } = app;
  const info = /** @type {import('./types.js').GameInfo} */ (table.info);
  const total = (/** @type {number} */ side) => table.times.reduce((sum, [ply, ms]) => sum + (table.sideOf(ply) === side ? ms : 0), 0);
  return html`<div class="times-head"><button type="button" class="link" aria-pressed=${settings.times ? 'true' : 'false'} @click=${() => {
    change({ times: !settings.times });
    app.refresh();
  }}>${t('moves.times')}</button>${settings.times ? [0, 1].map((side) => html`<span title=${sideName(info, side)}><i class="chip side${side}"></i>${describeTime(total(side))}</span>`) : ''}</div>`;
}

/**
 * Tools for the current node: comment, annotate, promote, delete.
 * @param {App} app
 */
export function nodeTools(app) {
  const { table } = app;
  const { tree } = table;
  if (!tree) return '';
  const node = tree.current;
  // The moves of a running game stay.
  const isPlaying = table.isRunning && !!table.live && tree.path(table.live).includes(node);
  const glyphs = node.parent
    ? html`<div class="glyphs" role="group" aria-label=${t('moves.glyphs')}>${GLYPHS.map((glyph) => html`
        <button type="button" class="glyph-button" aria-pressed=${node.glyph === glyph ? 'true' : 'false'} aria-label=${t(`glyph.${glyph}`)} title=${t(`glyph.${glyph}`)}
          @click=${() => {
            app.edits.set(node, 'glyph', node.glyph === glyph ? '' : glyph);
          }}>${glyph}</button>`)}</div>`
    : '';
  const report = isHint(node.comment) && table.info ? describeRemark(table.info, node.comment, table.sideOf(node.ply)) : '';
  return html`<section class="node-tools" data-section="moves">
    <label><span class="visually-hidden">${t('moves.comment')}</span>
      ${report ? html`<p class="quiet">${report}</p>` : ''}
      <textarea rows="2" id="comment" placeholder=${t('moves.comment')} .value=${isHint(node.comment) ? '' : node.comment}
        @input=${(/** @type {Event} */ event) => {
          app.edits.set(node, 'comment', /** @type {HTMLTextAreaElement} */ (event.target).value);
        }}></textarea></label>
    <div class="tool-row">${glyphs}
      <span class="spring"></span>
      ${iconButton('undo', t('moves.undo'), () => app.edits.undo(), { disabled: app.edits.current().done.length === 0 })}
      ${iconButton('redo', t('moves.redo'), () => app.edits.redo(), { disabled: app.edits.current().undone.length === 0 })}
      ${iconButton('up', t('moves.promote'), () => app.edits.promote(node), { disabled: !node.parent || tree.isMainline(node) })}
      ${iconButton('trash', t('moves.delete'), () => {
        app.edits.remove(node);
        app.toast(t('moves.deleted'), { label: t('moves.undo'), run: () => app.edits.undo() });
      }, { disabled: !node.parent || isPlaying })}
    </div>
  </section>`;
}

/** Scrolls the current move into view. Unlike `scrollIntoView`, it scrolls only the list. */
export function scrollToCurrent() {
  for (const list of document.querySelectorAll('.moves')) {
    const current = list.querySelector('.move.current');
    if (!(current instanceof HTMLElement)) {
      list.scrollTop = 0;
      continue;
    }
    const [box, frame] = [current.getBoundingClientRect(), list.getBoundingClientRect()];
    if (box.top < frame.top + 8) list.scrollTop -= frame.top + 8 - box.top + frame.height / 3;
    else if (box.bottom > frame.bottom - 8) list.scrollTop += box.bottom - frame.bottom + 8 + frame.height / 3;
  }
}
