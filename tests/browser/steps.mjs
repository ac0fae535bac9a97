// User actions, shared by all tests.
import { check } from './harness.mjs';

/** A reproducible random number generator: `dice(seed)(n)` is at least 0 and below `n`. */
export function dice(seed) {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/**
 * Starts a new game from the start screen.
 * @param {any} page
 * @param {{game?: 'contest' | 'Base' | 'Base+MLP', side?: string, level?: string, minutes?: string}} [how] `minutes` per side, with a clock
 */
export async function begin(page, { game = 'contest', side = '', level = '', minutes = '' } = {}) {
  await page.getByRole('radio', { name: game === 'contest' ? 'Software Challenge' : 'Standard Hive' }).check({ force: true });
  if (game !== 'contest') {
    for (const name of ['mosquito', 'ladybug', 'pillbug']) {
      const label = page.locator('.checks label').filter({ hasText: name });
      if ((await label.locator('input').isChecked()) !== (game !== 'Base')) await label.click();
    }
  }
  if (side) await page.getByRole('radio', { name: side, exact: true }).check({ force: true });
  if (level) await page.getByRole('radio', { name: level }).check({ force: true });
  if (minutes) {
    await page.getByRole('radio', { name: 'Clock', exact: true }).check({ force: true });
    await page.getByLabel('Minutes per side').selectOption(minutes);
  }
  await page.getByTestId('begin').click();
  await page.waitForSelector('[role=grid]');
}

/** Waits until the user may move or pass, or the game is over. Returns `move`, `pass` or `over`. */
export async function turn(page) {
  const handle = await page.waitForFunction(() => {
    if (document.querySelector('.end-card')) return 'over';
    if (document.querySelector('[data-testid=pass]')) return 'pass';
    return document.querySelector('.cell.movable, button.reserve-tile[data-letter]') ? 'move' : '';
  });
  return handle.jsonValue();
}

/** Number of plies in the move list. */
export function plies(page) {
  return page.evaluate(() => document.querySelectorAll('.move-row .move[data-node]').length);
}

/** Waits until the move list has more than `before` plies. */
export async function movedOn(page, before) {
  await page.waitForFunction((n) => document.querySelectorAll('.move-row .move[data-node]').length > n, before);
}

/**
 * Plays a random legal move by clicking.
 * @param {any} page
 * @param {(n: number) => number} roll
 */
export async function clickMove(page, roll) {
  const before = await plies(page);
  const kinds = await page.evaluate(() => ({
    placed: [...document.querySelectorAll('.cell.movable')].map((cell) => cell.getAttribute('data-key')),
    reserve: [...document.querySelectorAll('button.reserve-tile[data-letter]')].map((tile) => tile.getAttribute('data-letter')),
  }));
  const usePlaced = kinds.placed.length > 0 && (kinds.reserve.length === 0 || roll(3) > 0);
  if (usePlaced) await clickField(page, kinds.placed[roll(kinds.placed.length)]);
  else await page.locator(`button.reserve-tile[data-letter="${kinds.reserve[roll(kinds.reserve.length)]}"]`).click();
  const targets = await page.evaluate(() => [...document.querySelectorAll('.cell.target')].map((cell) => cell.getAttribute('data-key')));
  await clickField(page, targets[roll(targets.length)]);
  await movedOn(page, before);
}

/** Types a move and waits until it is shown. */
export async function typeMove(page, move) {
  await page.getByLabel('Type a move').fill(move);
  await page.keyboard.press('Enter');
  await page.waitForFunction((text) => document.querySelector('.move.current .move-text')?.textContent === text, move);
}

/**
 * The centre of a field in the window.
 * @param {any} page
 * @param {string} key
 */
export function middleOf(page, key) {
  return page.evaluate((name) => {
    const cell = document.querySelector(`[data-key="${name}"]`);
    const matrix = cell.getScreenCTM();
    return { x: matrix.e, y: matrix.f };
  }, key);
}

/** Waits until a field stops moving. */
export async function still(page, key) {
  for (let before = null, now = await middleOf(page, key); before?.x !== now.x || before?.y !== now.y;) {
    before = now;
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    now = await middleOf(page, key);
  }
}

/** Clicks the centre of a field with the mouse. */
export async function clickField(page, key) {
  const { x, y } = await middleOf(page, key);
  await page.mouse.click(x, y);
}

/** Keys of the selected piece's target fields. */
export function targets(page) {
  return page.evaluate(() => [...document.querySelectorAll('.cell.target')].map((cell) => cell.getAttribute('data-key')));
}

/** Opens a view with the navigation bar. */
export async function view(page, name) {
  await page.getByRole('navigation').getByRole('button', { name, exact: true }).click();
}

/** Puts a piece of the editor on a field. */
export async function put(page, piece, key) {
  await page.getByRole('button', { name: piece }).click();
  await clickField(page, key);
}

/** Requests the legal moves after a line on a separate connection. */
export function legalMoves(page, line) {
  return page.evaluate((asked) => new Promise((resolve) => {
    const socket = new WebSocket(`ws://${location.host}/ws`, ['wabe']);
    socket.onmessage = ({ data }) => {
      const reply = JSON.parse(data);
      if (reply.is === 'welcome') socket.send(JSON.stringify({ ask: 'show', id: 1, line: asked }));
      else {
        socket.close();
        resolve(reply.view.moves);
      }
    };
    socket.onopen = () => socket.send(JSON.stringify({ ask: 'hello', version: 3 }));
  }), line);
}

/** Drops a file onto the page. */
export async function drop(page, name, text) {
  await page.evaluate(([fileName, content]) => {
    const data = new DataTransfer();
    data.items.add(new File([content], fileName));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  }, [name, text]);
}

/** A game of standard Hive without expansions. */
export const GAME = 'Base;InProgress;White[9];wS1;bA1 /wS1;wQ wS1-;bQ bA1\\;wS2 wQ\\;bA2 bQ\\;wS2 \\wQ;bA2 -wS2;wB1 wQ-;bA2 wS1\\;wB1 wQ/;bA2 -wS2;wA1 wQ\\;bA3 -bA1;wA1 -bA3;bA2 \\bA3';

/** Ply at which long games are resigned. */
const MAX_PLIES = 44;

/** Plays random moves by clicking until the game ends. */
export async function playOut(page, seed) {
  const roll = dice(seed);
  for (;;) {
    const now = await turn(page);
    if (now === 'over') break;
    const before = await plies(page);
    if (before >= MAX_PLIES) {
      await page.getByRole('button', { name: 'Resign' }).click();
      await page.getByRole('button', { name: 'Really resign?' }).click();
      await page.waitForSelector('.end-card');
      break;
    }
    if (now === 'pass') {
      await page.getByTestId('pass').click();
      await movedOn(page, before);
    } else await clickMove(page, roll);
  }
  const state = await page.getByTestId('state').innerText();
  check(/^(You won!|You lost\.|Draw)\s+.{10,}\.$/.test(state), `the ending names result and reason: ${state}`);
  check(await page.getByRole('button', { name: 'Review this game' }).isVisible(), 'a review is offered');
}
