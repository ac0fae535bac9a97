// The library's list: search, filters, and what can be done with entries.
import { repeat } from 'wabe/vendor/lit-html/directives/repeat.js';
import { html } from 'wabe/vendor/lit-html/lit-html.js';
import { number, t, tn } from 'wabe/i18n.js';
import { icon, iconButton } from 'wabe/icons.js';
import { MAX_BYTES, playerName } from 'wabe/open.js';
import { describeError } from 'wabe/problems.js';
import { select } from 'wabe/select.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./types.js').LibraryEntry} LibraryEntry */

/** Height of a row in pixels, as in panels.css. */
const ROW = 56;
/** Number of rows drawn above and below the visible ones. */
const SPARE = 8;

/** @type {Record<string, (a: LibraryEntry, b: LibraryEntry) => number>} */
const ORDERS = {
  saved: (a, b) => b.saved_ms - a.saved_ms,
  date: (a, b) => b.date.localeCompare(a.date) || b.saved_ms - a.saved_ms,
  plies: (a, b) => b.plies - a.plies,
  players: (a, b) => (a.names[0] || '~').localeCompare(b.names[0] || '~') || a.names[1].localeCompare(b.names[1]),
};

/** Results as they are shown.
 * @type {Record<string, string>} */
const RESULTS = { '1-0': '1–0', '0-1': '0–1', '1/2-1/2': '½–½' };

/**
 * What lists show of an entry. Without players and title, they are the sides or “Analysis”.
 * @param {App} app
 * @param {LibraryEntry} entry
 */
export function describeEntry(app, entry) {
  const { title, names, source } = entry;
  const kind = sourceKind(entry);
  const hasPlayers = names.some(Boolean) || (!title && source !== 'analysis');
  const facts = [
    entry.date.replaceAll('.', '-').replace(/-\?\?/g, ''), tn('analysis.plies', entry.plies), kind === 'imported' ? source : t(`library.${kind}`),
    ...entry.labels.map((label) => `#${label}`),
  ];
  return {
    title, players: hasPlayers ? `${playerName(app, entry, 0)} – ${playerName(app, entry, 1)}` : title ? '' : t('library.analysis'),
    result: RESULTS[entry.result] ?? '', facts: facts.filter(Boolean),
  };
}

