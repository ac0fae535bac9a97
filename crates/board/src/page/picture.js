// Pictures of the board: the position as SVG or PNG, the whole game as an animated GIF. They need
// no style sheet: styles become attributes, and symbols are copied to where they are used.
import { html } from 'wabe/vendor/lit-html/lit-html.js';
import { Board } from 'wabe/board.js';
import { copyText, download, gameFileName } from 'wabe/files.js';
import { number, t } from 'wabe/i18n.js';
import { settings } from 'wabe/settings.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./types.js').View} View */

/** Size of a picture: px per edge length of a field. */
const SCALE = 40;
/** Maximum width and height of a GIF in px. */
const GIF_SIZE = 480;
/** How long a GIF shows the last position, in ms. */
const LAST_MS = 3000;
/** The palette index of pixels that are the same as in the frame before. */
const UNCHANGED = 255;
/** Properties of shapes, all of them inherited, with their initial values. */
const SHAPE = {
  fill: 'rgb(0, 0, 0)', 'fill-opacity': '1', stroke: 'none', 'stroke-opacity': '1', 'stroke-width': '1px', 'stroke-linecap': 'butt', 'stroke-linejoin': 'miter', 'stroke-dasharray': 'none',
};
/** Properties of texts. */
const TEXT = ['font-family', 'font-size', 'font-weight', 'text-anchor', 'dominant-baseline'];
const SVG = 'http://www.w3.org/2000/svg';

/**
 * Replaces a use of a symbol by a group with the symbol's content.
 * @param {SVGUseElement} use
 */
function expand(use) {
  const symbol = document.querySelector(use.getAttribute('href') ?? '');
  const value = (/** @type {string} */ name) => Number(use.getAttribute(name));
  const scale = value('width') / 100;
  const group = document.createElementNS(SVG, 'g');
  group.setAttribute('class', use.getAttribute('class') ?? '');
  group.setAttribute('transform', `translate(${value('x') + 50 * scale} ${value('y') + 50 * scale})scale(${scale})`);
  group.setAttribute('fill', 'currentColor');
  for (const child of symbol?.children ?? []) group.append(child.cloneNode(true));
  use.replaceWith(group);
}

/**
 * Copies an element of the page with its computed styles as attributes.
 * @param {Element} element
 * @param {Record<string, string>} inherited styles of the parent
 * @returns {Element | null} `null` if it is not visible
 */
function copy(element, inherited) {
  const style = getComputedStyle(element);
  if (style.visibility === 'hidden' || style.display === 'none') return null;
  const isShape = element.children.length === 0;
  if (isShape && style.fill === 'none' && style.stroke === 'none') return null;
  const made = document.createElementNS(SVG, element.localName);
  for (const { name, value } of element.attributes) {
    if (!/^(class|role|tabindex|aria-.*|data-.*)$/.test(name)) made.setAttribute(name, value);
  }
  /** @type {Record<string, string>} */
  const own = {};
  for (const name of Object.keys(SHAPE)) {
    own[name] = style.getPropertyValue(name);
    if (own[name] !== inherited[name]) made.setAttribute(name, own[name]);
    else made.removeAttribute(name);
  }
  if (style.opacity !== '1') made.setAttribute('opacity', style.opacity);
  if (element.localName === 'text') {
    for (const name of TEXT) made.setAttribute(name, style.getPropertyValue(name));
    made.textContent = element.textContent;
  }
  for (const child of element.children) {
    const inner = copy(child, own);
    if (inner) made.append(inner);
  }
  return made.localName === 'g' && made.children.length === 0 ? null : made;
}

/** Draws positions outside the window, always with the same frame. */
class Studio {
  /**
   * @param {import('./board.js').BoardState} state of the board in the page
   * @param {View[]} views the positions that fit into the frame
   */
  constructor(state, views) {
    this.board = new Board({});
    this.host = document.createElement('div');
    this.host.className = 'picture-host';
    this.host.append(this.board.element);
    document.body.append(this.host);
    this.plain = { ...state, playable: false, planning: false, movable: false, drawable: false, marks: [], preview: false, editing: false };
    const stacks = views.flatMap((view) => view.stacks);
    this.#set({ view: { ...views[0], stacks } });
    this.frame = this.board.camera.frame;
  }

  /** @param {Partial<import('./board.js').BoardState>} changes */
  #set(changes) {
    // As after dragging: without an animation.
    this.board.dropped = true;
    this.board.set({ ...this.plain, ...changes });
  }

  /**
   * @param {Partial<import('./board.js').BoardState>} changes
   * @returns {{svg: string, width: number, height: number}} the picture and its size in px
   */
  draw(changes) {
    this.#set(changes);
    this.board.camera.frame = this.frame;
    this.board.draw();
    const { x, y, w, h } = this.frame;
    const root = document.createElementNS(SVG, 'svg');
    const [width, height] = [Math.round(w * SCALE), Math.round(h * SCALE)];
    for (const [name, value] of Object.entries({ viewBox: `${x} ${y} ${w} ${h}`, width, height })) root.setAttribute(name, String(value));
    const ground = document.createElementNS(SVG, 'rect');
    for (const [name, value] of Object.entries({ x, y, width: w, height: h, fill: getComputedStyle(this.board.element).backgroundColor })) ground.setAttribute(name, String(value));
    root.append(ground);
    const drawn = this.board.element.querySelector('svg.board-svg');
    const copied = /** @type {SVGSVGElement | undefined} */ (drawn?.cloneNode(true));
    if (copied && drawn) {
      // Styles are computed only in the page.
      drawn.after(copied);
      for (const use of copied.querySelectorAll('use')) expand(use);
      for (const child of copied.children) root.append(copy(child, SHAPE) ?? '');
      copied.remove();
    }
    return { svg: new XMLSerializer().serializeToString(root), width, height };
  }

  close() {
    this.host.remove();
  }
}

