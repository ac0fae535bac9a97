// Takes the screenshots for docs/board.md: node pictures.mjs DIR [SEED]
//
// See run.mjs for the environment.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start, finish, wabe } from './harness.mjs';
import { view } from './steps.mjs';

const folder = process.argv[2] ?? '.';
const work = mkdtempSync(join(tmpdir(), 'wabe-pictures-'));
const players = ['--red', 'mcts:nodes=150', '--blue', 'mcts:nodes=100'];
spawnSync(wabe, ['match', '--game', 'Base+MLP', ...players, '--seed', process.argv[3] ?? '6', '--quiet'], { cwd: work });
const game = readdirSync(work, { recursive: true }).map((name) => join(work, name)).find((name) => /\.\w+$/.test(name));

const harness = await start();
const pictures = {
  async tour(page) {
    await view(page, 'Learn');
    await page.waitForSelector('.cell.movable');
  },
  async analysis(page) {
    await page.locator('input[type=file]').setInputFiles(game);
    await page.waitForSelector('.move.current');
    for (let i = 0; i < 16; i += 1) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('l');
    await page.getByRole('button', { name: 'Fit the board' }).click();
    await page.waitForFunction(() => Number(document.querySelector('.facts')?.innerText.split('\n')[0].replace(/\D/g, '')) >= 11);
  },
  async review(page) {
    await page.locator('input[type=file]').setInputFiles(game);
    await page.waitForSelector('.move.current');
    await view(page, 'Review');
    await page.getByRole('button', { name: 'Review the game' }).click();
    await page.waitForSelector('.summary', { timeout: 300_000 });
    await page.locator('.mark-mistake button.link, .mark-blunder button.link').last().click();
    await page.getByRole('button', { name: 'Fit the board' }).click();
    await page.waitForSelector('.remark strong');
  },
};
for (const [name, prepare] of Object.entries(pictures)) {
  await harness.test(name, async ({ open }) => {
    const page = await open({ width: 1200, height: 750 });
    await prepare(page);
    await page.mouse.move(1, 749);
    await page.evaluate(() => document.activeElement?.blur?.());
    await page.screenshot({ path: join(folder, `${name}.png`) });
  });
}
rmSync(work, { recursive: true });
await finish(harness);
