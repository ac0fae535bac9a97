import { readFileSync } from 'node:fs';
import { check, same } from './harness.mjs';
import { clickMove, dice, drop, middleOf, movedOn, plies, view } from './steps.mjs';

// Uses `!` for a backslash, like older addresses.
const LINE = '#game=Base&moves=wS1.bG1_-wS1.wQ_wS1/.bQ_-bG1.wA1_wQ-.bA1_!bQ';
const moves = (page) => page.evaluate(() => [...document.querySelectorAll('.move[data-node]')].map((move) => move.querySelector('.move-text').textContent));

/** Opens the line and adds a variation, whose move stays selected. */
async function openVariation(open) {
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
  async 'engine shows lines, arrows, previews'({ open }) {
    const page = await open({ fragment: LINE });
    await page.keyboard.press('l');
    await page.waitForFunction(() => document.querySelectorAll('li.line:not(.empty)').length === 3);
    await page.waitForSelector('.arrow.line.rank0');
    check(/%|#/.test(await page.getByTestId('value').innerText()), 'the engine shows a value');
    check(/\d.* nodes · .*\d.*\/s/.test(await page.locator('.facts').innerText()), 'the engine shows its nodes');
    check(/^[\d,]+ visits?, \d+% of all$/.test(await page.locator('.line-share').first().getAttribute('title')), 'a line shows its visits');
    await page.getByRole('button', { name: 'Engine settings' }).click();
    await page.getByLabel('Lines').selectOption('5');
    await page.waitForFunction(() => document.querySelectorAll('li.line:not(.empty)').length === 5);
    const second = page.locator('li.line').first().locator('.line-move').nth(1);
    await second.hover();
    await page.waitForSelector('.board-svg.preview');
    await page.getByTestId('value').hover();
    await page.waitForSelector('.board-svg:not(.preview)');
    same(await plies(page), 6, 'plies after a preview');
    await page.locator('li.line').first().locator('.line-move').first().click();
    await movedOn(page, 6);
    await page.getByRole('switch').click();
    await page.waitForFunction(() => document.querySelectorAll('.arrow').length === 0);
    same(await page.getByRole('switch').getAttribute('aria-checked'), 'false', 'the switch');
  },

  async 'a win that ends the search comes first'({ open }) {
    const moves = 'wB1.bG1_/wB1.wS1_wB1/.bQ_/bG1.wA1_wS1!.bG2_/bQ.wQ_wA1/.bG2_!wQ.wQ_bG2-.bA1_-bG1.wA1_-bA1.bB1_!bG2.wA2_-wS1.bB1_bG2'
      + '.wS2_/wA1.bB1_wQ.wS2_bQ!.bA2_bB1/.wG1_wS2-.bS1_bB1!.wG1_/bQ.bA2_wB1!.wA1_!bA1.bA2_-wA2';
    const page = await open({ fragment: `#game=Base&moves=${moves}` });
    await page.keyboard.press('l');
    await page.getByText('White wins within 4 moves').waitFor();
    await page.waitForFunction(() => document.querySelector('li.line .line-value')?.textContent?.trim() === '#4');
  },

  async 'line: only one searched, excluded, included'({ open }) {
    const page = await open({ fragment: LINE });
    await page.keyboard.press('l');
    const lines = page.locator('li.line:not(.empty)');
    const first = () => lines.first().locator('.line-move').first().innerText();
    await page.waitForFunction(() => document.querySelectorAll('li.line:not(.empty)').length === 3);
    const value = lines.nth(1).locator('.line-value');
    // Over the list, the order stays.
    await value.hover();
    const move = await lines.nth(1).locator('.line-move').first().innerText();
    const share = Number((await lines.nth(1).locator('.line-share').getAttribute('title')).split(' ')[0].replace(/,/g, ''));
    await value.click();
    same(await lines.nth(1).locator('.line-move').first().innerText(), move, 'the move beside its tools');
    await page.getByRole('button', { name: 'Search only this' }).click();
    await page.getByText(`Only ${move} is searched`).waitFor();
    same(await page.locator('li.line').count(), 1, 'lines');
    check(await page.evaluate(() => document.querySelector('.engine .value').textContent === document.querySelector('.line-value').textContent), 'the value is that of the line');
    await page.waitForFunction(([n, text]) => [...document.querySelectorAll('li.line')].some((line) => line.querySelector('.line-move')?.innerText === text
      && Number(line.querySelector('.line-share').title.split(' ')[0].replace(/,/g, '')) > n), [share, move]);
    await page.getByRole('button', { name: 'Search all moves' }).click();
    await page.getByText('is searched').waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.querySelectorAll('li.line:not(.empty)').length === 3);
    const hidden = await first();
    await lines.first().locator('.line-value').click();
    await page.getByRole('button', { name: 'Exclude', exact: true }).click();
    await page.getByText('1 move is excluded.').waitFor();
    await page.waitForFunction((text) => {
      const moves = [...document.querySelectorAll('li.line:not(.empty)')].map((line) => line.querySelector('.line-move')?.innerText);
      return moves.length === 3 && !moves.includes(text);
    }, hidden);
    await page.getByRole('button', { name: 'Include', exact: true }).click();
    await page.waitForFunction((text) => [...document.querySelectorAll('.line-move')].some((one) => one.innerText === text), hidden);
  },

  async 'line that ends the game is not searched alone'({ open }) {
    const page = await open({ fragment: '#game=Base&start=16_-_0,0:rB;1,0:bG;1,1:bG;2,-2:bG;2,-1:bS;2,0:bQ;3,-2:bA;3,-1:rA;3,0:bB;-3,1:rQ;-2,1:rG;-1,0:rS;-1,1:rA_ABGGS/AABS' });
    await page.keyboard.press('l');
    await page.locator('.line-value', { hasText: '#1' }).first().click();
    await page.getByRole('button', { name: 'Exclude', exact: true }).waitFor();
    same(await page.getByRole('button', { name: 'Search only this' }).count(), 0, 'buttons that search only this line');
  },

  async 'lines after a forced move have no tools'({ open }) {
    const page = await open({ fragment: '#game=Base&start=20_-_0,0:rQ;1,0:bQ;2,0:bG;-1,0:bA;-2,0:bS_-/-' });
    await page.keyboard.press('l');
    await page.waitForFunction(() => document.querySelectorAll('li.line:not(.empty)').length === 3);
    same(await page.locator('.line-value:enabled').count(), 0, 'buttons that open the tools');
  },

  async 'keys: space plays, x shows the threat'({ open }) {
    const page = await open({ fragment: LINE });
    await page.keyboard.press('x');
    await page.waitForSelector('.arrow.threat');
    await page.keyboard.press('x');
    await page.waitForSelector('.arrow.line');
    await page.keyboard.press(' ');
    await movedOn(page, 6);
  },

  async 'lines of the position before are not played'({ open }) {
    const page = await open({ fragment: LINE });
    await page.keyboard.press('l');
    await page.waitForSelector('.arrow.line');
    await page.evaluate(() => {
      for (let i = 0; i < 2; i += 1) document.body.dispatchEvent(new KeyboardEvent('keydown', { key: ' ', bubbles: true }));
    });
    await movedOn(page, 6);
    same(await plies(page), 7, 'plies');
  },

  async 'variations are edited, survive a reload'({ open }) {
    const page = await openVariation(open);
    await page.getByRole('button', { name: 'Make this the main line' }).click();
    await page.waitForFunction(() => document.querySelector('.move.current')?.closest('.variation') === null);
    await page.getByLabel('Comment on this position').fill('what if <b>here</b>?');
    await page.getByRole('button', { name: 'interesting move' }).first().click();
    await page.getByTestId('value').click();
    await page.reload();
    await page.waitForSelector('.move.current .glyph');
    same(await page.locator('.move-below .comment').innerText(), 'what if <b>here</b>?', 'the comment');
    same(await page.locator('.move.current .glyph').innerText(), '!?', 'the glyph');
    check((await moves(page)).includes('bA1 \\bQ'), 'the other variation is kept');
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.querySelector('.move.current')?.closest('.variation') !== null);
    await page.getByRole('button', { name: 'Delete from here' }).click();
    await page.waitForFunction(() => document.querySelector('.variation') === null);
    same((await moves(page)).length, 5, 'number of moves');
  },

  async 'changes of the tree are undone'({ open }) {
    const page = await openVariation(open);
    const all = () => moves(page);
    const withVariation = await all();
    const undo = () => page.keyboard.press('Control+z');
    await page.getByRole('button', { name: 'Make this the main line' }).click();
    await page.waitForFunction(() => document.querySelector('.move.current')?.closest('.variation') === null);
    const promoted = await all();
    await page.getByRole('button', { name: 'good move', exact: true }).click();
    await page.getByLabel('Comment on this position').fill('one');
    await page.getByLabel('Comment on this position').fill('one two');
    await page.getByTestId('value').click();
    await page.getByRole('button', { name: 'Delete from here' }).click();
    await page.waitForFunction(() => document.querySelector('.variation') === null);
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await page.waitForSelector('.variation');
    same(await all(), promoted, 'moves after undoing the deletion');
    await page.locator('.board').focus();
    await undo();
    same(await page.getByLabel('Comment on this position').inputValue(), '', 'the comment');
    same(await page.locator('.move.current .glyph').innerText(), '!', 'the glyph');
    await undo();
    same(await page.locator('.move.current .glyph').count(), 0, 'glyphs');
    await undo();
    await page.waitForFunction(() => document.querySelector('.move.current')?.closest('.variation') !== null);
    same(await all(), withVariation, 'moves after undoing the promotion');
    await undo();
    await page.waitForFunction(() => document.querySelector('.variation') === null);
    for (let i = 0; i < 4; i += 1) await page.keyboard.press('Control+Shift+Z');
    same(await all(), promoted, 'moves after redoing everything');
    same(await page.getByLabel('Comment on this position').inputValue(), 'one two', 'the comment after redoing everything');
  },

  async 'arrow keys step, unless with modifiers'({ open }) {
    const page = await open({ fragment: LINE });
    const current = () => page.evaluate(() => document.querySelector('.move.current .move-text')?.textContent ?? '');
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.querySelector('.move.current') === null);
    await page.keyboard.press('Control+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    same(await current(), '', 'current move');
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => document.querySelector('.move.current .move-text')?.textContent === 'wS1');
    await page.keyboard.press('End');
    await page.waitForFunction(() => document.querySelector('.move.current .move-text')?.textContent === 'bA1 \\bQ');
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Flip the board').waitFor();
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => !document.querySelector('dialog').open);
  },

  async 'steps do not need the address'({ open }) {
    const page = await open({ fragment: LINE });
    await page.evaluate(() => {
      history.replaceState = () => { throw new DOMException('too many calls', 'SecurityError'); };
    });
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.querySelectorAll('.cell .piece').length === 0);
  },

  async 'proven wins name their maximum length'({ open }) {
    const page = await open();
    const texts = await page.evaluate(async () => {
      const { describeValue, valueText } = await import('/moves.js');
      const value = (plies) => ({ score: 1, proven: true, plies });
      return [0, 1, 2, 11, null].map((plies) => [valueText(value(plies)), describeValue({ sides: ['white', 'black'] }, value(plies))]);
    });
    same(texts, [
      ['#', 'Forced win for White'], ['#1', 'White wins on the next move'], ['#1', 'White wins on the next move'],
      ['#6', 'White wins within 6 moves'], ['#', 'Forced win for White'],
    ], 'texts');
  },

  async 'lines are ordered by value, calmly'({ open }) {
    const page = await open();
    const found = await page.evaluate(async () => {
      const { LineOrder } = await import('/lines.js');
      const line = (text, score, visits, proven = false, plies = null) => ({ move: { text }, value: { score, proven, plies }, visits });
      const lines = [line('lost soon', 0, 9, true, 2), line('even', 0.5, 5), line('lost', 0, 9, true, 8), line('good', 0.7, 4), line('visited', 0.501, 7), line('slow', 1, 1, true, 9), line('won', 1, 1, true, 3)];
      const texts = (arranged) => arranged.map(({ move }) => move.text);
      const order = new LineOrder();
      const first = texts(order.arrange(lines, 0, 0));
      const second = texts(new LineOrder().arrange(lines, 1, 0));
      const better = [...lines.filter(({ move }) => move.text !== 'lost'), line('new', 0.9, 9)];
      const soon = texts(order.arrange(better, 0, 900));
      order.held = true;
      const held = texts(order.arrange(better, 0, 5000));
      order.held = false;
      order.tools = 'even';
      const open = texts(order.arrange(better, 0, 5000));
      order.tools = '';
      const later = texts(order.arrange(better, 0, 5000));
      // A forced move is the first one of all lines.
      const forced = [3, 2, 1].map((visits) => line('forced', 0.5, visits));
      order.reset();
      const again = [forced.slice(0, 2), forced].map((some, i) => order.arrange(some, 0, i).map(({ visits }) => visits));
      return { first, second, soon, held, open, later, again };
    });
    same(found.first, ['won', 'slow', 'good', 'visited', 'even', 'lost', 'lost soon'], 'order for the first side');
    same(found.second, ['lost soon', 'lost', 'visited', 'even', 'good', 'slow', 'won'], 'order for the second side');
    same(found.soon, ['won', 'slow', 'good', 'visited', 'even', 'new', 'lost soon'], 'order within a second');
    same(found.held, found.soon, 'order while the pointer is over the list');
    same(found.open, found.soon, 'order while the tools of a line are open');
    same(found.later, ['won', 'slow', 'new', 'good', 'visited', 'even', 'lost soon'], 'order after that');
    same(found.again, [[3, 2], [3, 2, 1]], 'visits of lines after a forced move');
  },

  async 'arrows and circles are drawn, kept, cleared'({ open }) {
    const page = await open({ fragment: LINE });
    const shapes = () => page.evaluate(() => [...document.querySelectorAll('.shape')].map((shape) => shape.getAttribute('class')));
    const draw = async (from, to) => {
      const [a, b] = [await middleOf(page, from), await middleOf(page, to)];
      await page.mouse.move(a.x, a.y);
      await page.mouse.down({ button: 'right' });
      await page.mouse.move(b.x, b.y, { steps: 3 });
      await page.mouse.up({ button: 'right' });
    };
    await draw('0,0', '1,-1');
    await page.keyboard.down('Shift');
    await draw('1,-1', '1,-1');
    await page.keyboard.up('Shift');
    same(await shapes(), ['shape green', 'shape ring red'], 'shapes');
    await page.locator('[data-key="0,0"]').focus();
    await page.keyboard.press('a');
    check(/green circle/.test(await page.locator('[data-key="0,0"]').getAttribute('aria-label')), 'the label names the circle');
    await page.reload();
    await page.waitForSelector('.move.current');
    same(await shapes(), ['shape green', 'shape ring red', 'shape ring green'], 'shapes after a reload');
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(() => document.querySelectorAll('.shape').length === 0);
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => document.querySelectorAll('.shape').length === 3);
    await draw('0,0', '1,-1');
    same((await shapes()).length, 2, 'shapes after one was drawn again');
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.querySelectorAll('.shape').length === 0);
    await draw('0,0', '0,0');
    same((await shapes()).length, 1, 'shapes');
    const box = await page.locator('.board').boundingBox();
    await page.mouse.click(box.x + 4, box.y + box.height - 4);
    await page.waitForFunction(() => document.querySelectorAll('.shape').length === 0);
    const kept = await page.evaluate(async () => {
      const { Tree } = await import('/tree.js');
      const tree = Tree.restore({ game: 'Base', start: null, root: ['', '', '', [['wS1', 'old', '!', []]], [['red', [0, 0]], ['pink', [0, 0]], 'x']], path: [0] });
      return [tree.root.shapes, tree.current.shapes, tree.current.comment, tree.save().root];
    });
    same(kept, [[['red', [0, 0]]], [], 'old', ['', '', '', [['wS1', 'old', '!', []]], [['red', [0, 0]]]]], 'shapes of files');
  },

  async 'address of a position wins over storage'({ open }) {
    const page = await open({ fragment: LINE });
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(() => location.hash.endsWith('wA1_wQ-'));
    const address = await page.evaluate(() => location.hash);
    const other = await open({ fragment: address, context: page.context() });
    await other.waitForSelector('.move.current');
    same(await plies(other), 5, 'plies in the tab with the address');
    same(await plies(page), 6, 'plies in the first tab');
    await clickMove(other, dice(2)).catch(() => {});
    await page.evaluate(() => { location.hash = '#game=contest&start=20_-4,0;3,1;5,0_0,0:rQbB;1,0:bQ_-/-'; });
    await page.waitForSelector('.bounded');
  },

  async 'lost connection is restored'({ open }) {
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

  async 'share dialog: link, text, file'({ open }) {
    const page = await open({ fragment: LINE });
    await page.getByRole('button', { name: 'Share and export' }).click();
    check((await page.getByRole('textbox', { name: 'Link to this position' }).inputValue()).endsWith(LINE.replace('!', '~')), 'the link holds the line');
    check((await page.getByRole('textbox', { name: 'This game as text' }).inputValue()).startsWith('Base;'), 'the text is a game string');
    const saved = page.waitForEvent('download');
    await page.getByRole('dialog').getByRole('button', { name: 'pgn' }).click();
    check((await saved).suggestedFilename().length > 0, 'the file has a name');
  },

  async 'PGN keeps variations, comments, annotations'({ open }) {
    const page = await openVariation(open);
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
    same(await moves(other), await moves(page), 'moves');
    same(await other.locator('.variation .glyph').innerText(), '!?', 'the annotation');
    same(await other.locator('.variation .comment').innerText(), 'what if?\n(really)', 'the comment');
  },

  async 'empty board from the navigation'({ open }) {
    const page = await open();
    await view(page, 'Analyse');
    await page.waitForSelector('[role=grid]');
    await clickMove(page, dice(7));
    await clickMove(page, dice(8));
    same(await plies(page), 2, 'plies');
  },
};
