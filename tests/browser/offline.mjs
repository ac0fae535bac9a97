import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { check, same } from './harness.mjs';
import { openReview } from './review.mjs';
import { drop, GAME, plies, view } from './steps.mjs';

/** Exports the game on the table as a page and opens the file. */
async function openExported(open, page) {
  await page.getByRole('button', { name: 'Share and export' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('dialog').getByRole('button', { name: /^Web page/ }).click();
  const folder = mkdtempSync(join(tmpdir(), 'wabe-page-'));
  const path = join(folder, 'game.html');
  await (await download).saveAs(path);
  const exported = await open({ url: pathToFileURL(path).href });
  await exported.waitForSelector('[role=grid]');
  return { exported, path, cleanUp: () => rmSync(folder, { recursive: true }) };
}

export default {
  async 'exported game: keys, buttons, autoplay'({ open }) {
    const page = await open();
    await drop(page, 'game.uhp', GAME);
    await page.waitForSelector('.move');
    const { exported, cleanUp } = await openExported(open, page);
    same(await plies(exported), 16, 'plies');
    same(await exported.locator('nav, [role=switch], .typed').count(), 0, 'controls that need an engine');
    await exported.waitForFunction(() => document.querySelectorAll('.cell .piece').length === 9);
    await exported.getByRole('button', { name: 'To the start' }).click();
    await exported.keyboard.press('ArrowRight');
    await exported.waitForFunction(() => document.querySelector('.move.current .move-text')?.textContent === 'wS1');
    await exported.getByRole('button', { name: 'To the end' }).click();
    await exported.waitForFunction(() => document.querySelectorAll('.cell .piece').length === 9);
    await exported.getByRole('button', { name: 'Autoplay' }).click();
    await exported.waitForFunction(() => [1, 2].includes(document.querySelectorAll('.cell .piece').length));
    await exported.getByRole('button', { name: 'Stop' }).click();
    cleanUp();
  },

  async 'exported review shows better moves'({ open }) {
    const page = await openReview(open);
    const { exported, path, cleanUp } = await openExported(open, page);
    await exported.waitForSelector('.summary');
    check((await exported.locator('.curve').count()) === 1, 'there is a curve');
    await exported.locator('.summary tbody button.link').first().click();
    await exported.waitForSelector('.move.current .glyph');
    check(/Better: /.test(await exported.locator('.remark').innerText()), 'the remark names a better move');
    await exported.locator('.remark').getByRole('button', { name: 'show' }).click();
    await exported.waitForSelector('.arrow.better');
    check(/Better: /.test(await exported.locator('.remark').innerText()), 'the remark stays while the better move is shown');
    await exported.locator('.remark').getByRole('button', { name: 'back' }).click();
    await exported.waitForSelector('.move.current .glyph');
    const other = await open();
    await drop(other, 'game.html', readFileSync(path, 'utf8'));
    await other.waitForSelector('.summary');
    same(await plies(other), 16, 'plies of the page that was opened again');
    cleanUp();
  },

  async 'invalid page does not replace the game'({ open }) {
    const page = await open();
    await drop(page, 'game.uhp', GAME);
    await page.waitForSelector('.move.current');
    const value = { score: 0.5, proven: false, plies: null };
    const recording = {
      welcome: { first: [{ line: { game: 'Base', start: null, moves: ['nonsense'] }, names: ['', ''], tags: [], remarks: [], times: [], result: null, damage: null }] },
      reviewed: [{ ply: 1, text: 'wS1', before: value, after: value, loss: 0, better: null, mark: 'good' }],
    };
    await drop(page, 'game.html', `<script type="application/json" id="recording">${JSON.stringify(recording)}</script>`);
    await page.waitForSelector('.toast');
    same(await plies(page), 16, 'plies of the game that was open');
    await view(page, 'Review');
    await page.waitForSelector('.offer');
  },
};
