// Low, narrow and zoomed windows: board and panel stay within reach in every view.
import { check, same } from './harness.mjs';
import { begin, clickMove, dice, turn, view } from './steps.mjs';
import { openReview } from './review.mjs';

/** A window of 1280×720 at 200% has the size of the second one. */
const SIZES = [[667, 375], [640, 360], [720, 450], [320, 568], [320, 256], [1280, 720]];
const CONTROLS = 'button, select, textarea, input:not([type=checkbox], [type=radio], [type=file]), label:has([type=checkbox], [type=radio], [type=file]), [role=slider], summary';

/**
 * Scrolls every control of a part of the page into view. Fails if another element covers it, if it
 * stays outside the window, or if it is lower than 24 px.
 */
async function reachable(page, part, what) {
  const faults = await page.evaluate(async ([within, controls]) => {
    const found = [];
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    for (const tab of document.querySelectorAll('.tabs button').length > 0 ? [...document.querySelectorAll('.tabs button')] : [null]) {
      tab?.click();
      await frame();
      for (const control of document.querySelectorAll(within.split(', ').map((one) => `${one} :is(${controls})`).join(', '))) {
        if (!control.checkVisibility()) continue;
        control.scrollIntoView({ block: 'center', inline: 'center' });
        const { left, right, top, bottom, height } = control.getBoundingClientRect();
        const name = `${control.getAttribute('aria-label') ?? control.textContent.trim().slice(0, 30)} <${control.className}>`;
        if (height < 23.9) found.push(`${name}: ${height} px high`);
        if (left < -1 || top < -1 || right > innerWidth + 1 || (bottom > innerHeight + 1 && height < innerHeight)) found.push(`${name}: outside the window at ${[left, top, right, bottom]}`);
        else if (!control.disabled) {
          const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
          if (!control.contains(hit)) found.push(`${name}: covered by ${hit?.outerHTML.slice(0, 80)}`);
        }
      }
    }
    return found;
  }, [part, CONTROLS]);
  same(faults, [], `${what}: controls out of reach`);
}

/** Fails unless the board can be scrolled into view and no piece in reserve covers another element. */
async function board(page, what) {
  const found = await page.evaluate(() => {
    const element = document.querySelector('.board');
    element.scrollIntoView({ block: 'nearest' });
    const { top, bottom, width, height } = element.getBoundingClientRect();
    const strips = [...document.querySelectorAll('.strip')].map((strip) => {
      const [who, reserve] = [strip.querySelector('.who').getBoundingClientRect(), strip.querySelector('.reserve').getBoundingClientRect()];
      return { overlap: who.right > reserve.left + 1 && who.bottom > reserve.top + 1, out: reserve.right > strip.getBoundingClientRect().right + 1 };
    });
    return { isWhole: top >= -1 && bottom <= innerHeight + 1, isLarge: Math.min(width, height) >= 180, strips, wide: document.documentElement.scrollWidth > innerWidth };
  });
  check(found.isWhole && found.isLarge && !found.wide && found.strips.every(({ overlap, out }) => !overlap && !out), `${what}: the board is in reach: ${JSON.stringify(found)}`);
}

const cases = {};
for (const [width, height] of SIZES) {
  cases[`everything is in reach at ${width}×${height}`] = async ({ open }) => {
    const page = await open({ width, height });
    await reachable(page, '.start', 'start');
    await page.setViewportSize({ width: 1280, height: 800 });
    await begin(page, { game: 'Base+MLP', side: 'Two people' });
    const roll = dice(11);
    for (let i = 0; i < 6; i += 1) {
      await turn(page);
      await clickMove(page, roll);
    }
    await page.setViewportSize({ width, height });
    await board(page, 'play');
    await reachable(page, '.panel, .steps', 'play');
    await view(page, 'Analyse');
    await page.keyboard.press('l');
    await page.waitForSelector('li.line:not(.empty)');
    await page.getByRole('button', { name: 'Engine settings' }).click();
    await board(page, 'analysis');
    await page.keyboard.press('l');
    await reachable(page, '.panel, .steps', 'analysis');
    await view(page, 'Editor');
    await page.waitForSelector('.palette');
    await board(page, 'editor');
    await reachable(page, '.panel', 'editor');
    await view(page, 'Learn');
    await page.waitForSelector('.tour');
    await board(page, 'tour');
    await reachable(page, '.panel', 'tour');
    const other = await openReview(open, { width, height });
    await board(other, 'review');
    await reachable(other, '.panel, .steps', 'review');
  };
}

export default {
  ...cases,

  async 'pieces in reserve are large enough for fingers'({ open }) {
    for (const [width, height] of [[390, 844], [320, 568]]) {
      const page = await open({ width, height, touch: true });
      await begin(page, { game: 'Base+MLP', side: 'Two people' });
      const sizes = await page.locator('.reserve-tile').evaluateAll((tiles) => tiles.map((tile) => tile.getBoundingClientRect()).map((box) => Math.min(box.width, box.height)));
      check(sizes.every((size) => size >= 40), `pieces at ${width} px: ${sizes}`);
      await board(page, `touch screen of ${width} px`);
    }
  },

  async 'move list has five rows at 1280×720'({ open }) {
    const page = await openReview(open, { width: 1280, height: 720 });
    const rows = () => page.evaluate(() => document.querySelector('.moves').clientHeight / document.querySelector('.move-row').offsetHeight);
    check((await rows()) >= 5, 'review');
    await view(page, 'Analyse');
    check((await rows()) >= 5, 'analysis');
  },
};
