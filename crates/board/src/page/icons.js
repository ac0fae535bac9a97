// Icons and icon buttons.
import { html, nothing } from 'wabe/vendor/lit-html/lit-html.js';

/** @type {Record<string, string>} */
const PATHS = {
  first: 'M18 6 10 12l8 6zM7 6v12',
  prev: 'M15 6 7 12l8 6z',
  next: 'M9 6l8 6-8 6z',
  last: 'M6 6l8 6-8 6zM17 6v12',
  flip: 'M7 4v13M3 13l4 4 4-4M17 20V7M13 11l4-4 4 4',
  fit: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  back: 'M9 5 4 10l5 5M4 10h10a6 6 0 0 1 0 12h-3',
  hint: 'M9 18h6M10 21h4M12 3a6 6 0 0 0-4 10.5c.8.8 1 1.5 1 2.5h6c0-1 .2-1.700 1-2.5A6 6 0 0 0 12 3z',
  undo: 'M9 5 4 10l5 5M4 10h10a5 5 0 0 1 0 10h-4',
  redo: 'M15 5l5 5-5 5M20 10H10a5 5 0 0 0 0 10h4',
  flag: 'M5 21V4h12l-2 4 2 4H5',
  draw: 'M5 9h14M5 15h14',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M13 7a2 2 0 1 0 4 0 2 2 0 1 0-4 0M7 17a2 2 0 1 0 4 0 2 2 0 1 0-4 0',
  share: 'M12 15V4M8 8l4-4 4 4M5 13v7h14v-7',
  help: 'M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 18v.5',
  close: 'M6 6l12 12M18 6 6 18',
  up: 'M12 19V6M6 12l6-6 6 6',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  play: 'M8 5l11 7-11 7z',
  pause: 'M8 5v14M16 5v14',
  open: 'M3 19V5h6l2 3h10v11z',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 20 20',
  threat: 'M13 3 5 14h6l-1 7 8-11h-6z',
  eye: 'M2 12s4-7 10-7 10 7 10 7-4 7-10 7-10-7-10-7zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
  review: 'M3 17l5-6 4 3 8-9M3 21h18',
  puzzle: 'M4 8h5a2.500 2.500 0 1 1 5 0h5v5a2.500 2.500 0 1 0 0 5v2H4z',
  library: 'M5 4h3v16H5zM10 4h3v16h-3zM15.500 5l3-1 3.500 15-3 1z',
  editor: 'M4 20l1-5L16 4l4 4L9 19zM13 7l4 4',
  tour: 'M12 6c-2-2-5-2.5-9-2.5V19c4 0 7 .5 9 2.5 2-2 5-2.5 9-2.5V3.5C17 3.5 14 4 12 6zM12 6v15',
  check: 'M5 13l4 4L19 7',
};

/** @param {string} name */
export function icon(name) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d=${PATHS[name] ?? ''}/></svg>`;
}

/** The logo: three cells of a honeycomb. */
export const logo = html`<svg class="logo" viewBox="0 0 40 40" aria-hidden="true" focusable="false">
  <path d="M20 2.5 28 7v9l-8 4.5L12 16V7z"/><path class="light" d="M11 18.5 19 23v9l-8 4.5L3 32v-9z"/><path class="dark" d="M29 18.5 37 23v9l-8 4.5L21 32v-9z"/></svg>`;

/**
 * A button with an icon.
 * @param {string} name of the icon
 * @param {string} label tooltip and name for screen readers
 * @param {(event: MouseEvent) => void} onclick
 * @param {{disabled?: boolean, pressed?: boolean, className?: string, text?: boolean}} [how]
 */
export function iconButton(name, label, onclick, how = {}) {
  const className = `icon-button ${how.text ? 'with-text' : ''} ${how.className ?? ''}`;
  const content = how.text ? html`${icon(name)}<span>${label}</span>` : icon(name);
  const pressed = how.pressed === undefined ? nothing : how.pressed ? 'true' : 'false';
  return html`<button type="button" class=${className} aria-label=${label} title=${label} aria-pressed=${pressed} ?disabled=${how.disabled ?? false} @click=${onclick}>${content}</button>`;
}
