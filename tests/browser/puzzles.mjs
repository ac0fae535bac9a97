import { readFileSync } from 'node:fs';
import { check, same } from './harness.mjs';
import { clickField, drop, GAME, legalMoves, view } from './steps.mjs';

const puzzles = JSON.parse(readFileSync(new URL('../../crates/board/src/page/puzzles.json', import.meta.url), 'utf8'));

/** Opens the puzzles of a page that gets only one puzzle. */
async function openPuzzle({ open }, puzzle, options = {}) {
  const page = await open({
    ...options,
    prepare: async (page) => {
      await page.addInitScript((game) => localStorage.setItem('wabe-board', JSON.stringify({ version: 3, puzzleGame: game })), puzzle.game);
      await page.route('**/puzzles.json', (route) => route.fulfill({ json: [puzzle] }));
    },
  });
  await page.getByRole('button', { name: options.locale === 'de-DE' ? 'Aufgaben' : 'Puzzles' }).click();
  await page.waitForSelector('.puzzle h2');
  return page;
}

/** Plays a move of the puzzle's first position by clicking. */
async function play(page, { letter, from, to }) {
  if (from) await clickField(page, from.join(','));
  else await page.locator(`button.reserve-tile[data-letter="${letter}"]`).click();
  await clickField(page, to.join(','));
}

/** The legal moves of a puzzle's first position. */
const movesOf = (page, { game, position }) => legalMoves(page, { game, start: position, moves: [] });

const easiest = (game) => puzzles.filter((puzzle) => puzzle.game === game).sort((a, b) => a.rating - b.rating)[0];

export default {
  async 'solved puzzle raises rating and streak'(harness) {
    const puzzle = easiest('Base');
    const page = await openPuzzle(harness, puzzle);
    const before = await page.getByTestId('puzzle-rating').innerText();
    const move = (await movesOf(page, puzzle)).find(({ text }) => text === puzzle.line[0]);
    await play(page, move);
    await page.getByText('Solved!', { exact: true }).waitFor();
    const after = await page.getByTestId('puzzle-rating').innerText();
    const rating = (text) => Number(/([\d,]+)/.exec(text)[1].replace(',', ''));
    check(rating(after) > rating(before), `${before} → ${after}`);
    // The result outlasts the page.
    await page.reload();
    await page.getByRole('button', { name: 'Puzzles' }).click();
    await page.waitForSelector('.puzzle h2');
    same(await page.getByTestId('puzzle-rating').innerText(), after, 'the rating after a reload');
  },

  async 'wrong move is refuted, solution is shown'(harness) {
    const puzzle = easiest('Base+MLP');
    const page = await openPuzzle(harness, puzzle, { locale: 'de-DE' });
    const moves = await movesOf(page, puzzle);
    const wrong = moves.find(({ text, to }) => text !== puzzle.line[0] && to && JSON.stringify(to) !== JSON.stringify(moves.find((one) => one.text === puzzle.line[0]).to));
    await play(page, wrong);
    await page.locator('.callout.bad, .callout').filter({ hasText: /nicht|später/ }).waitFor();
    await page.getByRole('button', { name: 'Lösung' }).click();
    await page.getByTestId('puzzle-next').waitFor();
  },

  async 'puzzles exist for all games and themes'({ open }) {
    const page = await open();
    await page.getByRole('button', { name: 'Puzzles' }).click();
    for (const game of ['Base', 'Base+MLP', 'contest']) {
      await page.locator('.puzzle select').first().selectOption(game);
      await page.waitForSelector('.puzzle h2');
    }
    same(new Set(puzzles.map(({ id, game }) => `${game} ${id}`)).size, puzzles.length, 'distinct puzzles');
  },

  async 'own mistakes join the puzzles'({ open }) {
    const prepare = (page) => page.addInitScript(() => localStorage.setItem('wabe-board', JSON.stringify({ version: 3, name: 'Ann', reviewNodes: 500 })));
    const page = await open({ prepare });
    const pgn = ['[GameType "Base"]', '[White "Ann"]', '[Black "Bob"]', '[Result "*"]', '', ...GAME.split(';').slice(3).map((move, i) => `${i + 1}. ${move}`)].join('\n');
    await view(page, 'Review');
    await drop(page, 'game.pgn', pgn);
    await page.getByRole('button', { name: 'Review the game' }).click();
    await page.waitForSelector('.summary');
    await page.reload();
    await page.waitForSelector('.summary');
    await page.getByRole('button', { name: 'Puzzles' }).click();
    await page.locator('.puzzle select').first().selectOption('own');
    await page.getByRole('heading', { name: 'Find a better move for White' }).waitFor();
    await page.getByText(/^In the game: /).waitFor();
    await page.getByRole('button', { name: 'Show the solution' }).click();
    await page.getByTestId('puzzle-next').waitFor();
  },
};
