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
    // Where a task is about what is not possible: what does not move, or does not reach the marked field, and what solves it.
    const limits = {
      'Keep in touch': { tried: '0,0', not: '1,-1', solution: ['-2,1', '1,-1'] },
      'Narrow gaps': { tried: '2,-2', not: '0,-1', solution: ['-2,1', '0,-1'] },
      'The mosquito on top': { tried: '1,-1', not: null, solution: ['1,-1', '0,0'] },
      'Two mosquitoes': { tried: '-1,1', not: 'anywhere', solution: ['1,0', '0,1'] },
    };
    let limited = 0;
    for (let step = 2; ; step += 1) {
      await page.getByTestId('tour-next').click();
      await page.waitForFunction((n) => document.querySelector('.tour').textContent.includes(`Step ${n} of`), step);
      if ((await page.getByTestId('tour-next').count()) === 0) break;
      await page.waitForFunction(() => document.querySelector('.cell.movable, button.reserve-tile'));
      same(await page.locator('.tour .error').count(), 0, `step ${step}`);
      check((await targets(page)).length === 0, 'nothing is chosen');
      const limit = limits[await page.locator('.tour h2').innerText()];
      if (!limit) continue;
      limited += 1;
      await clickField(page, limit.tried);
      const reached = await targets(page);
      if (limit.not === 'anywhere') same(reached, [], `targets of what cannot move in step ${step}`);
      else check(reached.length > 0 && !reached.includes(limit.not), `step ${step} does not lead to ${limit.not}: ${reached}`);
      if (limit.tried !== limit.solution[0]) await clickField(page, limit.solution[0]);
      await clickField(page, limit.solution[1]);
      await page.locator('.callout.good').waitFor();
    }
    same(limited, 4, 'steps about limits');
    await page.getByRole('button', { name: 'Play the beginner: Hive' }).click();
    await page.waitForSelector('.strip');
    same(await turn(page), 'move', 'a game has begun');
    same(await plies(page), 0, 'and nobody has moved');
  },
};
