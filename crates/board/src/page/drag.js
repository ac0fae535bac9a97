// The image of a dragged piece.
import { render } from 'wabe/vendor/lit-html/lit-html.js';
import { paintOf, tileIcon } from 'wabe/pieces.js';

export class DragImage {
  /**
   * @param {import('./types.js').PieceView} piece
   * @param {import('./types.js').GameInfo} info
   * @param {number} scale length of a field's edge in px
   */
  constructor(piece, info, scale) {
    this.element = document.createElement('div');
    this.element.className = `drag-image ${paintOf(info)}`;
    this.element.style.width = `${(scale * 2).toFixed(1)}px`;
    render(tileIcon(piece), this.element);
    document.body.append(this.element);
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  moveTo(x, y) {
    this.element.style.transform = `translate(${x}px, ${y}px) translate(-50%, -50%) scale(1.08)`;
  }

  remove() {
    this.element.remove();
  }
}
