import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, same, serve } from './harness.mjs';
import { begin, clickField, clickMove, dice, drop, GAME, plies, put, turn, view } from './steps.mjs';

/** Starts a board with a library of its own, and opens pages on it. */
async function withLibrary({ open }, run) {
  const folder = mkdtempSync(join(tmpdir(), 'wabe-library-'));
  let board = null;
  const start = async () => {
    board = await serve(['board', '--no-open', '--port', '0', '--library', folder]);
  };
  const stop = async () => {
    const ended = new Promise((resolve) => board.child.once('exit', resolve));
    board.child.kill('SIGINT');
    await ended;
  };
  const page = async (options = {}) => {
    const opened = await open({ url: board.address, ...options });
    await opened.waitForSelector('.nav:not([disabled])');
    return opened;
  };
  await start();
  try {
    await run({ page, folder, start, stop });
  } finally {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits until a file of a library, by default its only entry, contains a text. */
async function savedText(folder, text, file = '') {
  for (let attempts = 0; attempts < 1000; attempts += 1) {
    const [name] = files(folder, 'json').filter((one) => !file || one === file);
    if (name && readFileSync(join(folder, name), 'utf8').includes(text)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${text} is not saved`);
}

const files = (folder, extension) => readdirSync(folder).filter((name) => name.endsWith(`.${extension}`));

/** Waits until the library holds this number of games, and shows it. */
async function library(page, count) {
  await page.getByRole('button', { name: 'Library' }).click();
  await page.waitForFunction((n) => document.querySelectorAll('.library-row').length === n, count);
}

async function analyse(page, game = GAME) {
  await drop(page, 'game.uhp', `${game}\n`);
  await page.waitForFunction((n) => document.querySelectorAll('.move-row .move[data-node]').length === n && document.querySelector('.node-tools'), game.split(';').length - 3);
}

/** `count` short games as UHP game strings, all different. */
function games(count) {
  const second = ['bS1', 'bG1', 'bB1', 'bA1'].flatMap((piece) => ['wS1-', 'wS1/', 'wS1\\', '-wS1', '/wS1', '\\wS1'].map((place) => `${piece} ${place}`));
  return Array.from({ length: count }, (_, i) => `Base;InProgress;White[2];wS1;${second[i % second.length]}`);
}

/** A game as in a file of the library. */
function savedGame(title, moves) {
  const children = moves.reduceRight((below, move) => [[move, '', '', below]], []);
  const tree = { game: 'Base', start: null, root: ['', '', '', children], path: moves.map(() => 0) };
  const summary = { game: 'Base', names: ['', ''], title, labels: [], source: 'analysis', result: '*', date: '', plies: moves.length };
  return { summary, state: { tree, names: ['', ''], tags: [], seats: null, control: null, review: null, flipped: false } };
}

export default {
  async 'analysis survives closing the browser and wabe'(harness) {
    await withLibrary(harness, async ({ page, folder, start, stop }) => {
      const first = await page();
      await analyse(first);
      await first.locator('#comment').fill('Look here');
      await first.close();
      await savedText(folder, 'Look here');
      await stop();
      same([files(folder, 'json').length, files(folder, 'pgn').length], [1, 1], 'files');
      check(readFileSync(join(folder, files(folder, 'pgn')[0]), 'utf8').includes('Look here'), 'the copy has the comment');
      await start();
      const second = await page();
      await second.getByRole('button', { name: 'Back to your last analysis' }).click();
      await second.waitForSelector('.node-tools');
      same(await second.locator('#comment').inputValue(), 'Look here', 'the comment');
      same(await plies(second), 16, 'plies');
    });
  },

  async 'unfinished game goes on after a restart'(harness) {
    await withLibrary(harness, async ({ page, folder, start, stop }) => {
      const first = await page();
      await begin(first, { game: 'Base' });
      await clickMove(first, dice(1));
      await turn(first);
      await first.waitForFunction(() => document.querySelectorAll('.move-row .move[data-node]').length === 2);
      await savedText(folder, '"plies":2');
      await first.close();
      await stop();
      await start();
      const second = await page();
      await second.getByRole('button', { name: 'Back to your game' }).click();
      await second.waitForSelector('[role=grid]');
      same(await plies(second), 2, 'plies');
      await clickMove(second, dice(2));
      await library(second, 1);
    });
  },

  async 'game is saved while Watch is shown'(harness) {
    await withLibrary(harness, async ({ page, folder }) => {
      const tab = await page();
      await begin(tab, { game: 'Base', level: 'Level 10', minutes: '1' });
      await clickMove(tab, dice(1));
      await view(tab, 'Watch');
      await tab.locator('.toast').getByText('has moved').waitFor();
      await savedText(folder, '"plies":2');
    });
  },

  async 'editor and tour go on after closing the tab'(harness) {
    await withLibrary(harness, async ({ page, folder }) => {
      const first = await page();
      await view(first, 'Editor');
      await first.waitForSelector('.palette');
      await first.getByLabel('Game').selectOption('Base');
      await put(first, /^white queen/, '0,0');
      await put(first, /^black beetle/, '0,0');
      await view(first, 'Learn');
      await first.getByTestId('tour-next').click();
      await first.getByText('Step 2 of').waitFor();
      await savedText(folder, '"step":1', 'tour.json');
      await first.close();
      const second = await page();
      await view(second, 'Learn');
      await second.getByText('Step 2 of').waitFor();
      await view(second, 'Editor');
      await second.waitForFunction(() => document.querySelectorAll('.cell .piece').length === 2);
      same(await second.getByLabel('Game').inputValue(), 'Base', 'the game');
      // The position stays while other views are shown.
      await clickField(second, '1,-1');
      await view(second, 'Library');
      await view(second, 'Editor');
      await second.waitForFunction(() => document.querySelectorAll('.cell .piece').length === 3);
      check(await second.getByRole('button', { name: 'Undo' }).isEnabled(), 'changes can still be undone');
    });
  },

  async 'damaged notes are reported, puzzles go on'(harness) {
    await withLibrary(harness, async ({ page, folder }) => {
      for (const note of ['mistakes', 'puzzles']) writeFileSync(join(folder, `${note}.json`), '{');
      const tab = await page();
      await view(tab, 'Puzzles');
      await tab.getByRole('button', { name: 'Show the solution' }).click();
      await tab.getByTestId('puzzle-next').waitFor();
      await tab.locator('.toast').waitFor();
      await view(tab, 'Library');
      await tab.getByText('2 files cannot be read').waitFor();
    });
  },

  async 'two tabs do not overwrite each other'(harness) {
    await withLibrary(harness, async ({ page, folder }) => {
      const first = await page();
      await analyse(first);
      await first.locator('#comment').fill('one');
      await library(first, 1);
      const second = await page();
      for (const tab of [first, second]) {
        await library(tab, 1);
        await tab.locator('.entry').click();
        await tab.waitForSelector('.node-tools');
      }
      await second.locator('#comment').fill('two');
      await library(second, 1);
      await first.locator('#comment').fill('three');
      await first.getByText('saved as a copy').waitFor();
      await library(first, 2);
      same((await first.locator('.entry-name b').allInnerTexts()), ['Copy'], 'titles');
      const texts = files(folder, 'pgn').map((name) => readFileSync(join(folder, name), 'utf8'));
      same(texts.length, 2, 'games');
      for (const comment of ['two', 'three']) check(texts.some((text) => text.includes(comment)), `“${comment}” is kept`);
    });
  },

  async 'renaming keeps the game of another tab'(harness) {
    await withLibrary(harness, async ({ page }) => {
      const first = await page();
      await analyse(first);
      await first.locator('#comment').fill('one');
      const second = await page();
      await second.waitForTimeout(600);
      await library(second, 1);
      await second.getByRole('button', { name: 'Title and labels' }).click();
      await second.getByLabel('Title', { exact: true }).fill('My study');
      await second.getByRole('textbox', { name: 'Labels' }).fill('endings, difficult');
      await second.getByRole('button', { name: 'Save', exact: true }).click();
      await second.getByText('My study').waitFor();
      await first.locator('#comment').fill('two');
      await library(first, 1);
      const row = await first.locator('.library-row').innerText();
      check(row.includes('My study') && row.includes('#difficult'), `the title is kept: ${row}`);
    });
  },

  async 'import, search, delete, undo, export'(harness) {
    await withLibrary(harness, async ({ page }) => {
      const tab = await page();
      await tab.getByRole('button', { name: 'Library' }).click();
      const buffer = Buffer.from(games(24).join('\n'));
      await tab.getByTestId('import').setInputFiles([
        { name: 'many.uhp', mimeType: 'text/plain', buffer },
        { name: 'one.uhp', mimeType: 'text/plain', buffer: Buffer.from(GAME) },
        { name: 'broken.uhp', mimeType: 'text/plain', buffer: Buffer.from('nothing') },
        { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('nothing') },
      ]);
      await tab.getByText('games imported').waitFor();
      const message = await tab.locator('.import-report').innerText();
      // Symmetric openings of the first file are the same game.
      check(/^5 games imported\. 20 were already there\. 2 files or games could not be read:\s+broken\.uhp, notes\.txt: No game/.test(message), message);
      await tab.waitForFunction(() => document.querySelectorAll('.library-row').length === 5);
      await tab.getByPlaceholder('Search').fill('nobody');
      check(await tab.getByRole('button', { name: 'Export these 0' }).isDisabled(), 'nothing to export');
      await tab.getByPlaceholder('Search').fill('one.uhp');
      await tab.waitForFunction(() => document.querySelectorAll('.library-row').length === 1);
      check(await tab.locator('.import-report').isVisible(), 'the report stays');
      await tab.locator('.import-report').getByRole('button', { name: 'Close' }).click();
      await tab.locator('.import-report').waitFor({ state: 'detached' });
      await tab.locator('.library-row').getByRole('button', { name: 'Delete' }).click();
      await tab.getByText('No game matches').waitFor();
      await tab.getByRole('button', { name: 'Undo' }).click();
      await tab.waitForSelector('.library-row');
      await tab.getByPlaceholder('Search').fill('');
      const [download] = await Promise.all([tab.waitForEvent('download'), tab.getByRole('button', { name: 'Export these 5 (PGN)' }).click()]);
      const pgn = readFileSync(await download.path(), 'utf8');
      same(pgn.match(/\[GameType /g).length, 5, 'games in the file');
      const [backup] = await Promise.all([tab.waitForEvent('download'), tab.getByRole('button', { name: 'JSON' }).click()]);
      await tab.locator('.library-row input').first().check();
      await tab.locator('.library-count').getByRole('button', { name: 'Delete' }).click();
      await tab.waitForFunction(() => document.querySelectorAll('.library-row').length === 4);
      await tab.getByTestId('import').setInputFiles({ name: 'backup.json', mimeType: 'application/json', buffer: readFileSync(await backup.path()) });
      await tab.getByText('1 game imported. 4 were already there.').waitFor();
    });
  },

  async 'open game is stored once after its removal was undone'(harness) {
    await withLibrary(harness, async ({ page, folder }) => {
      const tab = await page();
      await analyse(tab);
      await tab.locator('#comment').fill('first');
      await library(tab, 1);
      await tab.locator('.library-row').getByRole('button', { name: 'Delete' }).click();
      await tab.waitForFunction(() => document.querySelectorAll('.library-row').length === 0);
      await tab.getByRole('button', { name: 'Undo' }).click();
      await tab.waitForSelector('.library-row');
      await tab.getByRole('button', { name: 'Analyse', exact: true }).click();
      await tab.locator('#comment').fill('second');
      await savedText(folder, 'second');
      await library(tab, 1);
    });
  },

  async 'folder of a library is imported'(harness) {
    await withLibrary(harness, async ({ page, folder }) => {
      const tab = await page();
      const from = join(folder, 'other');
      mkdirSync(join(from, 'trash'), { recursive: true });
      const entry = (summary, state) => JSON.stringify({ format: 'wabe-game', revision: 1, summary, state });
      const summary = { game: 'Base', names: ['', ''], title: '', labels: [], source: 'analysis', result: '*', date: '', plies: 1 };
      writeFileSync(join(from, 'damaged.json'), entry(summary, { tree: { game: 'Base', start: null } }));
      writeFileSync(join(from, 'empty.json'), entry(summary, null));
      writeFileSync(join(from, 'game.uhp'), GAME);
      writeFileSync(join(from, 'puzzles.json'), entry(null, { rating: 700 }));
      writeFileSync(join(from, 'trash', 'deleted.uhp'), games(1)[0]);
      await tab.getByRole('button', { name: 'Library' }).click();
      await tab.locator('input[webkitdirectory]').setInputFiles(from);
      const report = tab.locator('.import-report');
      await report.waitFor();
      check(/^1 game imported\. 2 files or games could not be read:\s+damaged\.json: .*\s+empty\.json: This file/.test(await report.innerText()), await report.innerText());
    });
  },

  async 'games with illegal moves are imported and opened'(harness) {
    await withLibrary(harness, async ({ page }) => {
      const tab = await page();
      const library = { format: 'wabe-library', version: 1, games: [savedGame('illegal', ['wS1', 'bS1 wS1-', 'wS1 bS1-']), savedGame('legal', ['wS1'])] };
      await tab.getByRole('button', { name: 'Library' }).click();
      await tab.getByTestId('import').setInputFiles({ name: 'games.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(library)) });
      await tab.getByText('2 games imported').waitFor();
      const [download] = await Promise.all([tab.waitForEvent('download'), tab.getByRole('button', { name: 'Export these 2 (PGN)' }).click()]);
      same(readFileSync(await download.path(), 'utf8').match(/\[GameType /g).length, 1, 'games in the file');
      await tab.getByText('1 game was left out').waitFor();
      await tab.locator('.entry').filter({ hasText: 'illegal' }).click();
      await tab.getByRole('button', { name: '2. white spider' }).click();
      await tab.locator('.toast').getByText('must be placed first').waitFor();
    });
  },

  async 'damaged game of a backup does not hide the others'(harness) {
    await withLibrary(harness, async ({ page }) => {
      const tab = await page();
      const damaged = savedGame('damaged', ['wG1']);
      delete damaged.state.tree.root;
      const rejected = savedGame('rejected', ['wB1']);
      rejected.summary.names = null;
      const backup = { format: 'wabe-library', version: 1, games: [savedGame('before', ['wS1']), damaged, rejected, savedGame('after', ['wA1'])] };
      await tab.getByRole('button', { name: 'Library' }).click();
      await tab.getByTestId('import').setInputFiles({ name: 'backup.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(backup)) });
      const report = tab.locator('.import-report');
      await report.waitFor();
      check(/^2 games imported\. 2 files or games could not be read:\s+backup\.json \(game 2\): .*\s+backup\.json \(game 3\): /.test(await report.innerText()), await report.innerText());
      await tab.waitForFunction(() => document.querySelectorAll('.library-row').length === 2);
      same((await tab.locator('.entry-name b').allInnerTexts()).sort(), ['after', 'before'], 'titles');
    });
  },

  async 'damaged game does not end an export'(harness) {
    await withLibrary(harness, async ({ page, folder }) => {
      const damaged = savedGame('damaged', ['wG1']);
      delete damaged.state.tree.root;
      for (const [i, game] of [savedGame('before', ['wS1']), damaged, savedGame('after', ['wA1'])].entries()) {
        writeFileSync(join(folder, `game-${i}.json`), JSON.stringify({ format: 'wabe-game', revision: 1, ...game }));
      }
      const tab = await page();
      await library(tab, 3);
      const [download] = await Promise.all([tab.waitForEvent('download'), tab.getByRole('button', { name: 'Export these 3 (PGN)' }).click()]);
      same(readFileSync(await download.path(), 'utf8').match(/\[GameType /g).length, 2, 'games in the file');
      await tab.getByText('1 game was left out').waitFor();
    });
  },

  async 'import is stopped between files'(harness) {
    await withLibrary(harness, async ({ page, folder }) => {
      const tab = await page();
      await tab.getByRole('button', { name: 'Library' }).click();
      const game = (i) => `[GameType "Base"]\n[White "Player ${i}"]\n[Black "B"]\n\n1. wS1\n`;
      await tab.getByTestId('import').setInputFiles(Array.from({ length: 300 }, (_, i) => ({ name: `${i}.pgn`, mimeType: 'text/plain', buffer: Buffer.from(game(i)) })));
      await tab.getByRole('button', { name: 'Stop', exact: true }).click();
      await tab.getByText('Import stopped').waitFor();
      const { length } = files(folder, 'json');
      check(length < 300, `${length} games are fewer than 300`);
      check(files(folder, 'json').every((name) => !name.startsWith('-')), 'file names of games without a date');
    });
  },

  async 'long list draws only visible rows'(harness) {
    await withLibrary(harness, async ({ page }) => {
      const tab = await page();
      await tab.getByRole('button', { name: 'Library' }).click();
      const names = Array.from({ length: 300 }, (_, i) => `[GameType "Base"]\n[White "Player ${String(i).padStart(3, '0')}"]\n[Black "B"]\n\n1. wS1\n`).join('\n');
      await tab.getByTestId('import').setInputFiles({ name: 'many.pgn', mimeType: 'text/plain', buffer: Buffer.from(names) });
      await tab.getByText('300 games imported').waitFor();
      check((await tab.locator('.library-row').count()) < 60, 'few rows are drawn');
      await tab.getByLabel('Order').selectOption('players');
      await tab.getByText('Player 000').waitFor();
      await tab.locator('.entry', { hasText: 'Player 010' }).focus();
      await tab.locator('.library-list').evaluate((list) => list.scrollTo(0, 56 * 16));
      await tab.getByText('Player 000').waitFor({ state: 'detached' });
      check(/Player 010/.test(await tab.evaluate(() => document.activeElement.textContent)), 'the focus stays on its game');
      await tab.locator('.library-list').evaluate((list) => list.scrollTo(0, list.scrollHeight));
      await tab.getByText('Player 299').waitFor();
    });
  },

  async 'failed save is reported and repeated'(harness) {
    await withLibrary(harness, async ({ page, folder }) => {
      const tab = await page();
      await analyse(tab);
      renameSync(folder, `${folder}-away`);
      await tab.locator('#comment').fill('kept');
      await tab.getByRole('alert').getByText('Not saved').waitFor();
      renameSync(`${folder}-away`, folder);
      await tab.getByRole('alert').waitFor({ state: 'detached' });
      same(files(folder, 'json').length, 1, 'files');
    });
  },

  async 'failed save is repeated after another game was opened'(harness) {
    await withLibrary(harness, async ({ page, folder }) => {
      const tab = await page();
      await analyse(tab);
      renameSync(folder, `${folder}-away`);
      await tab.locator('#comment').fill('first');
      await tab.getByRole('alert').getByText('Not saved').waitFor();
      await analyse(tab, 'Base;InProgress;White[2];wG1;bG1 wG1-');
      renameSync(`${folder}-away`, folder);
      await tab.locator('#comment').fill('second');
      await tab.getByRole('alert').waitFor({ state: 'detached' });
      await library(tab, 2);
    });
  },

  async 'opening a game keeps the one that was open'(harness) {
    await withLibrary(harness, async ({ page }) => {
      const tab = await page();
      await analyse(tab);
      await tab.locator('#comment').fill('first');
      await analyse(tab, 'Base;InProgress;White[2];wG1;bG1 wG1-');
      await tab.locator('#comment').fill('second');
      await library(tab, 2);
    });
  },

  async 'openings: own games, results, book'(harness) {
    await withLibrary(harness, async ({ page }) => {
      const tab = await page();
      await tab.getByRole('button', { name: 'Library' }).click();
      const game = (result, second) => `[GameType "Base"]\n[White "A"]\n[Black "B"]\n[Result "${result}"]\n\n1. wS1\n2. ${second}\n3. wG1 /wS1\n`;
      const pgn = [game('WhiteWins', 'bG1 wS1-'), game('BlackWins', 'bG1 \\wS1'), game('Draw', 'bA1 wS1-')].join('\n');
      await tab.getByTestId('import').setInputFiles({ name: 'three.pgn', mimeType: 'text/plain', buffer: Buffer.from(pgn) });
      await tab.getByText('games imported').waitFor();
      await analyse(tab, 'Base;InProgress;Black[1];wS1');
      await tab.getByText('Openings').click();
      await tab.waitForSelector('.explorer tbody tr');
      const rows = await tab.locator('.explorer tbody tr').evaluateAll((all) => all.map((row) => row.innerText));
      const own = rows.map((row) => Number(/\t(\d+)\t/.exec(row)?.[1] ?? 0)).filter(Boolean);
      same(own, [2, 1], `games per reply, most first: ${rows.join(' | ')}`);
      await tab.evaluate(() => {
        const move = document.querySelector('.explorer .line-move');
        for (let i = 0; i < 2; i += 1) move.click();
      });
      await tab.waitForFunction(() => document.querySelectorAll('.move-row .move[data-node]').length > 1);
      same(await plies(tab), 2, 'plies');
      await tab.getByRole('button', { name: 'Undo', exact: true }).click();
      await tab.waitForFunction(() => document.querySelectorAll('.move-row .move[data-node]').length === 1);
      await tab.getByText('games with this position').click();
      same(await tab.locator('.explorer-games li').count(), 3, 'games with the position');
      const names = await tab.locator('.explorer-games li').evaluateAll((all) => all.map((one) => one.innerText.replace(/\s+/g, ' ')).sort());
      same(names, ['A – B 0–1 3 plies · three.pgn', 'A – B 1–0 3 plies · three.pgn', 'A – B ½–½ 3 plies · three.pgn'], 'names of games');
      await tab.locator('.explorer-games button').first().click();
      await tab.waitForFunction(() => document.querySelectorAll('.move-row .move[data-node]').length === 3);
    });
  },
};
