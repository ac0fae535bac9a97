// Mouse and touch input of the board: choosing, dragging, drawing shapes, panning and zooming.
import { colourOf } from 'wabe/arrows.js';
import { DragImage } from 'wabe/drag.js';
import { same } from 'wabe/geometry.js';

/** @typedef {import('./board.js').Board} Board */
/** @typedef {import('./types.js').Field} Field */

/** @param {Board} board */
export function listenToPointers(board) {
  const element = board.element;
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
      board.lifted = null;
      pinch = distance(pointers);
      return;
    }
    if (event.button === 2 && event.pointerType === 'mouse' && board.state.drawable) {
      const from = board.shapeField(event);
      board.drawing = from ? [colourOf(event), from] : null;
      board.draw();
      try {
        element.setPointerCapture(event.pointerId);
      } catch {
        // The pointer was already released.
      }
      return;
    }
    if (event.button !== 0) return;
    const field = cellOf(event);
    const chosen = board.chosen;
    const wasChosen = !!field && !!chosen && 'from' in chosen && same(chosen.from, field);
    press = { event, field, wasChosen, moved: false, image: null };
    // Select a piece on press, so that dragging shows its targets. A click on a target is a move.
    if (field && !board.state.editing && !wasChosen && board.movesFrom(field) > 0 && !board.targets().some((move) => same(move.to, field))) {
      board.choose({ from: field });
    }
    clearTimeout(longPress);
    if (field && event.pointerType !== 'mouse') longPress = window.setTimeout(() => board.expand(field), 450);
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
      if (pinch > 0) board.zoom((a.clientX + b.clientX) / 2, (a.clientY + b.clientY) / 2, pinch / now);
      pinch = now;
      return;
    }
    if (board.drawing) {
      const [, from] = board.drawing;
      const to = board.shapeField(event);
      board.drawing = to && !same(from, to) ? [colourOf(event), from, to] : [colourOf(event), from];
      board.draw();
      return;
    }
    if (!press) {
      if (event.pointerType === 'mouse') board.hover(cellOf(event));
      return;
    }
    const moved = Math.hypot(event.clientX - press.event.clientX, event.clientY - press.event.clientY);
    if (!press.moved && moved < 6) return;
    clearTimeout(longPress);
    if (!press.moved) {
      press.moved = true;
      const chosen = board.chosen;
      if (press.field && (board.state.editing || (chosen && 'from' in chosen && same(chosen.from, press.field)))) {
        const stack = board.state.view?.stacks.find((one) => same(one.at, press?.field));
        const piece = stack?.pieces[stack.pieces.length - 1];
        if (piece && board.state.info) {
          press.image = new DragImage(piece, board.state.info, board.scale());
          board.lifted = press.field;
        }
        board.expanded = null;
        board.draw();
      }
    }
    if (press.image) {
      press.image.moveTo(event.clientX, event.clientY);
    } else if (before) {
      board.camera.pan((before.clientX - event.clientX) / board.scale(), (before.clientY - event.clientY) / board.scale());
    }
  });

  const end = (/** @type {PointerEvent} */ event) => {
    pointers.delete(event.pointerId);
    clearTimeout(longPress);
    const { drawing } = board;
    if (drawing) {
      board.drawing = null;
      if (event.type === 'pointerup' && board.shapeField(event)) board.events.onshape?.(drawing);
      board.draw();
      return;
    }
    const ended = press;
    press = null;
    board.lifted = null;
    if (!ended || event.type === 'pointercancel') {
      ended?.image?.remove();
      board.draw();
      return;
    }
    if (ended.image) {
      ended.image.remove();
      const field = board.fieldAtPoint(event.clientX, event.clientY);
      if (board.state.editing && ended.field) {
        const isField = !field || !board.state.info?.has_edge || board.cells().some((cell) => same(cell, field));
        if (isField && !same(field, ended.field)) board.events.ondrag?.(ended.field, field);
        else board.draw();
        return;
      }
      const move = board.targets().find((target) => same(target.to, field));
      if (move) {
        board.chosen = null;
        board.dropped = true;
        board.events.onmove?.(move);
      } else {
        board.draw();
      }
      return;
    }
    if (ended.moved) return;
    if (!ended.field) {
      if (board.state.planning) board.events.onplan?.(null);
      if (board.chosen) board.choose(null);
      else board.clearShapes();
      return;
    }
    const chosen = board.chosen;
    const justChosen = !ended.wasChosen && chosen && 'from' in chosen && same(chosen.from, ended.field);
    if (!justChosen) board.activate(ended.field);
  };
  element.addEventListener('pointerup', end);
  element.addEventListener('pointercancel', end);
  element.addEventListener('pointerleave', (event) => {
    if (event.pointerType === 'mouse') board.hover(null);
  });
  element.addEventListener('wheel', (event) => {
    if (event.ctrlKey) return;
    event.preventDefault();
    board.zoom(event.clientX, event.clientY, Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 60) * 0.003));
  }, { passive: false });
  element.addEventListener('contextmenu', (event) => {
    // The right button draws.
    const draws = board.state.drawable && event.target instanceof Element && event.target.closest('svg.board-svg');
    if (draws || (event instanceof PointerEvent && event.pointerType === 'touch')) event.preventDefault();
  });
  element.addEventListener('focusin', (event) => {
    const field = cellOf(event);
    if (field && !same(field, board.focused)) {
      board.focused = field;
      board.draw();
    }
  });
}

/** @param {Map<number, PointerEvent>} pointers */
function distance(pointers) {
  const [a, b] = [...pointers.values()];
  return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) || 1;
}

