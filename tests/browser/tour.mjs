import { check, same } from './harness.mjs';
import { clickField, plies, targets, turn, view } from './steps.mjs';

export default {
  async 'from its first step to its last, every position is set up'({ open }) {
    const page = await open();
    await view(page, 'Learn');
    await page.waitForSelector('.cell.movable');
    // The first task is to win.
    await clickField(page, await page.evaluate(() => document.querySelector('.cell.movable').getAttribute('data-key')));
    await clickField(page, '0,-1');
    await page.locator('.callout.good').waitFor();
    for (let step = 2; ; step += 1) {
      await page.getByTestId('tour-next').click();
      await page.waitForFunction((n) => document.querySelector('.tour').textContent.includes(`Step ${n} of`), step);
      if ((await page.getByTestId('tour-next').count()) === 0) break;
      await page.waitForFunction(() => document.querySelector('.cell.movable, button.reserve-tile'));
      same(await page.locator('.tour .error').count(), 0, `step ${step}`);
      check((await targets(page)).length === 0, 'nothing is chosen');
    }
    await page.getByRole('button', { name: 'Play the beginner: Hive' }).click();
    await page.waitForSelector('.strip');
    same(await turn(page), 'move', 'a game has begun');
    same(await plies(page), 0, 'and nobody has moved');
  },
};
