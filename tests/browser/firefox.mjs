// Plays, analyses and opens the library in Firefox, over WebDriver BiDi. Skipped unless FIREFOX is
// the path of a Firefox.
import { check, same, tools } from './harness.mjs';

export default process.env.FIREFOX ? {
  async 'two moves, engine, library, picture'({ address }) {
    const { default: puppeteer } = tools('puppeteer-core');
    const browser = await puppeteer.launch({ browser: 'firefox', executablePath: process.env.FIREFOX, headless: true, timeout: 120_000 });
    const errors = [];
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(60_000);
      page.on('pageerror', (error) => errors.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      await page.setViewport({ width: 1280, height: 800 });
      await page.goto(address);
      await page.locator('[data-testid=begin]').click();
      const moves = () => page.$$eval('.move-row .move[data-node]', (all) => all.length);
      for (const wanted of [2, 4]) {
        await page.locator('button.reserve-tile[data-letter]').click();
        // The first target is in the corner, below other elements.
        const targets = await page.waitForSelector('.cell.target').then(() => page.$$('.cell.target'));
        await targets[Math.floor(targets.length / 2)].click();
        await page.waitForFunction((n) => document.querySelectorAll('.move-row .move[data-node]').length === n, {}, wanted);
        await page.waitForSelector('button.reserve-tile[data-letter]');
      }
      same(await moves(), 4, 'plies with wabe’s replies');
      await page.locator('.nav-analyse').click();
      await page.locator('[role=switch]').click();
      await page.waitForSelector('li.line:not(.empty) .line-move');
      const svg = await page.evaluate(async () => {
        document.querySelector('.steps .icon-button:last-child').click();
        let saved = null;
        const create = URL.createObjectURL;
        URL.createObjectURL = (blob) => {
          saved = blob;
          return create(blob);
        };
        await new Promise((resolve) => setTimeout(resolve));
        [...document.querySelectorAll('dialog button')].find((button) => button.textContent.includes('.svg') && button.textContent.includes('Position')).click();
        return saved?.text();
      });
      check(svg?.startsWith('<svg') && svg.includes('fill="rgb(189, 64, 52)"') && !svg.includes('<use'), 'the picture has the colours of the pieces');
      await page.keyboard.press('Escape');
      await page.locator('.nav-library').click();
      await page.waitForSelector('.library-row');
      same(errors, [], 'errors in the page');
    } finally {
      await browser.close();
    }
  },
} : {};
