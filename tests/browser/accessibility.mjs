import { axePath, check } from './harness.mjs';
import { begin, clickMove, dice, turn, view } from './steps.mjs';
import { openReview } from './review.mjs';
import { report } from './watch.mjs';

/** Fails if axe-core finds serious violations. */
async function audit(page, what) {
  await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {}))));
  if (!(await page.evaluate(() => 'axe' in window))) {
    // The page's content security policy blocks script elements but not `evaluate`.
    const { readFileSync } = await import('node:fs');
    await page.evaluate(readFileSync(axePath, 'utf8'));
  }
  const found = await page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary}`).join(' | ')}`);
  });
  check(found.length === 0, `${what}:\n${found.join('\n')}`);
}

const cases = {};
for (const dark of [false, true]) {
  cases[`axe-core finds nothing, ${dark ? 'dark' : 'light'} theme`] = async ({ open }) => {
    const page = await open({ dark });
    await audit(page, 'start');
    await begin(page, dark ? {} : { game: 'Base+MLP' });
    await turn(page);
    await clickMove(page, dice(21));
    await turn(page);
    await audit(page, 'play');
    await view(page, 'Analyse');
    await page.keyboard.press('l');
    await page.waitForSelector('li.line:not(.empty)');
    await page.getByRole('button', { name: 'Engine settings' }).click();
    await audit(page, 'analysis');
    await page.keyboard.press('l');
    await page.getByRole('button', { name: 'Share and export' }).click();
    await audit(page, 'sharing');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await audit(page, 'help');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await audit(page, 'settings');
    await page.keyboard.press('Escape');
    await view(page, 'Editor');
    await page.waitForSelector('.palette');
    await audit(page, 'editor');
    await view(page, 'Watch');
    await page.getByRole('button', { name: 'Watch another server' }).click();
    await audit(page, 'watch');
    const { path, cleanUp } = await report('--games', '16', '--sprt', 'elo0=0', 'elo1=10');
    const run = await open({ url: path, dark });
    await run.waitForSelector('.standings');
    await audit(run, 'report of a run');
    cleanUp();
    await view(page, 'Learn');
    await page.waitForSelector('.cell.movable');
    await audit(page, 'tour');
    const other = await openReview(open, { dark });
    await audit(other, 'review');
    await other.getByTestId('learn').first().click();
    await other.getByRole('heading', { name: /Find a better move/ }).waitFor();
    await audit(other, 'puzzle');
  };
}

export default cases;
