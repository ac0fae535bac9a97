import { readFileSync } from 'node:fs';
import { check, same } from './harness.mjs';
import { begin, clickMove, dice, drop, GAME, legalMoves, plies, targets, turn, view } from './steps.mjs';

/** The first review as a saved file. Reused by tests that only display a review. */
let savedReview = '';

/** Opens a page with a review of the game. */
export async function openReview(open, options = {}) {
  if (!savedReview) return review(open, options);
  const page = await open(options);
  await drop(page, 'review.json', savedReview);
  await page.waitForSelector('.summary');
  return page;
}

/** Waits until the tab has stored the review, and returns it. */
async function storedReview(page) {
  const review = await page.waitForFunction(() => JSON.parse(sessionStorage.getItem('wabe-table'))?.game.review);
  return review.jsonValue();
}

/** Opens the game and reviews it with minimum effort. */
async function review(open, options = {}) {
  const page = await open(options);
  await view(page, 'Review');
  await drop(page, 'game.uhp', GAME);
  await page.waitForSelector('.offer');
  await page.getByLabel('Effort').selectOption('500');
  await page.getByRole('button', { name: 'Review the game' }).click();
  await page.waitForSelector('.summary');
  savedReview = JSON.stringify({ format: 'wabe-review', version: 1, names: ['', ''], ...await storedReview(page) });
  return page;
}

