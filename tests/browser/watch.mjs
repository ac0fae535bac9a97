import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, playOnReferee, same, serve } from './harness.mjs';
import { movedOn, plies, view } from './steps.mjs';

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

  async 'arena run: games, standings'({ open }) {
    const run = ['arena', '--board', '0', '--engine', 'mcts:nodes=100 name=Anna', '--engine', 'greedy name=Bert', '--games', '4', '--concurrency', '2', '--seed', '5', '--quiet'];
    const { child, address } = await serve(run);
    try {
      const page = await open({ url: address });
      await page.waitForFunction(() => document.querySelectorAll('.games li').length >= 2);
      await page.locator('.games button').first().click();
      await page.waitForSelector('.move');
      check(/Anna|Bert/.test(await page.locator('.strip').first().innerText()), 'the strip names the player');
      await page.getByRole('button', { name: 'All games' }).click();
      await page.waitForFunction(() => document.querySelectorAll('.games .live-dot.over').length === 4);
      check(/Anna/.test(await page.locator('.standings').innerText()), 'the standings name the engines');
      check(/(Anna|Bert) wins|Draw/.test(await page.locator('.games li').first().innerText()), 'the list names the winner');
    } finally {
      child.kill('SIGKILL');
    }
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