export class LibraryView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.filter = { text: '', game: '', result: '', source: '' };
    /** @type {keyof typeof ORDERS} */
    this.order = 'saved';
    /** Ids of the selected entries. @type {Set<string>} */
    this.selected = new Set();
    /** @type {LibraryEntry | null} */
    this.renamed = null;
    /** Progress of the running import; empty if there is none. */
    this.importing = '';
    this.isStopped = false;
    /** What the last import could not read, until the user closes it.
     * @type {import('./library.js').ImportOutcome | null} */
    this.report = null;
    this.problem = '';
    this.scroll = 0;
    this.height = 600;
  }

  /** The last list. */
  get entries() {
    return this.app.library.entries;
  }

  async begin() {
    this.scroll = 0;
    await this.app.library.flush();
    await this.#load();
  }

  async #load() {
    try {
      await this.app.library.list();
      this.problem = '';
    } catch (error) {
      this.problem = describeError(error);
    }
    const ids = new Set((this.entries ?? []).map(({ id }) => id));
    this.selected = new Set([...this.selected].filter((id) => ids.has(id)));
    this.app.refresh();
  }

  /** The entries that match the filters, in order. */
  #shown() {
    const { game, result, source } = this.filter;
    const words = this.filter.text.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = (/** @type {LibraryEntry} */ entry) => {
      if ((game && entry.game !== game) || (result && entry.result !== result)) return false;
      if (source && sourceKind(entry) !== source) return false;
      if (words.length === 0) return true;
      const text = [entry.title, ...entry.names, entry.game, entry.source, entry.date, ...entry.labels].join(' ').toLowerCase();
      return words.every((word) => text.includes(word));
    };
    return (this.entries ?? []).filter(matches).sort(ORDERS[this.order]);
  }

  /** The entries to export: the selected ones, or without a selection those that match. */
  #chosen() {
    return this.selected.size > 0 ? (this.entries ?? []).filter(({ id }) => this.selected.has(id)) : this.#shown();
  }

  // --- actions ---

  /**
   * Runs an action and shows its error.
   * @param {() => Promise<unknown>} action
   */
  async #run(action) {
    try {
      await action();
    } catch (error) {
      this.app.fail(error);
    }
  }

  /** @param {LibraryEntry} entry */
  #open(entry) {
    return this.#run(() => this.app.library.show(entry.id));
  }

  /** @param {string[]} ids */
  #remove(ids) {
    return this.#run(async () => {
      await this.app.library.remove(ids);
      this.selected.clear();
      await this.#load();
      this.app.toast(tn('library.removed', ids.length), {
        label: t('moves.undo'),
        run: () => this.#run(async () => {
          await this.app.library.remove(ids, true);
          await this.#load();
        }),
      });
    });
  }

  /** @param {File[]} files */
  async importFiles(files) {
    const { app } = this;
    const large = files.filter((file) => file.size > MAX_BYTES);
    const rest = files.filter((file) => file.size <= MAX_BYTES).sort((a, b) => a.name.localeCompare(b.name));
    const progress = (/** @type {number} */ share) => {
      this.importing = t('library.importing', { n: number(100 * share) });
      app.refresh();
      return !this.isStopped;
    };
    this.isStopped = false;
    this.report = null;
    await this.#run(async () => {
      const outcome = await app.library.importFiles(rest, progress);
      outcome.problems.push(...large.map(({ name }) => ({ file: name, why: t('problem.file_too_large', { max_mib: MAX_BYTES >> 20 }) })));
      app.closeDialog();
      if (outcome.problems.length > 0) this.report = outcome;
      else app.toast(this.#describeImport(outcome));
    });
    this.importing = '';
    if (app.mode === 'library') await this.#load();
    else app.go('library');
  }

  /** @param {import('./library.js').ImportOutcome} outcome */
  #describeImport({ added, known }) {
    return [this.isStopped ? t('library.stopped') : '', tn('library.added', added), known > 0 ? tn('library.known', known) : ''].filter(Boolean).join(' ');
  }

  /** What the last import could not read. Files with the same problem share a line. */
  #importReport() {
    const { report } = this;
    if (!report) return '';
    /** @type {Map<string, string[]>} */
    const reasons = new Map();
    for (const { file, why } of report.problems) reasons.set(why, [...reasons.get(why) ?? [], file]);
    return html`<div class="card import-report" role="alert"><div><p>${this.#describeImport(report)} ${tn('library.unreadable', report.problems.length)}</p>
      <ul>${[...reasons].map(([why, names]) => html`<li>${names.join(', ')}: ${why}</li>`)}</ul></div>
      ${iconButton('close', t('app.close'), () => {
        this.report = null;
        this.app.refresh();
      })}</div>`;
  }

  /** @param {'pgn' | 'json'} form */
  #export(form) {
    return this.#run(async () => {
      const skipped = await this.app.library.exportEntries(this.#chosen(), form);
      if (skipped > 0) this.app.toast(tn('library.notPgn', skipped));
    });
  }

  /** The dialog for an entry's title and labels. */
  renameDialog() {
    const entry = this.renamed;
    if (!entry) return '';
    const submit = (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      const form = /** @type {HTMLFormElement} */ (event.currentTarget);
      const value = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name)).value.trim();
      const labels = value('labels').split(',').map((label) => label.trim()).filter(Boolean);
      this.app.closeDialog();
      this.#run(async () => {
        await this.app.library.describe(entry, { title: value('entry-title'), labels });
        await this.#load();
      });
    };
    return html`<form class="rename" @submit=${submit}>
      <label class="field">${t('library.title')}<input name="entry-title" maxlength="120" .value=${entry.title} autofocus></label>
      <label class="field">${t('library.labels')}<input name="labels" maxlength="200" .value=${entry.labels.join(', ')}></label>
      <div class="buttons"><button type="submit" class="primary">${t('library.save')}</button></div></form>`;
  }

  // --- the view ---

  view() {
    const { entries } = this;
    const { folder = '', unreadable = 0 } = this.app.library.store ?? {};
    if (!entries) return this.problem ? html`<p class="error" role="alert">${this.problem}</p>` : html`<p class="quiet">${t('app.connecting')}</p>`;
    const shown = this.#shown();
    return html`${this.#tools(entries)}
      ${this.problem ? html`<p class="error" role="alert">${this.problem}</p>` : ''}
      ${this.#importReport()}
      ${entries.length === 0 && this.importing ? '' : entries.length === 0 ? html`<div class="card center"><p>${t('library.empty')}</p>
          <button type="button" class="primary" @click=${() => this.app.go('start')}>${t('start.new')}</button></div>`
        : shown.length === 0 ? html`<p class="quiet">${t('library.noMatch')}</p>` : this.#list(shown)}
      <p class="quiet library-place">${t(folder ? 'library.folder' : 'library.browser', { folder })}
        ${unreadable > 0 ? html`<span class="error">${tn('library.damaged', unreadable)}</span>` : ''}</p>`;
  }

  /** @param {LibraryEntry[]} entries */
  #tools(entries) {
    const { filter, selected, app } = this;
    const set = (/** @type {Partial<typeof filter>} */ changes) => {
      Object.assign(filter, changes);
      this.#toTop();
    };
    const games = [...new Set(entries.map(({ game }) => game))].sort();
    const choice = (/** @type {string} */ label, /** @type {string} */ current, /** @type {[string, string][]} */ options, /** @type {(value: string) => void} */ onchange) => html`
      <label class="field"><span class="visually-hidden">${label}</span>${select(current, options, onchange, label)}</label>`;
    const choose = (/** @type {Event} */ event) => {
      const input = /** @type {HTMLInputElement} */ (event.currentTarget);
      // The folder of a library contains deleted games.
      const files = [...input.files ?? []].filter(({ name, webkitRelativePath }) => !name.startsWith('.') && !webkitRelativePath.includes('/trash/'));
      input.value = '';
      if (files.length > 0) this.importFiles(files);
    };
    const chosen = this.#chosen().length;
    return html`<div class="library-head"><h1>${t('nav.library')}</h1><span class="spring"></span>
      <label class="button file-button"><input type="file" multiple class="visually-hidden" data-testid="import" ?disabled=${this.importing !== ''} @change=${choose}>${icon('open')}${t('library.import')}</label>
      <label class="button file-button"><input type="file" webkitdirectory class="visually-hidden" ?disabled=${this.importing !== ''} @change=${choose}>${t('library.importFolder')}</label></div>
    <div class="library-tools">
      <label class="search"><span class="visually-hidden">${t('library.search')}</span>${icon('search')}<input type="search" placeholder=${t('library.search')} .value=${filter.text} @input=${(/** @type {Event} */ event) => set({ text: /** @type {HTMLInputElement} */ (event.target).value })}></label>
      ${choice(t('start.game'), filter.game, [['', t('library.allGames')], ...games.map((game) => /** @type {[string, string]} */ ([game, app.gameName(game)]))], (game) => set({ game }))}
      ${choice(t('library.result'), filter.result, [['', t('library.allResults')], ...Object.entries(RESULTS), ['*', t('library.open')]], (result) => set({ result }))}
      ${choice(t('library.source'), filter.source, [['', t('library.allSources')], ['played', t('library.played')], ['analysis', t('library.analysis')], ['imported', t('library.imported')]], (source) => set({ source }))}
      ${choice(t('library.order'), this.order, Object.keys(ORDERS).map((order) => [order, t(`library.by.${order}`)]), (order) => {
        this.order = order;
        this.#toTop();
      })}
    </div>
    <p class="library-count" role="status">${this.importing || (selected.size > 0 ? tn('library.selected', selected.size) : tn('common.games', chosen))}
      ${this.importing ? html`<button type="button" @click=${() => {
        this.isStopped = true;
      }}>${t('review.stop')}</button>` : ''}
      <span class="spring"></span>
      ${entries.length > 0 ? html`<button type="button" ?disabled=${chosen === 0} @click=${() => this.#export('pgn')}>${tn('library.export', chosen)} (PGN)</button>
        <button type="button" ?disabled=${chosen === 0} @click=${() => this.#export('json')}>JSON</button>` : ''}
      ${selected.size > 0 ? html`<button type="button" @click=${() => this.#remove([...selected])}>${t('library.remove')}</button>
        <button type="button" @click=${() => {
          selected.clear();
          app.refresh();
        }}>${t('library.selectNone')}</button>` : ''}</p>`;
  }

  #toTop() {
    this.scroll = 0;
    document.querySelector('.library-list')?.scrollTo(0, 0);
    this.app.refresh();
  }

  /**
   * Draws only the visible rows.
   * @param {LibraryEntry[]} shown
   */
  #list(shown) {
    const first = Math.max(0, Math.floor(this.scroll / ROW) - SPARE);
    const last = Math.min(shown.length, Math.ceil((this.scroll + this.height) / ROW) + SPARE);
    const onscroll = (/** @type {Event} */ event) => {
      const { scrollTop, clientHeight } = /** @type {HTMLElement} */ (event.currentTarget);
      const moved = Math.abs(scrollTop - this.scroll) >= (SPARE / 2) * ROW || clientHeight !== this.height;
      if (!moved) return;
      this.scroll = scrollTop;
      this.height = clientHeight;
      this.app.refresh();
    };
    return html`<div class="library-list" @scroll=${onscroll} tabindex="-1">
      <svg class="library-space" width="1" height=${first * ROW} aria-hidden="true"></svg>
      <ul>${repeat(shown.slice(first, last), ({ id }) => id, (entry, i) => this.#row(entry, first + i, shown.length))}</ul>
      <svg class="library-space" width="1" height=${(shown.length - last) * ROW} aria-hidden="true"></svg></div>`;
  }

  /**
   * @param {LibraryEntry} entry
   * @param {number} index
   * @param {number} all
   */
  #row(entry, index, all) {
    const { app, selected } = this;
    const isSelected = selected.has(entry.id);
    const { title, players, result, facts } = describeEntry(app, entry);
    return html`<li class="library-row" aria-setsize=${all} aria-posinset=${index + 1}>
      <input type="checkbox" aria-label=${t('library.select', { game: title || players })} .checked=${isSelected} @change=${() => {
        if (isSelected) selected.delete(entry.id);
        else selected.add(entry.id);
        app.refresh();
      }}>
      <button type="button" class="entry" @click=${() => this.#open(entry)}>
        <span class="entry-name">${title ? html`<b>${title}</b> ` : ''}${players}</span>
        <span class="entry-result">${result}</span>
        <span class="entry-facts quiet">${[app.gameName(entry.game), ...facts].join(' · ')}</span>
      </button>
      ${iconButton('editor', t('library.rename'), () => {
        this.renamed = entry;
        app.openDialog('rename');
      })}
      ${iconButton('trash', t('library.remove'), () => this.#remove([entry.id]))}</li>`;
  }
}

/**
 * Where an entry is from.
 * @param {LibraryEntry} entry
 * @returns {'played' | 'analysis' | 'imported'}
 */
function sourceKind({ source }) {
  return source === 'played' || source === 'analysis' ? source : 'imported';
}
