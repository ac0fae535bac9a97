// Runs the browser tests of the board: node run.mjs [PART OF A NAME]
//
// Environment:
//   WABE           the program under test
//   SITE           folder of a site to test as well
//   BROWSER        the browser, a Chromium
//   FIREFOX        a Firefox to test as well
//   BROWSER_TOOLS  folder with playwright-core, axe-core and puppeteer-core in its node_modules
//   SCREENSHOTS    folder for screenshots of failed tests
import { finish, start } from './harness.mjs';
import accessibility from './accessibility.mjs';
import analysis from './analysis.mjs';
import editor from './editor.mjs';
import files from './files.mjs';
import firefox from './firefox.mjs';
import german from './german.mjs';
import library from './library.mjs';
import offline from './offline.mjs';
import play from './play.mjs';
import puzzles from './puzzles.mjs';
import review from './review.mjs';
import safety from './safety.mjs';
import site from './site.mjs';
import texts from './texts.mjs';
import tour from './tour.mjs';
import watch from './watch.mjs';
import views from './views.mjs';
import windows from './windows.mjs';

const wanted = process.argv[2] ?? '';
const suites = { texts, files, german, library, puzzles, play, analysis, review, offline, editor, tour, watch, safety, views, windows, site, accessibility, firefox };
const tests = Object.entries(suites).flatMap(([suite, cases]) =>
  Object.entries(cases).map(([name, run]) => ({ name: `${suite}: ${name}`, run })),
);

const harness = await start();
for (const { name, run } of tests.filter((test) => test.name.includes(wanted))) await harness.test(name, run);
await finish(harness);
