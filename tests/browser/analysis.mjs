import { readFileSync } from 'node:fs';
import { check, same } from './harness.mjs';
import { clickMove, dice, drop, movedOn, plies, view } from './steps.mjs';

// As addresses were written once.
const LINE = '#game=Base&moves=wS1.bG1_-wS1.wQ_wS1/.bQ_-bG1.wA1_wQ-.bA1_!bQ';
const moves = (page) => page.evaluate(() => [...document.querySelectorAll('.move[data-node]')].map((move) => move.querySelector('.move-text').textContent));

/** A page with a variation beside the line, at the variation's move. */
async function withVariation(open) {
  const page = await open({ fragment: LINE });
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await page.waitForFunction(() => document.querySelector('.move.current .move-text')?.textContent === 'bQ -bG1');
  await page.getByLabel('Type a move').fill('wB1 wQ-');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.variation');
  return page;
}

export default {
  async 'on, lines, arrows, a preview, a move of a line, off'({ open }) {
    const page = await open({ fragment: LINE });
    await page.keyboard.press('l');
    await page.waitForFunction(() => document.querySelectorAll('li.line:not(.empty)').length === 3);
    await page.waitForSelector('.arrow.line.rank0');
    check(/%|#/.test(await page.getByTestId('value').innerText()), 'a value');
    await page.getByRole('button', { name: 'Engine settings' }).click();
    await page.getByLabel('Lines').selectOption('5');
    await page.waitForFunction(() => document.querySelectorAll('li.line:not(.empty)').length === 5);
    const second = page.locator('li.line').first().locator('.line-move').nth(1);
    await second.hover();
    await page.waitForSelector('.board-svg.preview');
    await page.getByTestId('value').hover();
    await page.waitForSelector('.board-svg:not(.preview)');
    same(await plies(page), 6, 'looking plays nothing');
    await page.locator('li.line').first().locator('.line-move').first().click();
    await movedOn(page, 6);
    await page.getByRole('switch').click();
    await page.waitForFunction(() => document.querySelectorAll('.arrow').length === 0);
    same(await page.getByRole('switch').getAttribute('aria-checked'), 'false', 'the switch');
  },

  async 'space plays the best move, x shows the threat'({ open }) {
    const page = await open({ fragment: LINE });
    await page.keyboard.press('x');
    await page.waitForSelector('.arrow.threat');
    await page.keyboard.press('x');
    await page.waitForSelector('.arrow.line');
    await page.keyboard.press(' ');
    await movedOn(page, 6);
  },

  async 'variations: made, promoted, commented, deleted, kept'({ open }) {
    const page = await withVariation(open);
    await page.getByRole('button', { name: 'Make this the main line' }).click();
    await page.waitForFunction(() => document.querySelector('.move.current')?.closest('.variation') === null);
    await page.getByLabel('Comment on this position').fill('what if <b>here</b>?');
    await page.getByRole('button', { name: 'interesting move' }).first().click();
    await page.getByTestId('value').click();
    await page.reload();
    await page.waitForSelector('.move.current .glyph');
    same(await page.locator('.move-below .comment').innerText(), 'what if <b>here</b>?', 'the comment');
    same(await page.locator('.move.current .glyph').innerText(), '!?', 'the glyph');
    check((await moves(page)).includes('bA1 \\bQ'), 'the other variation is still there');
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.querySelector('.move.current')?.closest('.variation') !== null);
    await page.getByRole('button', { name: 'Delete from here on' }).click();
    await page.waitForFunction(() => document.querySelector('.variation') === null);
    same((await moves(page)).length, 5, 'moves');
  },

  async 'stepping with keys, and leaving arrows with modifiers alone'({ open }) {
    const page = await open({ fragment: LINE });
    const current = () => page.evaluate(() => document.querySelector('.move.current .move-text')?.textContent ?? '');
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.querySelector('.move.current') === null);
    await page.keyboard.press('Control+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    same(await current(), '', 'still at the start');
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => document.querySelector('.move.current .move-text')?.textContent === 'wS1');
    await page.keyboard.press('End');
    await page.waitForFunction(() => document.querySelector('.move.current .move-text')?.textContent === 'bA1 \\bQ');
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Flip the board').waitFor();
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => !document.querySelector('dialog').open);
  },

  async 'a proven win says how long it takes at most'({ open }) {
    const page = await open();
    const words = await page.evaluate(async () => {
      const { valueInWords, valueText } = await import('/moves.js');
      const value = (plies) => ({ score: 1, proven: true, plies });
      return [0, 1, 2, 11, null].map((plies) => [valueText(value(plies)), valueInWords({ sides: ['white', 'black'] }, value(plies))]);
    });
    same(words, [
      ['#', 'White wins for certain'], ['#1', 'White wins with the next move'], ['#1', 'White wins with the next move'],
      ['#6', 'White wins within 6 moves'], ['#', 'White wins for certain'],
    ], 'words');
  },

  async 'every position has an address, and it beats what is stored'({ open }) {
    const page = await open({ fragment: LINE });
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(() => location.hash.endsWith('wA1_wQ-'));
    const address = await page.evaluate(() => location.hash);
    const other = await open({ fragment: address, context: page.context() });
    await other.waitForSelector('.move.current');
    same(await plies(other), 5, 'the other tab has the address');
    same(await plies(page), 6, 'this tab has its own board');
    await clickMove(other, dice(2)).catch(() => {});
    await page.evaluate(() => { location.hash = '#game=contest&start=20_-4,0;3,1;5,0_0,0:rQbB;1,0:bQ_-/-'; });
    await page.waitForSelector('.bounded');
  },

  async 'a lost connection'({ open }) {
    let cut = () => {};
    const page = await open({
      fragment: LINE,
      tolerate: /CLOSING or CLOSED/,
      prepare: (one) => one.routeWebSocket(/\/ws$/, (socket) => {
        const server = socket.connectToServer();
        cut = () => { socket.close(); server.close(); };
      }),
    });
    await page.waitForSelector('.move.current');
    cut();
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(() => document.querySelector('.move.current .move-text')?.textContent === 'wA1 wQ-');
    await page.keyboard.press('l');
    await page.waitForSelector('li.line:not(.empty)');
    cut();
    await page.waitForSelector('.banner');
    await page.waitForFunction(() => !document.querySelector('.banner'));
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(() => document.querySelector('li.line:not(.empty)'));
  },

  async 'sharing and exporting'({ open }) {
    const page = await open({ fragment: LINE });
    await page.getByRole('button', { name: 'Share and export' }).click();
    check((await page.getByRole('textbox', { name: 'Address of this position' }).inputValue()).endsWith(LINE.replace('!', '~')), 'the address');
    check((await page.getByRole('textbox', { name: 'This game as text' }).inputValue()).startsWith('Base;'), 'the game string');
    const saved = page.waitForEvent('download');
    await page.getByRole('dialog').getByRole('button', { name: 'pgn' }).click();
    check((await saved).suggestedFilename().length > 0, 'a file');
  },

  async 'variations, comments and judgements go to a file and come back'({ open }) {
    const page = await withVariation(open);
    await page.getByLabel('Comment on this position').fill('what if?\n(really)');
    await page.getByRole('button', { name: 'interesting move' }).first().click();
    await page.getByRole('button', { name: 'Share and export' }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('dialog').getByRole('button', { name: 'pgn' }).click();
    const text = readFileSync(await (await saved).path(), 'utf8');
    check(text.includes('(5. wB1 wQ- $5 {what if?\n(really)})'), text);
    const other = await open();
    await drop(other, 'game.pgn', text);
    await other.waitForSelector('.variation');
    same(await moves(other), await moves(page), 'the same moves');
    same(await other.locator('.variation .glyph').innerText(), '!?', 'the judgement');
    same(await other.locator('.variation .comment').innerText(), 'what if?\n(really)', 'the comment');
  },

  async 'a new board from the navigation'({ open }) {
    const page = await open();
    await view(page, 'Analyse');
    await page.waitForSelector('[role=grid]');
    await clickMove(page, dice(7));
    await clickMove(page, dice(8));
    same(await plies(page), 2, 'both sides move');
  },
};
