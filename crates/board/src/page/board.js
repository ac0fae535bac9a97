// The board: draws a position with targets and arrows. pointers.js and keys.js handle its input.
import { html, noChange, render, svg } from 'wabe/vendor/lit-html/lit-html.js';
import { repeat } from 'wabe/vendor/lit-html/directives/repeat.js';
import { drawArrow, drawShapes, RING, STEP } from 'wabe/arrows.js';
import { Camera } from 'wabe/camera.js';
import { animateMove } from 'wabe/flight.js';
import { fieldAt, key, middle, same } from 'wabe/geometry.js';
import { edgeLabels, ground } from 'wabe/ground.js';
import { t, tn } from 'wabe/i18n.js';
import { handleKey } from 'wabe/keys.js';
import { pieceName } from 'wabe/moves.js';
import { FIELD, paintOf, tile, tileIcon } from 'wabe/pieces.js';
import { listenToPointers } from 'wabe/pointers.js';

/** @typedef {import('./types.js').Field} Field */
/** @typedef {import('./types.js').View} View */
/** @typedef {import('./types.js').GameInfo} GameInfo */
/** @typedef {import('./types.js').MoveView} MoveView */
/** @typedef {import('./types.js').StackView} StackView */
/** @typedef {{from: Field} | {letter: string}} Choice */
/** @typedef {import('./arrows.js').Arrow} Arrow */
/** @typedef {import('./arrows.js').Shape} Shape */

/**
 * @typedef {object} BoardState
 * @property {GameInfo | null} info
 * @property {View | null} view
 * @property {boolean} flipped
 * @property {boolean} letters
 * @property {'off' | 'edge' | 'fields'} coordinates
 * @property {boolean} playable whether the user may move
 * @property {boolean} targets whether to show targets
 * @property {Arrow[]} arrows
 * @property {Shape[]} shapes the user's arrows and circles
 * @property {boolean} planning whether clicks plan a move for later
 * @property {boolean} movable whether to mark the pieces that can move
 * @property {boolean} drawable whether the user may draw shapes
 * @property {Field[]} marks highlighted fields
 * @property {boolean} preview whether the position is a preview
 * @property {boolean} editing whether every field can be chosen
 * @property {string} game identifies the game; a change resets the camera
 * @property {boolean} close whether to zoom in on a small position
 */

/** Vertical distance between the pieces of an expanded stack, in edge lengths of a field. */
const EXPANDED_STEP = 0.5;

export class Board {
  /**
   * @param {object} events
   * @param {(move: MoveView) => void} [events.onmove]
   * @param {() => void} [events.onchoose] after a piece was selected or deselected
   * @param {(field: Field) => void} [events.onfield] after a field was chosen while editing
   * @param {(field: Field) => void} [events.onidle] after a field without a legal action was chosen
   * @param {(from: Field, to: Field | null) => void} [events.ondrag] after a piece was dragged while editing; `null` outside the board
   * @param {(field: Field | null) => void} [events.onplan] after a field was chosen while planning; `null` to cancel
   * @param {(shape: Shape | null) => void} [events.onshape] after the user drew a shape; `null` to clear all
   * @param {(text: string) => void} [events.announce]
   */
  constructor(events) {
    this.events = events;
    /** @type {BoardState} */
    this.state = {
      info: null, view: null, flipped: false, letters: false, coordinates: 'edge', playable: false, targets: true,
      arrows: [], shapes: [], planning: false, movable: false, drawable: false, marks: [], preview: false, editing: false, game: '', close: false,
    };
    /** @type {Choice | null} */
    this.chosen = null;
    /** @type {Field | null} */
    this.focused = null;
    /** The stack whose pieces are spread out.
     * @type {Field | null} */
    this.expanded = null;
    /** Horizontal position that vertical keyboard navigation aims for. */
    this.column = 0;
    /** Keys of fields whose top piece is animated.
     * @type {Set<string>} */
    this.flying = new Set();
    /** True if the last move was made by dragging, so it needs no animation. */
    this.dropped = false;
    /** The field whose top piece is being dragged.
     * @type {Field | null} */
    this.lifted = null;
    /** The shape that is being drawn.
     * @type {Shape | null} */
    this.drawing = null;
    /** True if the next position resets the camera. */
    this.needsReset = true;
    /** What the drawn fields depend on.
     * @type {unknown[]} */
    this.drawn = [];
    this.element = document.createElement('div');
    this.element.className = 'board';
    this.element.tabIndex = -1;
    this.element.setAttribute('role', 'group');
    this.camera = new Camera(() => this.draw());
    listenToPointers(this);
    this.element.addEventListener('keydown', (event) => handleKey(this, event));
  }

