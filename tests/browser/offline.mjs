import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { check, same } from './harness.mjs';
import { reviewed } from './review.mjs';
import { drop, GAME, plies } from './steps.mjs';

/** Saves the game on the table as a page, and opens that without a server. */
async function saved(open, page) {
  await page.getByRole('button', { name: 'Share and export' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('dialog').getByRole('button', { name: /^html/ }).click();
  const folder = mkdtempSync(join(tmpdir(), 'wabe-page-'));
  const path = join(folder, 'game.html');
  await (await download).saveAs(path);
  const own = await open({ url: pathToFileURL(path).href });
  await own.waitForSelector('[role=grid]');
  return { own, done: () => rmSync(folder, { recursive: true }) };
}

export default {
  async 'a game as a page: keys, buttons, by itself'({ open }) {
    const page = await open();
    await drop(page, 'game.uhp', GAME);
    await page.waitForSelector('.move');
    const { own, done } = await saved(open, page);
    same(await plies(own), 16, 'plies');
    same(await own.locator('nav, [role=switch], .typed').count(), 0, 'what needs an engine');
    await own.waitForFunction(() => document.querySelectorAll('.cell .piece').length === 9);
    await own.getByRole('button', { name: 'To the start' }).click();
    await own.keyboard.press('ArrowRight');
    await own.waitForFunction(() => document.querySelector('.move.current .move-text')?.textContent === 'wS1');
    await own.getByRole('button', { name: 'To the end' }).click();
    await own.waitForFunction(() => document.querySelectorAll('.cell .piece').length === 9);
    await own.getByRole('button', { name: 'Autoplay' }).click();
    await own.waitForFunction(() => [1, 2].includes(document.querySelectorAll('.cell .piece').length));
    await own.getByRole('button', { name: 'Stop' }).click();
    done();
  },

  async 'a review as a page'({ open }) {
    const page = await reviewed(open);
    const { own, done } = await saved(open, page);
    await own.waitForSelector('.summary');
    check((await own.locator('.curve').count()) === 1, 'the curve');
    await own.locator('.summary tbody button.link').first().click();
    await own.waitForSelector('.move.current .glyph');
    check(/Better: /.test(await own.locator('.remark').innerText()), 'a better move in words');
    await own.locator('.remark').getByRole('button', { name: 'show' }).click();
    await own.waitForSelector('.arrow.better');
    check(/Better: /.test(await own.locator('.remark').innerText()), 'the words stay with the picture');
    await own.locator('.remark').getByRole('button', { name: 'back' }).click();
    await own.waitForSelector('.move.current .glyph');
    done();
  },
};
