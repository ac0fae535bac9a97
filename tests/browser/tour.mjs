import { check, same } from './harness.mjs';
import { clickField, plies, targets, turn, view } from './steps.mjs';

export default {
  async 'every step has a playable position'({ open }) {
    const page = await open();
    await view(page, 'Learn');
    await page.waitForSelector('.cell.movable');
    // The first task is solved by a single winning move. After another one, a click starts again.
    const ant = await page.evaluate(() => document.querySelector('.cell.movable').getAttribute('data-key'));
    await clickField(page, ant);
    await clickField(page, (await targets(page)).find((target) => target !== '0,-1'));
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await clickField(page, ant);
    await clickField(page, '0,-1');
    await page.locator('.callout.good').waitFor();
    // For each step about illegal moves: the piece to try, a field it cannot reach, and a solution.
    const limits = {
      'Keep in touch': { tried: '0,0', unreachable: '1,-1', solution: ['-2,1', '1,-1'] },
      'Narrow gaps': { tried: '2,-2', unreachable: '0,-1', solution: ['-2,1', '0,-1'] },
      'The mosquito on top': { tried: '1,-1', unreachable: null, solution: ['1,-1', '0,0'] },
      'Two mosquitoes': { tried: '-1,1', unreachable: 'all', solution: ['1,0', '0,1'] },
    };
    let limited = 0;
    for (let step = 2; ; step += 1) {
      await page.getByTestId('tour-next').click();
      await page.waitForFunction((n) => document.querySelector('.tour').textContent.includes(`Step ${n} of`), step);
      if ((await page.getByTestId('tour-next').count()) === 0) break;
      await page.waitForFunction(() => document.querySelector('.cell.movable, button.reserve-tile[data-letter]'));
      same(await page.locator('.tour .error').count(), 0, `errors in step ${step}`);
      check((await targets(page)).length === 0, 'no piece is selected');
      const limit = limits[await page.locator('.tour h2').innerText()];
      if (!limit) continue;
      limited += 1;
      await clickField(page, limit.tried);
      const reached = await targets(page);
      if (limit.unreachable === 'all') same(reached, [], `targets in step ${step}`);
      else check(reached.length > 0 && !reached.includes(limit.unreachable), `step ${step} has targets without ${limit.unreachable}: ${reached}`);
      if (limit.tried !== limit.solution[0]) await clickField(page, limit.solution[0]);
      await clickField(page, limit.solution[1]);
      await page.locator('.callout.good').waitFor();
    }
    same(limited, 4, 'steps about limits');
    await page.getByRole('button', { name: 'Play level 1: Hive' }).click();
    await page.waitForSelector('.strip');
    same(await turn(page), 'move', 'turn');
    same(await plies(page), 0, 'plies');
  },
};