  /** @param {Partial<BoardState>} changes */
  set(changes) {
    const before = this.state;
    const after = { ...before, ...changes };
    this.state = after;
    // The game may change before its first position arrives.
    if (after.game !== before.game) this.needsReset = true;
    if (after.view !== before.view) {
      this.chosen = null;
      this.expanded = null;
      const sameGame = !this.needsReset;
      this.needsReset = false;
      this.#fit(sameGame ? 'grow' : 'reset');
      this.draw();
      if (sameGame && before.view && after.view && before.flipped === after.flipped) animateMove(this, before.view, after.view);
      return;
    }
    if (after.game !== before.game || after.flipped !== before.flipped) this.#fit('reset');
    if (!after.playable && !after.editing) this.chosen = null;
    this.draw();
  }

  // --- legal moves ---

  /** The legal moves of the selected piece. */
  targets() {
    const { view, playable } = this.state;
    const chosen = this.chosen;
    if (!view || !playable || !chosen) return [];
    return view.moves.filter((move) =>
      'from' in chosen ? same(move.from, chosen.from) : !move.from && move.to && move.letter === chosen.letter,
    );
  }

  /** @param {Choice | null} choice */
  choose(choice) {
    this.chosen = choice;
    if (choice && this.targets().length === 0) this.chosen = null;
    this.draw();
    this.events.onchoose?.();
  }

  /**
   * Number of legal moves of the piece on a field.
   * @param {Field} field
   */
  movesFrom(field) {
    const { view, playable } = this.state;
    return view && playable ? view.moves.filter((move) => same(move.from, field)).length : 0;
  }

  /**
   * Handles a click on a field, or its selection by keyboard.
   * @param {Field} field
   * @returns {boolean} whether it had an effect
   */
  activate(field) {
    if (this.state.editing) {
      this.events.onfield?.(field);
      return true;
    }
    if (this.state.planning) {
      this.events.onplan?.(field);
      return true;
    }
    const move = this.targets().find((target) => same(target.to, field));
    if (move) {
      this.chosen = null;
      this.events.onmove?.(move);
      return true;
    }
    if (this.chosen && 'from' in this.chosen && same(this.chosen.from, field)) {
      this.choose(null);
      return true;
    }
    if (this.movesFrom(field) > 0) {
      this.choose({ from: field });
      return true;
    }
    const hadChosen = this.chosen !== null;
    if (hadChosen) this.choose(null);
    else if (!this.state.view?.stacks.some((stack) => same(stack.at, field))) this.clearShapes();
    if (this.state.playable) this.events.onidle?.(field);
    return hadChosen;
  }

  clearShapes() {
    if (this.state.drawable && this.state.shapes.length > 0) this.events.onshape?.(null);
  }

  /** Deselects the piece. If none is selected, removes the shapes. */
  escape() {
    this.drawing = null;
    if (this.state.planning) this.events.onplan?.(null);
    if (this.chosen) this.choose(null);
    else this.clearShapes();
    this.draw();
  }

  /** Focuses the first target, or a field if there is none. */
  focusTarget() {
    const target = this.targets()[0]?.to;
    this.focusField(target ?? this.focused ?? this.state.view?.fields[0] ?? [0, 0]);
  }

  /** Focuses the board, from which Tab leads to its fields. */
  focus() {
    this.element.focus({ preventScroll: true });
  }

