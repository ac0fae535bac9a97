// Tests the page without a server, as built by scripts/site.sh. Skipped unless SITE is set.
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';
import { check, same } from './harness.mjs';
import { begin, clickMove, dice, drop, GAME, movedOn, playOut, plies, turn, view } from './steps.mjs';

const folder = process.env.SITE ?? '';
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.webmanifest': 'application/manifest+json' };

/** Serves the site below a path, uncompressed. */
export async function serveSite() {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname));
    const file = join(folder, path.replace(/^\/hive\//, '').replace(/(^|\/)$/, '$1index.html'));
    if (!path.startsWith('/hive/') || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = server.address();
  const stop = () => new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
  return { address: `http://127.0.0.1:${port}/hive/`, stop };
}

/** Runs a test with the site's server. */
const onSite = (run) => async (tools) => {
  const { address, stop } = await serveSite();
  const open = async ({ at = '', fragment = '', ...more } = {}) => {
    const page = await tools.open({ url: `${address}${at}${fragment}`, ...more });
    if (!at) await page.waitForSelector('.nav:not([disabled])');
    return page;
  };
  await run({ ...tools, open, stop }).finally(stop);
};

const cases = {
  async 'first load is small'() {
    const worker = readFileSync(join(folder, 'sw.js'), 'utf8');
    const files = [...worker.matchAll(/^  '(.+)',$/gm)].map(([, name]) => name).filter((name) => name !== './');
    check(files.includes('engine/engine.bin') && files.includes('index.html'), 'the service worker lists all files');
    const compressed = files.reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name)), { level: 9 }).length, 0);
    check(compressed < 1_800_000, `${compressed} bytes are less than 1.8 MB`);
  },

  async 'contest game with a review'({ open }) {
    const page = await open();
    same(await page.getByRole('button', { name: 'Watch' }).count(), 0, 'controls that need a server');
    check(await page.getByText('The wabe program is stronger').isVisible(), 'a note points to the program');
    await begin(page);
    await playOut(page, 1);
    await page.getByRole('button', { name: 'Review this game' }).click();
    await page.waitForSelector('.summary');
  },

  async 'games stay in the browser'({ open }) {
    const page = await open();
    await drop(page, 'game.uhp', `${GAME}\n`);
    await page.waitForSelector('.node-tools');
    await page.locator('#comment').fill('kept');
    await page.getByRole('button', { name: 'Library' }).click();
    await page.waitForSelector('.library-row');
    const again = await open({ context: page.context() });
    await page.close();
    await again.getByRole('button', { name: 'Library' }).click();
    await again.locator('.entry').click();
    await again.waitForSelector('.node-tools');
    same(await again.locator('#comment').inputValue(), 'kept', 'the comment');
    await again.getByText('Openings').click();
    await again.getByText('1 game with this position').waitFor();
    await again.getByRole('button', { name: 'Library' }).click();
    await again.locator('.library-row').getByRole('button', { name: 'Delete' }).click();
    await again.getByText('No games yet').waitFor();
    await again.getByRole('button', { name: 'Undo' }).click();
    await again.waitForSelector('.library-row');
  },

  async 'standard game on a phone, level 6'({ open }) {
    const page = await open({ width: 390, height: 844, touch: true });
    await begin(page, { game: 'Base+MLP', level: '6' });
    const roll = dice(3);
    for (let round = 0; round < 3; round += 1) {
      same(await turn(page), 'move', 'turn');
      await clickMove(page, roll);
    }
    await turn(page);
    same(await plies(page), 6, 'plies');
  },

  async 'running analysis reacts to input'({ open }) {
    const page = await open({ fragment: '#game=Base&moves=wS1.bG1_-wS1.wQ_wS1/.bQ_-bG1.wA1_wQ-.bA1_~bQ' });
    await page.keyboard.press('l');
    await page.waitForFunction(() => document.querySelectorAll('li.line:not(.empty)').length === 3);
    for (const count of [5, 4, 3, 2, 1, 2]) {
      await page.keyboard.press(count > 2 ? 'ArrowLeft' : 'ArrowRight');
      await page.waitForFunction(() => document.querySelectorAll('li.line:not(.empty)').length === 3);
    }
    await page.keyboard.press('x');
    await page.waitForSelector('.arrow.threat');
    await page.getByRole('switch').click();
    await page.waitForFunction(() => document.querySelectorAll('.arrow').length === 0);
  },

  async 'review of a file stops'({ open }) {
    const page = await open();
    await view(page, 'Review');
    await drop(page, 'game.uhp', GAME);
    await page.waitForSelector('.offer');
    same(await plies(page), 16, 'plies');
    await page.getByRole('button', { name: 'Review the game' }).click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Review the game' }).waitFor();
  },

  async 'workers share a review'({ open }) {
    const review = async (cores) => {
      const page = await open({ prepare: (page) => page.addInitScript(`Object.defineProperty(navigator, 'hardwareConcurrency', { value: ${cores} })`) });
      await view(page, 'Review');
      await drop(page, 'game.uhp', GAME);
      await page.getByRole('button', { name: 'Review the game' }).click();
      await page.waitForSelector('.summary');
      const points = await page.locator('.curve-line').getAttribute('d');
      return [page.workers().length, points.split('L').length];
    };
    // One worker answers requests without a search, the others search.
    same([await review(1), await review(8)], [[2, 17], [3, 17]], 'workers and points of the curve');
  },

  async 'works offline from the second visit'({ open, stop }) {
    const page = await open({ tolerate: /fetching the script|ERR_CONNECTION_REFUSED/ });
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => null));
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    await stop();
    await page.reload();
    await page.waitForSelector('.nav:not([disabled])');
    await begin(page, { game: 'Base' });
    await clickMove(page, dice(5));
    await movedOn(page, 1);
    await page.reload();
    await page.waitForSelector('[role=grid]');
    same(await plies(page), 2, 'plies after a reload');
    await view(page, 'Analyse');
    await page.keyboard.press('l');
    await page.waitForSelector('li.line:not(.empty)');
  },

  async 'module on another page'({ open }) {
    const page = await open({ at: 'engine/example.html' });
    await page.getByRole('button', { name: 'wS1', exact: true }).click();
    await page.waitForFunction(() => /iterations/.test(document.querySelector('#thought').textContent));
    await page.getByRole('button', { name: 'Move now' }).click();
    await page.waitForFunction(() => document.querySelectorAll('#game li').length === 2);
  },
};

export default folder ? Object.fromEntries(Object.entries(cases).map(([name, run]) => [name, onSite(run)])) : {};
