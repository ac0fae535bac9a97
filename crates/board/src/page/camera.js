// The visible part of the plane: fitting, panning, zooming.

/** @typedef {{x: number, y: number, w: number, h: number}} Frame */

export class Camera {
  /** @param {() => void} onchange */
  constructor(onchange) {
    this.onchange = onchange;
    /** @type {Frame} */
    this.frame = { x: -6, y: -6, w: 12, h: 12 };
    /** The frame without panning and zooming.
     * @type {Frame} */
    this.home = this.frame;
    this.manual = false;
    this.animation = 0;
  }

  viewBox() {
    const { x, y, w, h } = this.frame;
    return `${x.toFixed(3)} ${y.toFixed(3)} ${w.toFixed(3)} ${h.toFixed(3)}`;
  }

  /**
   * Shows all points. Without `reset`, the frame only grows, and panning and zooming are preserved.
   * @param {[number, number][]} points
   * @param {{reset: boolean, margin: number, minimum: {w: number, h: number} | null}} how `minimum`: smallest frame of a board without an edge
   */
  fit(points, { reset, margin, minimum }) {
    const xs = points.map((point) => point[0]);
    const ys = points.map((point) => point[1]);
    const left = Math.min(...xs, points.length > 0 ? Infinity : 0) - margin;
    const right = Math.max(...xs, points.length > 0 ? -Infinity : 0) + margin;
    const top = Math.min(...ys, points.length > 0 ? Infinity : 0) - margin;
    const bottom = Math.max(...ys, points.length > 0 ? -Infinity : 0) + margin;
    let frame = { x: left, y: top, w: right - left, h: bottom - top };
    if (minimum) {
      const growX = Math.max(0, minimum.w - frame.w) / 2;
      const growY = Math.max(0, minimum.h - frame.h) / 2;
      frame = { x: frame.x - growX, y: frame.y - growY, w: frame.w + 2 * growX, h: frame.h + 2 * growY };
    }
    if (!reset && minimum) {
      const { home } = this;
      // The frame is kept until the hive has used up this much of the margin.
      const slack = 1.2;
      const inside = left + slack >= home.x && right - slack <= home.x + home.w && top + slack >= home.y && bottom - slack <= home.y + home.h;
      if (inside) return;
      const x = Math.min(home.x, left);
      const y = Math.min(home.y, top);
      frame = { x, y, w: Math.max(home.x + home.w, right) - x, h: Math.max(home.y + home.h, bottom) - y };
    }
    if (reset) this.manual = false;
    const changed = ['x', 'y', 'w', 'h'].some((side) => Math.abs(frame[/** @type {'x'} */ (side)] - this.home[/** @type {'x'} */ (side)]) > 1e-6);
    this.home = frame;
    if (this.manual) return;
    if (reset || !changed) {
      cancelAnimationFrame(this.animation);
      this.frame = frame;
      return;
    }
    this.#glide(frame);
  }

  /** @param {Frame} to */
  #glide(to) {
    cancelAnimationFrame(this.animation);
    if (window.matchMedia('(prefers-reduced-motion: reduce)').matches || document.hidden) {
      this.frame = to;
      return;
    }
    const from = this.frame;
    const begin = performance.now();
    const step = (/** @type {number} */ now) => {
      const share = Math.min(1, (now - begin) / 300);
      const eased = share * share * (3 - 2 * share);
      const mix = (/** @type {number} */ a, /** @type {number} */ b) => a + (b - a) * eased;
      this.frame = { x: mix(from.x, to.x), y: mix(from.y, to.y), w: mix(from.w, to.w), h: mix(from.h, to.h) };
      this.onchange();
      if (share < 1) this.animation = requestAnimationFrame(step);
    };
    this.animation = requestAnimationFrame(step);
  }

  /**
   * @param {number} dx
   * @param {number} dy
   */
  pan(dx, dy) {
    cancelAnimationFrame(this.animation);
    const { frame, home } = this;
    const clamp = (/** @type {number} */ value, /** @type {number} */ low, /** @type {number} */ high) => Math.min(Math.max(value, low), high);
    this.manual = true;
    this.frame = {
      ...frame,
      x: clamp(frame.x + dx, home.x - frame.w * 0.7, home.x + home.w - frame.w * 0.3),
      y: clamp(frame.y + dy, home.y - frame.h * 0.7, home.y + home.h - frame.h * 0.3),
    };
    this.onchange();
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} factor above 1 to zoom out
   */
  zoom(x, y, factor) {
    cancelAnimationFrame(this.animation);
    const { frame, home } = this;
    const w = Math.min(Math.max(frame.w * factor, Math.min(5, home.w)), home.w * 1.8);
    const scale = w / frame.w;
    this.manual = true;
    this.frame = { x: x - (x - frame.x) * scale, y: y - (y - frame.y) * scale, w, h: frame.h * scale };
    this.onchange();
  }
}