  /** @param {Field} field */
  focusField(field) {
    this.focused = field;
    this.column = middle(field, this.state.flipped)[0];
    this.draw();
    const cell = this.element.querySelector(`[data-key="${key(field)}"]`);
    if (cell instanceof SVGElement) cell.focus();
  }

  // --- coordinates ---

  /** @param {'grow' | 'reset'} how */
  #fit(how) {
    const { info, view, flipped } = this.state;
    if (!info || !view) return;
    const fields = info.has_edge || this.state.editing ? view.fields : view.stacks.map((stack) => stack.at);
    this.camera.fit(fields.map((field) => middle(field, flipped)), {
      reset: how === 'reset',
      margin: info.has_edge ? (this.state.coordinates === 'edge' ? 1.55 : 1.1) : this.state.close ? 2.8 : this.state.coordinates === 'edge' ? 3.4 : 2.9,
      minimum: info.has_edge ? null : this.state.close ? { w: 9, h: 8 } : { w: 13, h: 11 },
    });
  }

  /** Shows the whole hive. */
  fit() {
    this.#fit('reset');
    this.draw();
  }

  /**
   * The field at a point in the window.
   * @param {number} clientX
   * @param {number} clientY
   * @returns {Field | null}
   */
  fieldAtPoint(clientX, clientY) {
    const frame = this.element.querySelector('svg.board-svg');
    if (!(frame instanceof SVGSVGElement)) return null;
    const matrix = frame.getScreenCTM();
    if (!matrix) return null;
    const box = this.element.getBoundingClientRect();
    if (clientX < box.left || clientX > box.right || clientY < box.top || clientY > box.bottom) return null;
    const point = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
    return fieldAt(point.x, point.y, this.state.flipped);
  }

  /**
   * Edge length of a field in the window, in px.
   * @returns {number}
   */
  scale() {
    const frame = this.element.querySelector('svg.board-svg');
    return frame instanceof SVGSVGElement ? frame.getScreenCTM()?.a ?? 30 : 30;
  }

  // --- mouse and touch ---

  /**
   * The field that a shape begins or ends at.
   * @param {PointerEvent} event
   */
  shapeField(event) {
    const field = this.fieldAtPoint(event.clientX, event.clientY);
    const isKnown = !this.state.info?.has_edge || this.cells().some((cell) => same(cell, field));
    return isKnown ? field : null;
  }

  /**
   * @param {number} clientX
   * @param {number} clientY
   * @param {number} factor
   */
  zoom(clientX, clientY, factor) {
    const frame = this.element.querySelector('svg.board-svg');
    if (!(frame instanceof SVGSVGElement)) return;
    const matrix = frame.getScreenCTM();
    if (!matrix) return;
    const point = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
    this.camera.zoom(point.x, point.y, factor);
  }

  /**
   * Zooms around the centre.
   * @param {number} factor below 1 to zoom in
   */
  zoomBy(factor) {
    this.camera.zoom(this.camera.frame.x + this.camera.frame.w / 2, this.camera.frame.y + this.camera.frame.h / 2, factor);
  }

  /** @type {number} */
  #hoverTimer = 0;

  /** @param {Field | null} field */
  hover(field) {
    if (same(field, this.expanded)) return;
    clearTimeout(this.#hoverTimer);
    if (this.expanded) {
      this.expanded = null;
      this.draw();
    }
    if (field) this.#hoverTimer = window.setTimeout(() => this.expand(field), 250);
  }

  /** @param {Field} field */
  expand(field) {
    const stack = this.state.view?.stacks.find((one) => same(one.at, field));
    if (!stack || stack.pieces.length < 2) return;
    this.expanded = field;
    this.draw();
  }

  // --- drawing ---

  /**
   * All fields to draw.
   * @returns {Field[]}
   */
  cells() {
    const { view } = this.state;
    if (!view) return [];
    const cells = new Map(view.fields.map((field) => [key(field), field]));
    for (const stack of view.stacks) cells.set(key(stack.at), stack.at);
    for (const move of view.moves) if (move.to) cells.set(key(move.to), move.to);
    return [...cells.values()];
  }

  /**
   * A field's label for screen readers.
   * @param {Field} field
   * @param {StackView | undefined} stack
   * @param {boolean} obstacle
   * @param {boolean} target
   */
  #label(field, stack, obstacle, target) {
    const info = /** @type {GameInfo} */ (this.state.info);
    const at = key(field);
    const parts = [];
    if (obstacle) {
      parts.push(t('board.bramble', { at }));
    } else if (!stack) {
      parts.push(t('board.empty', { at }));
    } else {
      const names = [...stack.pieces].reverse().map((piece) => pieceName(info, piece));
      parts.push(t('board.piece', { piece: names[0], at }));
      if (names.length > 1) parts.push(t('board.on', { pieces: names.slice(1).join(', ') }));
    }
    if (target) parts.push(t('board.isTarget'));
    const circle = this.state.shapes.find(([, at, to]) => same(at, field) && !to);
    if (circle) parts.push(t(`board.circle.${circle[0]}`));
    const moves = this.movesFrom(field);
    if (moves > 0) parts.push(tn('board.targets', moves));
    return parts.join('; ');
  }

  draw() {
    const { view, info, flipped, letters, coordinates, editing } = this.state;
    if (!view || !info) {
      render(html``, this.element);
      this.drawn = [];
      return;
    }
    const stacks = new Map(view.stacks.map((stack) => [key(stack.at), stack]));
    const obstacles = new Set(view.obstacles.map(key));
    const targets = new Map(this.targets().map((move) => [key(move.to), move]));
    const marks = new Set(this.state.marks.map(key));
    const from = key(view.last?.from);
    const to = key(view.last?.to);
    const chosenAt = this.chosen && 'from' in this.chosen ? key(this.chosen.from) : '';
    const cells = this.cells();
    /** @type {Map<number, Field[]>} */
    const rows = new Map();
    for (const cell of cells) {
      const row = cell[0] + cell[1];
      const others = rows.get(row);
      if (others) others.push(cell);
      else rows.set(row, [cell]);
    }
    const sign = flipped ? -1 : 1;
    const sorted = [...rows.entries()].sort((a, b) => (b[0] - a[0]) * sign);
    for (const [, row] of sorted) row.sort((a, b) => (a[0] - a[1] - b[0] + b[1]) * sign);
    const focusable = this.focused && cells.some((cell) => same(cell, this.focused)) ? key(this.focused) : key(sorted[0]?.[1][0]);

    const drawCell = (/** @type {Field} */ field) => {
      const name = key(field);
      const stack = stacks.get(name);
      const obstacle = obstacles.has(name);
      const target = targets.has(name);
      const [x, y] = middle(field, flipped);
      const step = same(field, this.expanded) ? EXPANDED_STEP : STEP;
      const top = stack ? (stack.pieces.length - 1) * step : 0;
      const flying = this.flying.has(name);
      const movable = !editing && !target && this.movesFrom(field) > 0;
      const classes = ['cell'];
      if (name === from && view.last) classes.push('last-from');
      if (name === to) classes.push('last-to');
      if (name === chosenAt) classes.push('chosen');
      if (target) classes.push('target');
      if (target && !this.state.targets) classes.push('hidden-target');
      if (movable) classes.push('movable');
      if (movable && this.state.movable && !this.chosen) classes.push('can-move');
      if (editing) classes.push('editable');
      if (marks.has(name)) classes.push('marked');
      return svg`
        <g role="gridcell" class=${classes.join(' ')} data-key=${name} tabindex=${name === focusable ? '0' : '-1'}
           aria-label=${this.#label(field, stack, obstacle, target)} aria-selected=${name === chosenAt ? 'true' : 'false'}
           transform=${`translate(${x.toFixed(3)} ${y.toFixed(3)})`}>
          <path class="field" d=${FIELD}/>
          ${obstacle ? svg`<use class="bramble" href="#bramble" x="-0.8" y="-0.8" width="1.6" height="1.6"/>` : ''}
          ${coordinates === 'fields' && !stack && !obstacle ? svg`<text class="coordinate" y="0.06">${name.replace(/-/g, '−')}</text>` : ''}
          ${stack?.pieces.map((piece, height) => {
            const isTop = height === stack.pieces.length - 1;
            return svg`<g class=${isTop && flying ? 'piece hidden' : isTop && same(field, this.lifted) ? 'piece lifted' : 'piece'} transform=${`translate(0 ${(-height * step).toFixed(2)})`}>${tile(piece, { letters })}</g>`;
          })}
          ${stack && stack.pieces.length > 1 && !same(field, this.expanded)
            ? svg`<g class="height" transform=${`translate(-0.52 ${(-top - 0.5).toFixed(2)})`}><circle r="0.23"/><text y="0.02">${stack.pieces.length}</text></g>` : ''}
          <path class="mark" d=${RING} transform=${`translate(0 ${(-top).toFixed(2)})`}/>
          ${target ? svg`<circle class="dot" r=${stack ? 0.3 : 0.26} cy=${-top}/>` : ''}
          <path class="focus-ring" d=${RING} transform=${`translate(0 ${(-top).toFixed(2)})`}/>
        </g>`;
    };

    const classes = ['board-svg', paintOf(info), info.has_edge ? 'bounded' : 'unbounded'];
    if (this.state.preview) classes.push('preview');
    if (this.chosen) classes.push('choosing');
    if (this.state.planning) classes.push('planning');
    this.element.setAttribute('aria-label', t('board.label'));
    render(html`
      <svg class=${classes.join(' ')} viewBox=${this.camera.viewBox()} preserveAspectRatio="xMidYMid meet">
        ${info.has_edge ? '' : ground(this.camera.frame)}
        ${coordinates === 'edge' && (info.has_edge || (view.stacks.length > 0 && !this.state.close)) ? edgeLabels(view.fields, flipped) : ''}
        <g role="grid" aria-label=${t('board.label')}>
          ${this.#fieldsChanged() ? repeat(sorted, ([row]) => row, ([, row]) => svg`<g role="row">${repeat(row, key, drawCell)}</g>`) : noChange}
        </g>
        <g class="arrows" aria-hidden="true">${this.state.arrows.map((arrow) => drawArrow(arrow, { ...this.state, view }))}</g>
        <g class="shapes" aria-hidden="true">${drawShapes(this.drawing ? [...this.state.shapes, this.drawing] : this.state.shapes, { view, flipped })}</g>
        <g class="flights" aria-hidden="true"></g>
      </svg>
      ${this.#stackList(stacks.get(key(this.expanded)))}`, this.element);
  }

  /** True if the fields must be drawn again, and not only the arrows of a running analysis. */
  #fieldsChanged() {
    const { info, view, flipped, letters, coordinates, editing, playable, targets, movable, shapes, marks } = this.state;
    const now = [
      info, view, flipped, letters, coordinates, editing, playable, targets, movable, shapes.join(' '), marks.join(' '),
      this.chosen, this.focused, this.expanded, this.lifted, [...this.flying].join(' '), document.documentElement.lang,
    ];
    const changed = now.length !== this.drawn.length || now.some((value, i) => value !== this.drawn[i]);
    this.drawn = now;
    return changed;
  }

  /**
   * The list of pieces of the expanded stack.
   * @param {StackView | undefined} stack
   */
  #stackList(stack) {
    const info = this.state.info;
    if (!stack || !info) return '';
    const pieces = [...stack.pieces].reverse();
    return html`<div class="stack-list ${paintOf(info)}" role="note">
      <strong>${t('board.stack')}</strong>
      <ol>${pieces.map((piece) => html`<li>${tileIcon(piece)} ${pieceName(info, piece)}</li>`)}</ol>
    </div>`;
  }

}
