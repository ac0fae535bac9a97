// Where games and notes are kept: the library of `wabe board`, or the browser's database if there
// is none. Both have the same methods. Nothing is overwritten that was saved by somebody else in
// the meantime: a draft names the revision that it replaces.

/** @typedef {import('./types.js').Summary} Summary */
/** @typedef {import('./types.js').LibraryEntry} LibraryEntry */
/** @typedef {import('./types.js').Draft} Draft */
/** @typedef {{saved?: {id: string, revision: number}, conflict?: {id: string}}} SaveResult */
/** @typedef {{revision: number, summary: Summary | null, state: any}} Entry */

/** The library of the server. */
export class ServerStore {
  /** @param {Pick<import('./connection.js').Connection, 'ask'>} connection */
  constructor(connection) {
    this.connection = connection;
    /** The folder of the files. */
    this.folder = '';
    /** Number of files that could not be read. */
    this.unreadable = 0;
  }

  /** @returns {Promise<LibraryEntry[]>} all games */
  async list() {
    const { entries, folder, unreadable } = await this.connection.ask('library', {});
    Object.assign(this, { folder, unreadable });
    return entries;
  }

  /** The keys of the first positions of all games.
   * @returns {Promise<[string, string[]][]>} */
  async keys() {
    return (await this.connection.ask('library_keys', {})).games;
  }

  /**
   * @param {string} entry
   * @returns {Promise<Entry>} with revision 0 if there is no such entry
   */
  async read(entry) {
    const { revision, summary, state } = await this.connection.ask('read', { entry });
    return { revision, summary, state: state === null ? null : JSON.parse(state) };
  }

  /**
   * @param {Draft[]} drafts
   * @returns {Promise<SaveResult[]>}
   */
  async save(drafts) {
    const sent = drafts.map(({ state, ...rest }) => ({ ...rest, state: state === null ? null : JSON.stringify(state) }));
    return (await this.connection.ask('save', { drafts: sent })).results;
  }

  /**
   * Moves entries to the trash, or back.
   * @param {string[]} entries
   * @param {boolean} [back]
   */
  async remove(entries, back = false) {
    await this.connection.ask('remove', { entries, back });
  }
}

/** The browser's database. The list and the states are in two stores, to list without reading states. */
export class BrowserStore {
  /** @param {Pick<import('./connection.js').Connection, 'ask'>} connection computes keys */
  constructor(connection) {
    this.connection = connection;
    this.folder = '';
    this.unreadable = 0;
    /** @type {Promise<IDBDatabase>} */
    this.database = new Promise((resolve, reject) => {
      const request = indexedDB.open('wabe-library', 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore('entries', { keyPath: 'id' });
        request.result.createObjectStore('states');
      };
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    // Reported by the first request that uses it.
    this.database.catch(() => {});
  }

  /**
   * Runs requests in a transaction. Resolves when they are on disk.
   * @template T
   * @param {IDBTransactionMode} mode
   * @param {(entries: IDBObjectStore, states: IDBObjectStore) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async #transaction(mode, work) {
    const transaction = (await this.database).transaction(['entries', 'states'], mode, { durability: 'strict' });
    const done = new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(undefined);
      transaction.onabort = () => reject(transaction.error);
    });
    const [result] = await Promise.all([work(transaction.objectStore('entries'), transaction.objectStore('states')), done]);
    return result;
  }

  /** @returns {Promise<{id: string, revision: number, saved_ms: number, summary: Summary, keys: string[]}[]>} */
  async #all() {
    const all = await this.#transaction('readonly', (entries) => result(entries.getAll()));
    return all.filter((/** @type {any} */ entry) => entry.summary && !entry.removed);
  }

  /** @returns {Promise<LibraryEntry[]>} */
  async list() {
    return (await this.#all()).map(({ id, revision, saved_ms: saved, summary }) => ({ ...summary, id, revision, saved_ms: saved }));
  }

  /** @returns {Promise<[string, string[]][]>} */
  async keys() {
    return (await this.#all()).map(({ id, keys }) => [id, keys]);
  }

  /**
   * @param {string} entry
   * @returns {Promise<Entry>}
   */
  read(entry) {
    return this.#transaction('readonly', async (entries, states) => {
      const [known, state] = await Promise.all([result(entries.get(entry)), result(states.get(entry))]);
      return known && !known.removed ? { revision: known.revision, summary: known.summary, state } : { revision: 0, summary: null, state: null };
    });
  }

  /**
   * @param {Draft[]} drafts
   * @returns {Promise<SaveResult[]>}
   */
  async save(drafts) {
    // Without keys, only the opening explorer does not find the game.
    const keys = await Promise.all(drafts.map(({ copy }) => (copy ? this.connection.ask('keys', { line: copy.line }).then((reply) => reply.keys, () => []) : null)));
    return this.#transaction('readwrite', async (entries, states) => {
      /** @type {SaveResult[]} */
      const results = [];
      for (const [i, draft] of drafts.entries()) {
        const { id } = draft;
        const known = await result(entries.get(id));
        if ((known?.revision ?? 0) !== draft.revision || known?.removed) {
          results.push({ conflict: { id } });
          continue;
        }
        const revision = draft.revision + 1;
        entries.put({ id, revision, saved_ms: Date.now(), summary: draft.summary, keys: keys[i] ?? known?.keys ?? [] });
        if (draft.state !== null) states.put(draft.state, id);
        results.push({ saved: { id, revision } });
      }
      return results;
    });
  }

  /**
   * @param {string[]} ids
   * @param {boolean} [back]
   */
  async remove(ids, back = false) {
    await this.#transaction('readwrite', async (entries) => {
      for (const id of ids) {
        const known = await result(entries.get(id));
        if (known) entries.put({ ...known, removed: !back });
      }
    });
  }
}

/**
 * The id of a new entry. The page chooses it, so that a tab that is reloaded before the answer
 * arrives does not save the game twice.
 * @param {string} date may be empty
 */
export function newId(date) {
  const digits = date.replace(/\D/g, '').slice(0, 8);
  return `${digits && `${digits}-`}${crypto.getRandomValues(new Uint32Array(1))[0].toString(16).padStart(8, '0')}`;
}

/**
 * The result of a database request.
 * @param {IDBRequest} request
 * @returns {Promise<any>}
 */
function result(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
