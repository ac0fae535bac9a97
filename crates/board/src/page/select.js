// Drop-down lists.
import { html, nothing } from 'wabe/vendor/lit-html/lit-html.js';

/**
 * A drop-down list. Wrap it in a label, or pass `label`.
 * @template {string | number} T
 * @param {T} current
 * @param {[T, unknown][]} options values and names
 * @param {(value: T) => void} onchange
 * @param {string} [label] for screen readers
 */
export function select(current, options, onchange, label) {
  const changed = (/** @type {Event} */ event) => onchange(options[/** @type {HTMLSelectElement} */ (event.target).selectedIndex][0]);
  return html`<select aria-label=${label ?? nothing} @change=${changed}>
    ${options.map(([value, name]) => html`<option value=${value} ?selected=${value === current}>${name}</option>`)}</select>`;
}
