import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { check, playOnReferee, same, serve, wabe } from './harness.mjs';
import { movedOn, plies, view } from './steps.mjs';

/** Writes the report of a run between two fast players. */
export async function report(...options) {
  const folder = mkdtempSync(join(tmpdir(), 'wabe-report-'));
  const path = join(folder, 'report.html');
  const run = ['arena', '--engine', 'greedy name=Anna', '--engine', 'random name=Bert', '--quiet', '--report', path, ...options];
  await promisify(execFile)(wabe, run);
  return { path: pathToFileURL(path).href, cleanUp: () => rmSync(folder, { recursive: true }) };
}

export default {
  async 'running match'({ open }) {
    // The match writes its replay into this folder.
    const folder = mkdtempSync(join(tmpdir(), 'wabe-match-'));
    const match = ['match', '--red', 'mcts:nodes=20000', '--blue', 'mcts:nodes=20000', '--seed', '5', '--quiet', '--board', '0'];
    const { child, address } = await serve(match, { cwd: folder });
    try {
      // The board of a match opens in watch mode, even without the fragment.
      const page = await open({ url: address.replace('#watch', '') });
      await page.waitForSelector('[role=grid]');
      const before = await plies(page);
      await movedOn(page, before);
      check(await page.locator('.strip').first().innerText(), 'the strip names the player');
      same(await page.locator('.cell.movable, button.reserve-tile[data-letter]').count(), 0, 'movable pieces');
      await page.keyboard.press('Home');
      await page.waitForFunction(() => document.querySelectorAll('.cell .piece').length === 0);
      await movedOn(page, await plies(page));
      same(await page.locator('.cell .piece').count(), 0, 'pieces in the first position');
      await page.keyboard.press('End');
      await page.waitForSelector('.cell .piece');
      await page.getByRole('button', { name: 'Analyse this game' }).click();
      await page.waitForSelector('[role=switch]');
    } finally {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  },

  async 'games of a referee'({ open }) {
    const { child, address, referee } = await serve(['serve', '--port', '0', '--board', '0'], { referee: true });
    try {
      const page = await open({ url: address });
      await page.getByText('No games in progress.').waitFor();
      const first = playOnReferee(referee);
      // The page follows the only game.
      await movedOn(page, 4);
      check(await page.locator('.curve').count(), 'there is a curve of the players’ evaluations');
      await first;
      await page.locator('.status').getByText(/^(Red|Blue) wins: |^Draw: /).waitFor();
      await page.getByRole('button', { name: 'Review this game' }).waitFor();
      check((await page.locator('.status').innerText()).includes('room '), 'the title names the room');
      await page.getByRole('button', { name: 'All games' }).click();
      await playOnReferee(referee);
      await page.waitForFunction(() => document.querySelectorAll('.games .live-dot.over').length === 2);
      same(await page.locator('.games li').count(), 2, 'games');
      same((await page.locator('.games b').first().innerText()), 'Red – Blue', 'players without names');
      await page.locator('.games button').first().click();
      await page.waitForSelector('.move.current');
    } finally {
      child.kill('SIGKILL');
    }
  },

  async 'game on another referee'({ open }) {
    process.env.WABE_PASSWORD = 'open sesame';
    const { child, referee } = await serve(['serve', '--port', '0'], { board: false, referee: true });
    delete process.env.WABE_PASSWORD;
    // A separate board, because pages of the same board share the watched games.
    const board = await serve(['board', '--no-open', '--port', '0']);
    try {
      const page = await open({ url: board.address });
      await view(page, 'Watch');
      const observe = async (password) => {
        await page.getByLabel('Address').fill(referee);
        await page.getByLabel('Password').fill(password);
        await page.getByRole('button', { name: 'Watch', exact: true }).last().click();
      };
      await page.getByRole('button', { name: 'Watch another server' }).click();
      await observe('wrong');
      await page.getByRole('alert').waitFor();
      same(await page.getByLabel('Address').inputValue(), referee, 'address after the error');
      await observe('open sesame');
      await page.getByLabel('Address').waitFor({ state: 'detached' });
      await playOnReferee(referee);
      await movedOn(page, 4);
      await page.locator('.status').getByText(/^(Red|Blue) wins: |^Draw: /).waitFor();
    } finally {
      board.child.kill('SIGKILL');
      child.kill('SIGKILL');
    }
  },

  async 'arena run: table, charts, games'({ open }) {
    const engines = ['--engine', 'mcts:nodes=60 name=Anna', '--engine', 'greedy name=Bert', '--engine', 'random name=Carl'];
    const run = ['arena', '--board', '0', ...engines, '--games', '4', '--concurrency', '2', '--seed', '5', '--sprt', 'elo0=0', 'elo1=400', '--quiet'];
    const { child, address } = await serve(run);
    try {
      const page = await open({ url: address });
      // Engines are listed before the first result.
      await page.locator('.standings').getByText('Carl').first().waitFor();
      await page.waitForFunction(() => document.querySelectorAll('.games .live-dot.over').length === 12);
      const table = page.locator('.standings table').first();
      same(await table.locator('thead th').allInnerTexts(), ['Engine', 'Elo', 'Score', 'Games', 'Won', 'Drawn', 'Lost', '1', '2', '3'], 'columns');
      const rows = await table.locator('tbody tr').allInnerTexts();
      check(rows.length === 3 && /^1 Anna\t\+\d+ ± \d+\t\d+\.\d%\t8\t/.test(rows[0]), `the winner is first: ${rows[0]}`);
      same(await page.locator('.standings > .chart figcaption').allInnerTexts(), ['Score and Elo of Anna – Bert', 'Log-likelihood ratio'], 'charts');
      await page.locator('.chart-plot').first().hover();
      check(/^1 pair|^2 pairs/.test(await page.locator('.curve-tip').innerText()), 'the pointer shows a point');
      await page.getByLabel('Pairing').selectOption('Bert – Carl');
      await page.getByText('Score and Elo of Bert – Carl').waitFor();
      await page.getByText('Times, endings, colours').click();
      check(/mcts:nodes=60/.test(await page.locator('.standings details').innerText()), 'the details show the limits');
      same(await page.locator('.games b').count(), 12, 'games');
      await page.locator('.games button').filter({ hasText: 'Anna wins' }).first().click();
      await page.waitForSelector('.move');
      check(/Anna|Bert|Carl/.test(await page.locator('.strip').first().innerText()), 'the strip names the player');
      // The contest's openings have four plies.
      same(await page.locator('.row-number').first().innerText(), '3', 'number of the first move');
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowRight');
      check(!/=/.test(await page.locator('.status').innerText()), 'no raw search report');
      await page.getByRole('button', { name: 'All games' }).click();
      await page.waitForSelector('.standings');
    } finally {
      child.kill('SIGKILL');
    }
  },

  async 'long lists of games can be searched'({ open }) {
    const { path, cleanUp } = await report('--games', '16');
    const page = await open({ url: path });
    await page.waitForFunction(() => document.querySelectorAll('.games li').length === 16);
    await page.getByRole('searchbox').fill('pair 3, GAME 2');
    same(await page.locator('.games li').count(), 1, 'games of that name');
    await page.getByRole('searchbox').fill('nobody');
    await page.getByText('No game matches.').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByLabel('Order').selectOption('By pair');
    check((await page.locator('.games li').first().innerText()).includes('Pair 1, game 1'), 'the first pair is first');
    cleanUp();
  },

  async 'report of an arena run, in both languages'({ open }) {
    const folder = mkdtempSync(join(tmpdir(), 'wabe-replays-'));
    const { path, cleanUp } = await report('--games', '2', '--sprt', 'elo0=0', 'elo1=10', '--replays', folder);
    for (const [locale, words] of [['en-GB', ['SPRT: not decided', 'Time per move', 'Ending']], ['de-DE', ['SPRT: nicht entschieden', 'Zeit pro Zug', 'Ende']]]) {
      const page = await open({ url: path, locale });
      await page.waitForSelector('.standings');
      const text = await page.locator('.standings').innerText();
      for (const word of words) check(text.includes(word), `${word} in ${text}`);
      same(await page.locator('.chart').count(), 3, 'charts');
      same(await page.locator('nav, .games button, form').count(), 0, 'controls that need a server');
      const names = await page.locator('.games .quiet').allInnerTexts();
      check(names.includes('pair-1-game-2.xml'), `the list names the recordings: ${names}`);
    }
    rmSync(folder, { recursive: true });
    cleanUp();
  },

  async 'unreachable referee shows an error'({ open }) {
    const page = await open();
    await view(page, 'Watch');
    await page.getByRole('button', { name: 'Watch another server' }).click();
    await page.getByLabel('Address').fill('127.0.0.1:1');
    await page.getByRole('button', { name: 'Watch', exact: true }).last().click();
    check((await page.getByRole('alert').innerText()).length > 5, 'the alert gives the reason');
  },
};
