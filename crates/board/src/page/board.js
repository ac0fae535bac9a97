// The board: draws a position with targets and arrows, and handles mouse, touch and keyboard input.
import { html, render, svg } from './vendor/lit-html/lit-html.js';
import { repeat } from './vendor/lit-html/directives/repeat.js';
import { colourOf, drawArrow, drawShapes, RING, STEP } from './arrows.js';
import { Camera } from './camera.js';
import { DragImage } from './drag.js';
import { fieldAt, key, middle, neighbour, same } from './geometry.js';
import { t, tn } from './i18n.js';
import { pieceName } from './moves.js';
import { FIELD, HALF_WIDTH, tile, tileIcon } from './pieces.js';

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
    this.element = document.createElement('div');
    this.element.className = 'board';
    this.element.tabIndex = -1;
    this.element.setAttribute('role', 'group');
    this.camera = new Camera(() => this.#draw());
    this.#listen();
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
      this.#draw();
      if (sameGame && before.view && after.view && before.flipped === after.flipped) this.#animate(before.view, after.view);
      return;
    }
    if (after.game !== before.game || after.flipped !== before.flipped) this.#fit('reset');
    if (!after.playable && !after.editing) this.chosen = null;
    this.#draw();
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
    this.#draw();
    this.events.onchoose?.();
  }

  /**
   * Number of legal moves of the piece on a field.
   * @param {Field} field
   */
  #movesFrom(field) {
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
    if (this.#movesFrom(field) > 0) {
      this.choose({ from: field });
      return true;
    }
    const hadChosen = this.chosen !== null;
    if (hadChosen) this.choose(null);
    else if (!this.state.view?.stacks.some((stack) => same(stack.at, field))) this.#clearShapes();
    if (this.state.playable) this.events.onidle?.(field);
    return hadChosen;
  }

  #clearShapes() {
    if (this.state.drawable && this.state.shapes.length > 0) this.events.onshape?.(null);
  }

  /** Deselects the piece. If none is selected, removes the shapes. */
  escape() {
    this.drawing = null;
    if (this.state.planning) this.events.onplan?.(null);
    if (this.chosen) this.choose(null);
    else this.#clearShapes();
    this.#draw();
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
    this.#draw();
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
      margin: info.has_edge ? (this.state.coordinates === 'edge' ? 1.55 : 1.1) : this.state.close ? 2.8 : 2.9,
      minimum: info.has_edge ? null : this.state.close ? { w: 9, h: 8 } : { w: 13, h: 11 },
    });
  }

  /** Shows the whole hive. */
  fit() {
    this.#fit('reset');
    this.#draw();
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

  #listen() {
    const element = this.element;
    /** @type {Map<number, PointerEvent>} */
    const pointers = new Map();
    /** @type {{event: PointerEvent, field: Field | null, wasChosen: boolean, moved: boolean, image: DragImage | null} | null} */
    let press = null;
    let longPress = 0;
    let pinch = 0;

    const cellOf = (/** @type {Event} */ event) => {
      const cell = event.target instanceof Element ? event.target.closest('[data-key]') : null;
      if (!cell) return null;
      const [x, y] = (cell.getAttribute('data-key') ?? '').split(',').map(Number);
      return /** @type {Field} */ ([x, y]);
    };

    // Keeps the focus, so that arrow keys still step through the game after a click.
    element.addEventListener('mousedown', (event) => {
      if (event.target instanceof Element && event.target.closest('svg.board-svg')) event.preventDefault();
    });

    element.addEventListener('pointerdown', (event) => {
      if (!(event.target instanceof Element) || !event.target.closest('svg.board-svg')) return;
      pointers.set(event.pointerId, event);
      if (pointers.size === 2) {
        press?.image?.remove();
        press = null;
        this.lifted = null;
        pinch = distance(pointers);
        return;
      }
      if (event.button === 2 && event.pointerType === 'mouse' && this.state.drawable) {
        const from = this.#shapeField(event);
        this.drawing = from ? [colourOf(event), from] : null;
        this.#draw();
        try {
          element.setPointerCapture(event.pointerId);
        } catch {
          // The pointer was already released.
        }
        return;
      }
      if (event.button !== 0) return;
      const field = cellOf(event);
      const chosen = this.chosen;
      const wasChosen = !!field && !!chosen && 'from' in chosen && same(chosen.from, field);
      press = { event, field, wasChosen, moved: false, image: null };
      // Select a piece on press, so that dragging shows its targets. A click on a target is a move.
      if (field && !this.state.editing && !wasChosen && this.#movesFrom(field) > 0 && !this.targets().some((move) => same(move.to, field))) {
        this.choose({ from: field });
      }
      clearTimeout(longPress);
      if (field && event.pointerType !== 'mouse') longPress = window.setTimeout(() => this.#expand(field), 450);
      try {
        element.setPointerCapture(event.pointerId);
      } catch {
        // The pointer was already released.
      }
    });

    element.addEventListener('pointermove', (event) => {
      const before = pointers.get(event.pointerId);
      if (before) pointers.set(event.pointerId, event);
      if (pointers.size === 2) {
        const now = distance(pointers);
        const [a, b] = [...pointers.values()];
        if (pinch > 0) this.#zoom((a.clientX + b.clientX) / 2, (a.clientY + b.clientY) / 2, pinch / now);
        pinch = now;
        return;
      }
      if (this.drawing) {
        const [, from] = this.drawing;
        const to = this.#shapeField(event);
        this.drawing = to && !same(from, to) ? [colourOf(event), from, to] : [colourOf(event), from];
        this.#draw();
        return;
      }
      if (!press) {
        if (event.pointerType === 'mouse') this.#hover(cellOf(event));
        return;
      }
      const moved = Math.hypot(event.clientX - press.event.clientX, event.clientY - press.event.clientY);
      if (!press.moved && moved < 6) return;
      clearTimeout(longPress);
      if (!press.moved) {
        press.moved = true;
        const chosen = this.chosen;
        if (press.field && (this.state.editing || (chosen && 'from' in chosen && same(chosen.from, press.field)))) {
          const stack = this.state.view?.stacks.find((one) => same(one.at, press?.field));
          const piece = stack?.pieces[stack.pieces.length - 1];
          if (piece && this.state.info) {
            press.image = new DragImage(piece, this.state.info, this.scale(), this.state.letters);
            this.lifted = press.field;
          }
          this.expanded = null;
          this.#draw();
        }
      }
      if (press.image) {
        press.image.moveTo(event.clientX, event.clientY);
      } else if (before) {
        this.camera.pan((before.clientX - event.clientX) / this.scale(), (before.clientY - event.clientY) / this.scale());
      }
    });

    const end = (/** @type {PointerEvent} */ event) => {
      pointers.delete(event.pointerId);
      clearTimeout(longPress);
      const { drawing } = this;
      if (drawing) {
        this.drawing = null;
        if (event.type === 'pointerup' && this.#shapeField(event)) this.events.onshape?.(drawing);
        this.#draw();
        return;
      }
      const ended = press;
      press = null;
      this.lifted = null;
      if (!ended || event.type === 'pointercancel') {
        ended?.image?.remove();
        this.#draw();
        return;
      }
      if (ended.image) {
        ended.image.remove();
        const field = this.fieldAtPoint(event.clientX, event.clientY);
        if (this.state.editing && ended.field) {
          const isField = !field || !this.state.info?.has_edge || this.#cells().some((cell) => same(cell, field));
          if (isField && !same(field, ended.field)) this.events.ondrag?.(ended.field, field);
          else this.#draw();
          return;
        }
        const move = this.targets().find((target) => same(target.to, field));
        if (move) {
          this.chosen = null;
          this.dropped = true;
          this.events.onmove?.(move);
        } else {
          this.#draw();
        }
        return;
      }
      if (ended.moved) return;
      if (!ended.field) {
        if (this.state.planning) this.events.onplan?.(null);
        if (this.chosen) this.choose(null);
        else this.#clearShapes();
        return;
      }
      const chosen = this.chosen;
      const justChosen = !ended.wasChosen && chosen && 'from' in chosen && same(chosen.from, ended.field);
      if (!justChosen) this.activate(ended.field);
    };
    element.addEventListener('pointerup', end);
    element.addEventListener('pointercancel', end);
    element.addEventListener('pointerleave', (event) => {
      if (event.pointerType === 'mouse') this.#hover(null);
    });
    element.addEventListener('wheel', (event) => {
      if (event.ctrlKey) return;
      event.preventDefault();
      this.#zoom(event.clientX, event.clientY, Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 60) * 0.003));
    }, { passive: false });
    element.addEventListener('contextmenu', (event) => {
      // The right button draws.
      const draws = this.state.drawable && event.target instanceof Element && event.target.closest('svg.board-svg');
      if (draws || (event instanceof PointerEvent && event.pointerType === 'touch')) event.preventDefault();
    });
    element.addEventListener('keydown', (event) => this.#onKey(event));
    element.addEventListener('focusin', (event) => {
      const field = cellOf(event);
      if (field && !same(field, this.focused)) {
        this.focused = field;
        this.#draw();
      }
    });
  }

  /**
   * The field that a shape begins or ends at.
   * @param {PointerEvent} event
   */
  #shapeField(event) {
    const field = this.fieldAtPoint(event.clientX, event.clientY);
    const isKnown = !this.state.info?.has_edge || this.#cells().some((cell) => same(cell, field));
    return isKnown ? field : null;
  }

  /**
   * @param {number} clientX
   * @param {number} clientY
   * @param {number} factor
   */
  #zoom(clientX, clientY, factor) {
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
  #hover(field) {
    if (same(field, this.expanded)) return;
    clearTimeout(this.#hoverTimer);
    if (this.expanded) {
      this.expanded = null;
      this.#draw();
    }
    if (field) this.#hoverTimer = window.setTimeout(() => this.#expand(field), 250);
  }

  /** @param {Field} field */
  #expand(field) {
    const stack = this.state.view?.stacks.find((one) => same(one.at, field));
    if (!stack || stack.pieces.length < 2) return;
    this.expanded = field;
    this.#draw();
  }

  // --- the keyboard ---

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const { view, flipped, info } = this.state;
    if (!view || !info || !this.focused || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!(event.target instanceof Element) || !event.target.closest('[role=grid]')) return;
    const focused = this.focused;
    const known = (/** @type {Field} */ field) => this.#cells().some((cell) => same(cell, field));
    const go = (/** @type {Field} */ field) => {
      const column = this.column;
      this.focusField(field);
      return column;
    };
    const vertical = (/** @type {number[]} */ directions) => {
      const candidates = directions.map((direction) => neighbour(focused, direction, flipped)).filter(known);
      candidates.sort((a, b) => Math.abs(middle(a, flipped)[0] - this.column) - Math.abs(middle(b, flipped)[0] - this.column));
      if (candidates.length > 0) this.column = go(candidates[0]);
    };
    const horizontal = (/** @type {number} */ direction) => {
      const field = neighbour(focused, direction, flipped);
      if (known(field)) go(field);
    };
    switch (event.key) {
      case 'ArrowLeft': horizontal(3); break;
      case 'ArrowRight': horizontal(0); break;
      case 'ArrowUp': vertical([2, 1]); break;
      case 'ArrowDown': vertical([4, 5]); break;
      case 'Enter':
      case ' ': {
        const before = this.chosen;
        this.activate(focused);
        if (this.chosen && this.chosen !== before) {
          this.events.announce?.(tn('board.targets', this.targets().length));
        }
        break;
      }
      case 'Escape':
        if (!this.chosen) return;
        this.choose(null);
        break;
      case 'a':
      case 'A':
        if (!this.state.drawable) return;
        this.events.onshape?.([colourOf(event), focused]);
        break;
      case 'n':
      case 'N': {
        const fields = this.chosen
          ? this.targets().map((move) => move.to)
          : view.moves.map((move) => move.from).filter((field, i, all) => field && all.findIndex((one) => same(one, field)) === i);
        const found = /** @type {Field[]} */ (fields.filter((field) => field));
        if (found.length === 0) break;
        const at = found.findIndex((field) => same(field, focused));
        const step = event.key === 'n' ? 1 : -1;
        go(found[(at + step + (at < 0 && step < 0 ? 1 : 0) + found.length) % found.length]);
        break;
      }
      default: return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  // --- drawing ---

  /**
   * All fields to draw.
   * @returns {Field[]}
   */
  #cells() {
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
    const moves = this.#movesFrom(field);
    if (moves > 0) parts.push(tn('board.targets', moves));
    return parts.join('; ');
  }

  #draw() {
    const { view, info, flipped, letters, coordinates, editing } = this.state;
    if (!view || !info) {
      render(html``, this.element);
      return;
    }
    const stacks = new Map(view.stacks.map((stack) => [key(stack.at), stack]));
    const obstacles = new Set(view.obstacles.map(key));
    const targets = new Map(this.targets().map((move) => [key(move.to), move]));
    const marks = new Set(this.state.marks.map(key));
    const from = key(view.last?.from);
    const to = key(view.last?.to);
    const chosenAt = this.chosen && 'from' in this.chosen ? key(this.chosen.from) : '';
    const cells = this.#cells();
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
      const movable = !editing && !target && this.#movesFrom(field) > 0;
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

    const paint = info.sides[0] === 'red' ? 'paint-contest' : 'paint-standard';
    const classes = ['board-svg', paint, info.has_edge ? 'bounded' : 'unbounded'];
    if (this.state.preview) classes.push('preview');
    if (this.chosen) classes.push('choosing');
    if (this.state.planning) classes.push('planning');
    this.element.setAttribute('aria-label', t('board.label'));
    render(html`
      <svg class=${classes.join(' ')} viewBox=${this.camera.viewBox()} preserveAspectRatio="xMidYMid meet">
        ${info.has_edge ? '' : this.#ground()}
        ${coordinates === 'edge' && (info.has_edge || (view.stacks.length > 0 && !this.state.close)) ? this.#edgeLabels(view.fields) : ''}
        <g role="grid" aria-label=${t('board.label')}>
          ${repeat(sorted, ([row]) => row, ([, row]) => svg`<g role="row">${repeat(row, key, drawCell)}</g>`)}
        </g>
        <g class="arrows" aria-hidden="true">${this.state.arrows.map((arrow) => drawArrow(arrow, { ...this.state, view }))}</g>
        <g class="shapes" aria-hidden="true">${drawShapes(this.drawing ? [...this.state.shapes, this.drawing] : this.state.shapes, { view, flipped })}</g>
        <g class="flights" aria-hidden="true"></g>
      </svg>
      ${this.#stackList(stacks.get(key(this.expanded)))}`, this.element);
  }

  /**
   * The list of pieces of the expanded stack.
   * @param {StackView | undefined} stack
   */
  #stackList(stack) {
    const info = this.state.info;
    if (!stack || !info) return '';
    const pieces = [...stack.pieces].reverse();
    return html`<div class="stack-list ${info.sides[0] === 'red' ? 'paint-contest' : 'paint-standard'}" role="note">
      <strong>${t('board.stack')}</strong>
      <ol>${pieces.map((piece) => html`<li>${tileIcon(piece)} ${pieceName(info, piece)}</li>`)}</ol>
    </div>`;
  }

  /** The background of a board without an edge: a pattern of fields, whatever the hive. */
  #ground() {
    const { x, y, w, h } = this.camera.frame;
    const far = Math.max(w, h) * 2;
    const width = HALF_WIDTH * 2;
    return svg`<defs><pattern id="ground" patternUnits="userSpaceOnUse" x=${-HALF_WIDTH} y="-1" width=${width} height="3">
        <path d=${`M${HALF_WIDTH} 0 ${width} .5V1.5L${HALF_WIDTH} 2 0 1.5V.5ZM${HALF_WIDTH} 2V3`}/></pattern></defs>
      <rect class="ground" x=${(x - far).toFixed(1)} y=${(y - far).toFixed(1)} width=${(w + 2 * far).toFixed(1)} height=${(h + 2 * far).toFixed(1)} fill="url(#ground)"/>`;
  }

  /** @param {Field[]} fields */
  #edgeLabels(fields) {
    const { flipped } = this.state;
    /** @type {import('./vendor/lit-html/lit-html.js').TemplateResult[]} */
    const labels = [];
    const label = (/** @type {Field} */ end, /** @type {Field} */ step, /** @type {string} */ text) => {
      const [x, y] = middle(end, flipped);
      const [dx, dy] = middle(step, flipped);
      labels.push(svg`<text class="edge-label" x=${(x + dx * 0.86).toFixed(2)} y=${(y + dy * 0.86 + 0.06).toFixed(2)}>${text}</text>`);
    };
    const minus = (/** @type {number} */ n) => String(n).replace('-', '−');
    for (const x of new Set(fields.map((field) => field[0]))) {
      const y = Math.max(...fields.filter((field) => field[0] === x).map((field) => field[1]));
      label([x, y], [0, 1], `${minus(x)}${flipped ? '↖' : '↘'}`);
    }
    for (const y of new Set(fields.map((field) => field[1]))) {
      const x = Math.min(...fields.filter((field) => field[1] === y).map((field) => field[0]));
      label([x, y], [-1, 0], `${minus(y)}${flipped ? '↙' : '↗'}`);
    }
    return svg`<g aria-hidden="true">${labels}</g>`;
  }

  /**
   * Animates the piece that moved between two positions.
   * @param {View} before
   * @param {View} after
   */
  #animate(before, after) {
    if (this.dropped) {
      this.dropped = false;
      return;
    }
    if (window.matchMedia('(prefers-reduced-motion: reduce)').matches || document.hidden) return;
    const stacksOf = (/** @type {View} */ view) => new Map(view.stacks.map((stack) => [key(stack.at), stack]));
    const [old, now] = [stacksOf(before), stacksOf(after)];
    /** @type {{field: Field, piece: import('./types.js').PieceView, height: number}[]} */
    const arrived = [];
    /** @type {{field: Field, piece: import('./types.js').PieceView, height: number}[]} */
    const left = [];
    for (const name of new Set([...old.keys(), ...now.keys()])) {
      const [a, b] = [old.get(name)?.pieces ?? [], now.get(name)?.pieces ?? []];
      const field = /** @type {Field} */ (name.split(',').map(Number));
      if (b.length > a.length) arrived.push({ field, piece: b[b.length - 1], height: b.length - 1 });
      if (a.length > b.length) left.push({ field, piece: a[a.length - 1], height: a.length - 1 });
    }
    if (arrived.length !== 1 || left.length > 1) return;
    const [target] = arrived;
    const source = left.find(({ piece }) => piece.letter === target.piece.letter && piece.side === target.piece.side);
    if (left.length === 1 && !source) return;
    const layer = this.element.querySelector('.flights');
    if (!layer || typeof layer.animate !== 'function') return;
    const [tx, ty] = middle(target.field, this.state.flipped);
    const flight = document.createElementNS('http://www.w3.org/2000/svg', 'g');
    render(tile(target.piece, { letters: this.state.letters }), /** @type {any} */ (flight));
    layer.append(flight);
    const name = key(target.field);
    this.flying.add(name);
    this.#draw();
    const place = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ scale) => `translate(${x.toFixed(3)}px, ${y.toFixed(3)}px) scale(${scale})`;
    const end = place(tx, ty - target.height * STEP, 1);
    let frames;
    if (source) {
      const [sx, sy] = middle(source.field, this.state.flipped);
      const start = place(sx, sy - source.height * STEP, 1);
      const distance = Math.hypot(tx - sx, ty - sy);
      const mid = place((sx + tx) / 2, (sy + ty) / 2 - Math.min(0.5, distance * 0.12), 1.1);
      frames = [{ transform: start }, { transform: mid }, { transform: end }];
    } else {
      frames = [{ transform: place(tx, ty - target.height * STEP - 0.4, 1.25), opacity: 0 }, { transform: end, opacity: 1 }];
    }
    const animation = flight.animate(frames, { duration: source ? 220 : 160, easing: 'ease-in-out', fill: 'both' });
    const done = () => {
      flight.remove();
      this.flying.delete(name);
      this.#draw();
    };
    animation.onfinish = done;
    animation.oncancel = done;
  }
}

/** @param {Map<number, PointerEvent>} pointers */
function distance(pointers) {
  const [a, b] = [...pointers.values()];
  return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) || 1;
}

