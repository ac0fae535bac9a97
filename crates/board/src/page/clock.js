// A game clock: two countdowns, at most one of which is running.

/** @typedef {{baseMs: number, incrementMs: number}} ClockControl */

export class Clock {
  /**
   * @param {ClockControl} control
   * @param {[number, number]} [remaining]
   */
  constructor(control, remaining) {
    this.control = control;
    /** @type {[number, number]} */
    this.remaining = remaining ?? [control.baseMs, control.baseMs];
    /** @type {number | null} */
    this.running = null;
    this.since = 0;
    this.timer = 0;
    /** Called when a side runs out of time.
     * @type {(side: number) => void} */
    this.onflag = () => {};
  }

  /**
   * A side's remaining time in ms.
   * @param {number} side
   */
  left(side) {
    const used = this.running === side ? performance.now() - this.since : 0;
    return Math.max(0, this.remaining[side] - used);
  }

  /** @param {number} side */
  start(side) {
    if (this.running === side) return;
    this.stop();
    this.running = side;
    this.since = performance.now();
    this.timer = window.setTimeout(() => {
      this.stop();
      this.onflag(side);
    }, this.remaining[side]);
  }

  /** Stops both clocks. */
  stop() {
    clearTimeout(this.timer);
    if (this.running === null) return;
    this.remaining[this.running] = this.left(this.running);
    this.running = null;
  }

  /**
   * Stops a side's clock after its move and adds the increment.
   * @param {number} side
   */
  press(side) {
    this.stop();
    this.remaining[side] += this.control.incrementMs;
  }
}

/**
 * Formats a time: `9:41`, with tenths below ten seconds.
 * @param {number} ms
 */
export function clockText(ms) {
  if (ms < 10_000) return `0:0${(Math.floor(ms / 100) / 10).toFixed(1)}`;
  const seconds = Math.ceil(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const two = (/** @type {number} */ n) => String(n).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes % 60)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/**
 * The engine's share of its remaining time for a single move, in ms.
 * @param {number} leftMs
 * @param {number} incrementMs
 */
export function shareOfClock(leftMs, incrementMs) {
  const wanted = leftMs / 25 + incrementMs * 0.8;
  return Math.round(Math.max(20, Math.min(wanted, leftMs * 0.4)));
}
