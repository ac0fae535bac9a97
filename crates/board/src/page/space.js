// Space and the button that was clicked last. A click leaves the focus on a button, so that Space
// would press it again by accident. Buttons reached with Tab still react to Space.

/** @type {Element | null} */
let clicked = null;

/** Starts to watch for clicks. */
export function watchClicks() {
  document.addEventListener('click', (event) => {
    // Clicks by keyboard count no presses.
    clicked = event.detail > 0 && event.target instanceof Element ? event.target.closest('button, summary, a') : null;
  }, true);
  document.addEventListener('focusin', (event) => {
    if (event.target !== clicked) clicked = null;
  });
  // Firefox presses a button when the key is released.
  for (const type of /** @type {const} */ (['keydown', 'keyup'])) {
    document.addEventListener(type, (event) => {
      if (event.key === 'Tab') clicked = null;
      if (event.key === ' ' && isClicked(event.target)) event.preventDefault();
    });
  }
}

/**
 * True if an element has the focus only because it was clicked.
 * @param {EventTarget | null} target
 */
export function isClicked(target) {
  return target !== null && target === clicked && !clicked?.closest('dialog');
}