/**
 * @param {{svg: string, width: number, height: number}} picture
 * @param {number} scale
 * @returns {Promise<HTMLCanvasElement>}
 */
async function paint({ svg, width, height }, scale) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.getContext('2d', { willReadFrequently: true })?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/**
 * The shown position.
 * @param {App} app
 */
function drawShown(app) {
  const { state } = app.board;
  const studio = new Studio(state, state.view ? [state.view] : []);
  const picture = studio.draw({});
  studio.close();
  return picture;
}

/**
 * The shown position as PNG.
 * @param {App} app
 * @returns {Promise<Blob>}
 */
async function shownAsPng(app) {
  const canvas = await paint(drawShown(app), 2);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(t('picture.failed')))));
  });
}

/**
 * The line of the shown position as an animated GIF.
 * @param {App} app
 * @param {(done: number, all: number) => void} progress
 */
async function gameAsGif(app, progress) {
  const { GIFEncoder, quantize, applyPalette } = await import('wabe/vendor/gifenc/gifenc.js');
  const { table, board } = app;
  const tree = /** @type {import('./tree.js').Tree} */ (table.tree);
  const nodes = tree.path(tree.end(tree.current));
  /** @type {View[]} */
  const views = [];
  for (const node of nodes) views.push((await table.shown(node)).view);
  const studio = new Studio(board.state, views);
  try {
    const frame = async (/** @type {number} */ i) => {
      const picture = studio.draw({ view: views[i], shapes: nodes[i].shapes, arrows: [] });
      const canvas = await paint(picture, Math.min(1, GIF_SIZE / Math.max(picture.width, picture.height)));
      return /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')).getImageData(0, 0, canvas.width, canvas.height);
    };
    // The last position contains the colours of all pieces.
    const drawn = nodes.findIndex((node) => node.shapes.length > 0);
    const samples = [await frame(nodes.length - 1), ...(drawn < 0 ? [] : [await frame(drawn)])];
    const pixels = new Uint8ClampedArray(samples.reduce((sum, { data }) => sum + data.length, 0));
    samples.forEach(({ data }, i) => pixels.set(data, i * samples[0].data.length));
    const palette = quantize(pixels, UNCHANGED);
    while (palette.length <= UNCHANGED) palette.push([0, 0, 0]);
    const encoder = GIFEncoder();
    /** @type {Uint8Array | null} */
    let before = null;
    for (const i of nodes.keys()) {
      progress(i, nodes.length);
      const { data, width, height } = await frame(i);
      const now = applyPalette(data, palette.slice(0, UNCHANGED));
      const changed = before ? now.map((color, at) => (color === before?.[at] ? UNCHANGED : color)) : now;
      encoder.writeFrame(changed, width, height, {
        ...(before ? { transparent: true, transparentIndex: UNCHANGED } : { palette }), dispose: 1, delay: i === nodes.length - 1 ? LAST_MS : settings.autoplayMs,
      });
      before = now;
    }
    encoder.finish();
    return new Blob([encoder.bytes()], { type: 'image/gif' });
  } finally {
    studio.close();
  }
}

/** How much of a GIF is finished; empty if none is being made. */
let progressText = '';

/**
 * The buttons for pictures.
 * @param {App} app
 */
export function pictureButtons(app) {
  const name = (/** @type {string} */ extension) => gameFileName(app.table, `game.${extension}`);
  const run = (/** @type {() => Promise<void>} */ action) => () => action().catch((error) => app.fail(error));
  const copied = (/** @type {boolean} */ isDone) => app.toast(t(isDone ? 'share.copied' : 'share.notCopied'));
  const copyPng = async () => {
    try {
      // Safari accepts a promise only.
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': shownAsPng(app) })]);
      copied(true);
    } catch {
      copied(false);
    }
  };
  const saveGif = async () => {
    const gif = await gameAsGif(app, (done, all) => {
      progressText = t('picture.progress', { n: number((100 * done) / all) });
      app.refresh();
    }).finally(() => {
      progressText = '';
      app.refresh();
    });
    download(name('gif'), gif);
  };
  return html`<h3>${t('picture.title')}</h3><div class="buttons">
    <button type="button" @click=${run(copyPng)}>${t('picture.copy')}<small>PNG</small></button>
    <button type="button" @click=${run(async () => copied(await copyText(drawShown(app).svg)))}>${t('picture.copy')}<small>SVG</small></button>
    <button type="button" @click=${run(async () => download(name('png'), await shownAsPng(app)))}>${t('picture.position')}<small>.png</small></button>
    <button type="button" @click=${run(async () => download(name('svg'), drawShown(app).svg, 'image/svg+xml'))}>${t('picture.position')}<small>.svg</small></button>
    <button type="button" ?disabled=${progressText !== '' || !app.table.tree?.root.children.length} @click=${run(saveGif)}>${progressText || t('picture.game')}<small>.gif</small></button></div>`;
}
