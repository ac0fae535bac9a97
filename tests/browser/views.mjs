import { check, same } from './harness.mjs';
import { begin, clickMove, dice, turn, view } from './steps.mjs';
import { openReview } from './review.mjs';

const SIZES = { phone: [390, 844], laptop: [1280, 800], wide: [2560, 1440] };

/** Checks that the page fits the window and the board is visible. */
async function fits(page, what) {
  const found = await page.evaluate(() => {
    const board = document.querySelector('.board')?.getBoundingClientRect();
    return {
      overflowX: document.documentElement.scrollWidth - innerWidth,
      overflowY: document.documentElement.scrollHeight - innerHeight,
      board: board ? [board.left >= 0, board.top >= 0, board.right <= innerWidth + 1, board.bottom <= innerHeight + 1, board.height > 200] : [],
    };
  });
  check(found.overflowX <= 0 && found.overflowY <= 0, `${what}: the page fits the window: ${JSON.stringify(found)}`);
  check(found.board.every(Boolean), `${what}: the board is inside the window: ${JSON.stringify(found)}`);
}

const cases = {};
for (const [name, [width, height]] of Object.entries(SIZES)) {
  cases[`views fit the window, ${name}`] = async ({ open }) => {
    const page = await open({ width, height });
    await fits(page, 'start');
    await begin(page, { game: 'Base+MLP', side: 'Two people' });
    const roll = dice(11);
    for (let i = 0; i < 6; i += 1) {
      await turn(page);
      await clickMove(page, roll);
    }
    await fits(page, 'play');
    await view(page, 'Analyse');
    const before = await page.locator('.board').boundingBox();
    for (const key of ['ArrowLeft', 'ArrowLeft', 'Home', 'End']) await page.keyboard.press(key);
    same(await page.locator('.board').boundingBox(), before, 'position of the board');
    await fits(page, 'analysis');
    await view(page, 'Editor');
    await page.waitForSelector('.palette');
    await fits(page, 'editor');
    await view(page, 'Learn');
    await page.waitForSelector('.tour');
    await fits(page, 'tour');
  };
}

export default {
  ...cases,

  async 'review fits a phone'({ open }) {
    await fits(await openReview(open, { width: 390, height: 844 }), 'review');
  },

  async 'language from the browser, from settings'({ open }) {
    const page = await open({ locale: 'de-DE', width: 390, height: 844 });
    same(await page.evaluate(() => document.documentElement.lang), 'de', 'language');
    await page.getByRole('heading', { name: 'Hive spielen' }).waitFor();
    await page.getByTestId('begin').click();
    await page.getByText('Du bist am Zug: Rot').waitFor();
    await fits(page, 'Spielen');
    // The header has room for the names of all views.
    const bar = await page.evaluate(() => [...document.querySelectorAll('.top nav span, .top > .icon-button')].map((element) => element.getBoundingClientRect()).map(({ left, right }) => [left, right]));
    same(bar.length, 10, 'views, help, settings');
    bar.forEach(([left], i) => check(i === 0 || left >= bar[i - 1][1], `names of views do not overlap: ${JSON.stringify(bar)}`));
    await page.getByRole('button', { name: 'Tastatur und Maus' }).click();
    same(await page.locator('kbd').evaluateAll((keys) => ['Pos1', 'Ende', 'Leertaste', 'Eingabe'].filter((name) => !keys.some((key) => key.textContent === name))), [], 'missing German names of keys');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Einstellungen' }).click();
    await page.getByLabel('Sprache').selectOption('en');
    await page.getByLabel('Language').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Your turn: Red').waitFor();
    await page.reload();
    await page.getByText('Your turn: Red').waitFor();
  },

  async 'theme from the system, from settings'({ open }) {
    const page = await open({ dark: true });
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await background();
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Theme').selectOption('light');
    check((await background()) !== dark, 'the background changes');
  },

  async 'letters, coordinates from settings'({ open }) {
    const page = await open();
    await begin(page, { side: 'Two people' });
    await clickMove(page, dice(1));
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Letters instead of insects').check();
    await page.getByLabel('Coordinates').selectOption('fields');
    await page.keyboard.press('Escape');
    await page.waitForSelector('.cell .letter');
    await page.waitForSelector('.move .letter');
    check((await page.locator('.coordinate').count()) > 80, 'empty fields show coordinates');
    await page.locator('.brand').click();
    await begin(page, { game: 'Base', side: 'Two people' });
    await clickMove(page, dice(1));
    same(await page.locator('.coordinate').count(), 6, 'empty fields of standard Hive with coordinates');
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Coordinates').selectOption('edge');
    await page.keyboard.press('Escape');
    same(await page.locator('.edge-label').count(), 6, 'coordinates beside the hive');
  },
};