export default {
  async 'review of a game: curve, puzzles, file'({ open }) {
    const page = await review(open);
    same(await plies(page), 16, 'plies');
    const slider = page.getByRole('slider');
    await slider.focus();
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.querySelector('.curve')?.getAttribute('aria-valuenow') === '0');
    const box = await slider.boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + 20);
    await page.waitForFunction(() => document.querySelector('.curve')?.getAttribute('aria-valuenow') === '8');
    check(/% for|wins/.test(await page.locator('.remark').innerText()), 'a remark evaluates the move');
    const jump = page.locator('.summary tbody button.link').first();
    if (await jump.count()) {
      await jump.click();
      await page.waitForSelector('.move.current .glyph');
    }
    const learn = page.getByTestId('learn').first();
    check(await learn.count(), 'the game has mistakes');
    await learn.click();
    await page.getByRole('heading', { name: /Find a better move/ }).waitFor();
    const movable = page.locator('.cell.movable, button.reserve-tile[data-letter]');
    check(await movable.count(), 'a piece can move');
    same(await targets(page), [], 'targets');
    await page.getByRole('button', { name: 'Show the solution' }).click();
    await page.getByText('The solution:').waitFor();
    await page.getByRole('button', { name: 'Back to the review' }).click();
    await page.getByLabel('Effort').selectOption('2000');
    await page.getByRole('button', { name: 'Review again' }).click();
    await page.waitForSelector('.progress-box', { state: 'detached' });
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Review file' }).click();
    const text = readFileSync(await (await download).path(), 'utf8');
    const other = await open();
    await drop(other, 'review.json', text);
    await other.waitForSelector('.summary');
    same(await plies(other), 16, 'plies of the saved review');
    await other.reload();
    await other.waitForSelector('.summary');
  },

  async 'better move solves a puzzle'({ open }) {
    const page = await openReview(open);
    // The saved review contains the solution of the first puzzle.
    await storedReview(page);
    const better = await page.evaluate(() => {
      const { review } = JSON.parse(sessionStorage.getItem('wabe-table')).game;
      const first = review.plies.find((ply) => ply.better && ['mistake', 'blunder'].includes(ply.mark));
      return { text: first.better, side: (first.ply - 1) % 2, ply: first.ply, played: first.text };
    });
    await page.getByRole('button', { name: `Learn from the mistakes of ${better.side === 0 ? 'White' : 'Black'}` }).click();
    await page.getByRole('heading', { name: /Find a better move/ }).waitFor();
    // Get the fields of the move from the engine.
    const { line } = await storedReview(page);
    const moves = await legalMoves(page, { ...line, moves: line.moves.slice(0, better.ply - 1) });
    const move = moves.find((one) => one.text === better.text);
    if (move.from) await page.locator(`[data-key="${move.from.join(',')}"]`).click({ force: true });
    else await page.locator(`button.reserve-tile[data-letter="${move.letter}"]`).click();
    await page.locator(`[data-key="${move.to.join(',')}"]`).click({ force: true });
    await page.locator('.callout.good').waitFor();
  },

  async 'engine evaluates inside the review'({ open }) {
    const page = await openReview(open);
    const moves = await plies(page);
    await page.getByRole('button', { name: /^\d+\. .*wA1 wQ/ }).click();
    await page.getByRole('switch').click();
    await page.waitForSelector('li.line:not(.empty)');
    await page.waitForSelector('.arrow.line.rank0');
    check(await page.locator('.curve').isVisible(), 'the curve stays');
    // The second move of the second line leaves the main line.
    await page.locator('li.line').nth(1).locator('.line-move').first().click();
    await page.waitForFunction(() => document.querySelector('.variation .move.current'));
    await page.waitForFunction(() => /%|#/.test(document.querySelector('[data-testid=value]')?.textContent ?? ''));
    await page.getByLabel('Comment on this position').fill('tried');
    await page.getByRole('button', { name: 'good move', exact: true }).click();
    same(await page.locator('.move.current .glyph').innerText(), '!', 'the annotation');
    same(await plies(page), moves, 'plies of the main line');
    await page.getByTestId('learn').first().click();
    await page.getByRole('button', { name: 'Back to the review' }).click();
    await page.waitForSelector('li.line:not(.empty)');
    await page.keyboard.press('l');
    await page.waitForFunction(() => document.querySelectorAll('.arrow.line').length === 0);
  },

  async 'times of a played game, values at the pointer'({ open }) {
    const page = await open();
    await begin(page, { game: 'Base', side: 'Two people' });
    const roll = dice(3);
    for (let i = 0; i < 5; i += 1) {
      await turn(page);
      await clickMove(page, roll);
    }
    await view(page, 'Review');
    await page.getByLabel('Effort').selectOption('500');
    await page.getByRole('button', { name: 'Review the game' }).click();
    await page.waitForSelector('.summary');
    same(await page.locator('.time-bar').count(), 5, 'bars');
    await page.getByRole('button', { name: 'Times (s)' }).click();
    same(await page.locator('.move-time').count(), 5, 'times in the move list');
    const box = await page.getByRole('slider').boundingBox();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 20);
    const tip = page.locator('.curve-tip');
    check(/^2\.[^.].* · \d.* s$/s.test(await tip.innerText()), `the pointer shows move, value and time: ${await tip.innerText()}`);
    await page.mouse.move(box.x, box.y - 30);
    same(await tip.count(), 0, 'tooltips without the pointer');
    await page.getByRole('slider').focus();
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.querySelector('.curve-tip')?.textContent.includes('Start'));
    await page.getByRole('button', { name: 'How these numbers are calculated' }).click();
    check(await page.getByText('the formula of lichess').isVisible(), 'the formula is shown');
    await page.keyboard.press('Escape');
  },

  async 'review normalises the notation of moves'({ open }) {
    const page = await open({ fragment: '#game=Base&moves=wS1.bG1_-wS1.wQ_wS1/.bQ_-bG1.wA1_wQ-.bA1_~bQ.wA1_-bA1' });
    await view(page, 'Review');
    await page.getByLabel('Effort').selectOption('500');
    await page.getByRole('button', { name: 'Review the game' }).click();
    await page.waitForSelector('.summary');
  },

  async 'review stops'({ open }) {
    const page = await open();
    await view(page, 'Review');
    await drop(page, 'game.uhp', GAME);
    await page.getByLabel('Effort').selectOption('10000');
    await page.getByRole('button', { name: 'Review the game' }).click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.waitForSelector('.offer');
  },
};
