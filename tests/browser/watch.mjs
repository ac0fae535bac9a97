import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, same, serve } from './harness.mjs';
import { movedOn, plies, view } from './steps.mjs';

export default {
  async 'a match that is being played'({ open }) {
    // Replays are written there.
    const folder = mkdtempSync(join(tmpdir(), 'wabe-match-'));
    const match = ['match', '--red', 'mcts:nodes=20000', '--blue', 'mcts:nodes=20000', '--seed', '5', '--quiet', '--board', '0'];
    const { child, address } = await serve(match, folder);
    try {
      const page = await open({ url: address });
      await page.waitForSelector('[role=grid]');
      const before = await plies(page);
      await movedOn(page, before);
      check(await page.locator('.strip').first().innerText(), 'the players');
      same(await page.locator('.cell.movable, button.reserve-tile').count(), 0, 'nobody moves here');
      await page.keyboard.press('Home');
      await page.waitForFunction(() => document.querySelectorAll('.cell .piece').length === 0);
      await movedOn(page, await plies(page));
      same(await page.locator('.cell .piece').count(), 0, 'who looks at an earlier position is left there');
      await page.keyboard.press('End');
      await page.waitForSelector('.cell .piece');
      await page.getByRole('button', { name: 'Analyse this game' }).click();
      await page.waitForSelector('[role=switch]');
    } finally {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  },

  async 'a referee that is not there'({ open }) {
    const page = await open();
    await view(page, 'Watch');
    await page.getByRole('button', { name: 'Watch another server' }).click();
    await page.getByLabel('Address').fill('127.0.0.1:1');
    await page.getByRole('button', { name: 'Watch', exact: true }).last().click();
    check((await page.getByRole('alert').innerText()).length > 5, 'the reason');
  },
};
