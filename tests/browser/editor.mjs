import { check, same } from './harness.mjs';
import { begin, clickField, middleOf, put, view } from './steps.mjs';

export default {
  async 'contest position is checked, then analysed'({ open }) {
    const page = await open();
    await view(page, 'Editor');
    await page.waitForSelector('[role=grid]');
    const free = await page.evaluate(() => {
      const has = (key) => !document.querySelector(`[data-key="${key}"] .bramble`) && document.querySelector(`[data-key="${key}"]`);
      return [-2, -1, 0, 1, 2].map((x) => [`${x},0`, `${x},1`]).find((pair) => pair.every(has));
    });
    const far = await page.evaluate(() => ['-4,4', '-3,4', '-5,4'].find((key) => !document.querySelector(`[data-key="${key}"] .bramble`)));
    await put(page, /^red bee,/, free[0]);
    // The position has two separate hives.
    await put(page, /^red spider,/, far);
    await page.waitForFunction(() => document.querySelector('[data-testid=editor-state]').classList.contains('bad'));
    check((await page.getByTestId('editor-state').innerText()).length > 10, 'the state names the error');
    await page.getByRole('button', { name: 'Remove' }).click();
    await clickField(page, far);
    await put(page, /^blue bee,/, free[1]);
    await put(page, /^blue beetle/, free[0]);
    await page.getByLabel('Round').fill('9');
    await page.getByLabel('Round').press('Enter');
    await page.waitForFunction(() => document.querySelector('[data-testid=editor-state]').classList.contains('good'));
    await page.getByRole('button', { name: 'Analyse', exact: true }).last().click();
    await page.waitForSelector('.move, .moves .empty');
    check(/blue beetle at .*on red bee/.test(await page.locator(`[data-key="${free[0]}"]`).getAttribute('aria-label')), 'the label names both pieces of the stack');
    check(await page.evaluate(() => location.hash.includes('start=')), 'the address holds the position');
  },

  async 'pieces are dragged, changes undone'({ open }) {
    const page = await open();
    await begin(page, { game: 'Base+MLP', side: 'Two people' });
    await view(page, 'Editor');
    await page.waitForSelector('.palette');
    const rows = await page.locator('.palette').first().locator('button').evaluateAll((buttons) => new Set(buttons.map((button) => button.getBoundingClientRect().top)).size);
    same(rows, 1, 'rows of the palette');
    const pieces = () => page.evaluate(() => [...document.querySelectorAll('.cell:has(.piece)')].map((cell) => cell.getAttribute('data-key')));
    const drag = async (from, to) => {
      const [a, b] = [await middleOf(page, from), typeof to === 'string' ? await middleOf(page, to) : to];
      await page.mouse.move(a.x, a.y);
      await page.mouse.down();
      await page.mouse.move(b.x, b.y, { steps: 4 });
      await page.mouse.up();
    };
    await put(page, /^white queen/, '0,0');
    await drag('0,0', '1,-1');
    same(await pieces(), ['1,-1'], 'fields with pieces');
    await page.keyboard.press('Control+z');
    same(await pieces(), ['0,0'], 'after undo');
    await page.keyboard.press('Control+Shift+Z');
    same(await pieces(), ['1,-1'], 'after redo');
    await drag('1,-1', { x: 1200, y: 400 });
    same(await pieces(), [], 'after dragging the piece off the board');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    same(await pieces(), [], 'after undoing everything');
    check(await page.getByRole('button', { name: 'Undo' }).isDisabled(), 'nothing is left to undo');
  },

  async 'standard position is played on'({ open }) {
    const page = await open();
    await begin(page, { game: 'Base', side: 'Two people' });
    await view(page, 'Editor');
    await page.waitForSelector('.palette');
    await put(page, /^white queen/, '0,0');
    await put(page, /^black queen/, '1,-1');
    await put(page, /^white ant/, '-1,1');
    await put(page, /^black ant/, '2,-2');
    await page.getByRole('button', { name: 'Remove' }).click();
    await clickField(page, '2,-2');
    await put(page, /^black spider/, '2,-2');
    await page.getByLabel('Round').fill('5');
    await page.getByLabel('Round').press('Enter');
    await page.waitForFunction(() => document.querySelector('[data-testid=editor-state]').classList.contains('good'));
    await page.getByRole('button', { name: 'Play from here' }).click();
    await page.waitForSelector('.cell.movable');
    same(await page.locator('.cell .piece').count(), 4, 'pieces');
  },
};
