// Types of the engine's messages (see protocol.rs) and of the page's state.

/** @typedef {[number, number]} Field */
/** @typedef {{game: string, start: string | null, moves: string[]}} GameLine */
/** @typedef {{side: number, letter: string, number: number | null}} PieceView */
/** @typedef {{at: Field, pieces: PieceView[]}} StackView */
/** @typedef {{text: string, letter: string | null, from: Field | null, to: Field | null}} MoveView */
/** @typedef {{letter: string, counts: [number, number]}} ReserveView */
/** @typedef {import('./problems.js').Code} Code */
/** `sentence` is from games that older versions saved.
 * @typedef {{winner: number | null, reason: string | null, note?: string | null, sentence?: string}} Ending */
/**
 * @typedef {object} View
 * @property {Field[]} fields
 * @property {Field[]} obstacles
 * @property {StackView[]} stacks
 * @property {{text: string, from: Field | null, to: Field | null} | null} last
 * @property {number} turn
 * @property {string} progress
 * @property {number | null} to_move
 * @property {Ending | null} ending
 * @property {string} state
 * @property {ReserveView[]} reserves
 * @property {[number | null, number | null]} free
 * @property {MoveView[]} moves
 * @property {{at: Field | null, letter: string, reason: Code}[]} idle pieces of the side to move without a legal move
 */
/** @typedef {{score: number, proven: boolean, plies: number | null}} ValueView */
/** @typedef {{move: MoveView, variation: string[], value: ValueView, visits: number}} LineView */
/** @typedef {{lines: LineView[], nodes: number, per_second: number, depth: number}} Findings */
/** @typedef {{letter: string, name: string, count: number}} KindInfo */
/** @typedef {{word: string, sides: [string, string], has_edge: boolean, kinds: KindInfo[], bee: string, forms: string[]}} GameInfo */
/** @typedef {{after: number, moves: string[], remarks: [number, string][], glyphs: [number, string][], variations: Variation[]}} Variation */
/**
 * @typedef {object} OpenedGame
 * @property {GameLine} line
 * @property {[string, string]} names
 * @property {[string, string][]} tags
 * @property {[number, string][]} remarks
 * @property {[number, string][]} [glyphs]
 * @property {Variation[]} [variations]
 * @property {[number, number][]} times
 * @property {Ending | null} result
 * @property {Code | string | null} damage
 */
/**
 * @typedef {object} Welcome
 * @property {number} version
 * @property {string} engine
 * @property {GameInfo[]} games
 * @property {(number | null)[]} levels
 * @property {number} threads
 * @property {number} memory_mib
 * @property {boolean} programs
 * @property {OpenedGame[]} first
 * @property {string | null} saved
 * @property {boolean} watch
 * @property {string} game
 * @property {boolean} library
 */
/** @typedef {{number: number, game: string, room: string, pair: [number, number] | null, names: [string, string], plies: number, running: boolean, result: Ending | null, end: string | null, file?: string}} LiveInfo */
/** @typedef {{value: number, low: number, high: number}} Estimate */
/** @typedef {{wins: number, draws: number, losses: number}} WinDrawLoss */
/** @typedef {{engines: [number, number], games: WinDrawLoss, as_first_side: WinDrawLoss, pairs: number[], score: Estimate, normalized_elo: Estimate | null, superiority: number, history: [number, number, number, number][]}} Pairing */
/**
 * @typedef {object} Standings the state of an arena run
 * @property {string} game
 * @property {{name: string, player: string, games: WinDrawLoss, wins: Record<string, number>, faults: Record<string, number>, mean_ms: number | null, slow_ms: number | null, nodes_per_second: number | null, times: [number, number][]}[]} engines
 * @property {Pairing[]} pairings
 * @property {{engines: [number, Estimate][], is_regularised: boolean}[]} ratings
 * @property {{test: string, ratio: number, lower: number, upper: number, accepted: number | null, history: [number, number][]} | null} sprt
 * @property {number} games
 * @property {number | null} planned
 * @property {number} move_time_ms
 * @property {number | null} max_plies
 * @property {number | null} opening_plies
 * @property {[number, number, number]} by_side
 * @property {number} plies
 * @property {Record<string, number>} ends
 */
/** @typedef {'best' | 'good' | 'inaccuracy' | 'mistake' | 'blunder'} Mark */
/**
 * @typedef {object} ReviewedMove
 * @property {number} ply
 * @property {string} text
 * @property {ValueView} before
 * @property {ValueView} after
 * @property {number} loss
 * @property {string | null} better
 * @property {Mark} mark
 */

/** @typedef {{game: string, names: [string, string], title: string, result: string, date: string, plies: number, source: string, labels: string[]}} Summary */
/** @typedef {Summary & {id: string, revision: number, saved_ms: number}} LibraryEntry */
/**
 * @typedef {object} Draft an entry to save
 * @property {string} id
 * @property {number} revision the one that it replaces
 * @property {Summary | null} [summary] `null` for a note
 * @property {any} state `null` to keep it
 * @property {any} [copy] an export request
 */

/** @typedef {{kind: 'person'} | {kind: 'wabe', level: number} | {kind: 'program', program: string}} Seat */
/** @typedef {{kind: 'none', moveMs: number} | {kind: 'clock', baseMs: number, incrementMs: number}} TimeControl */

export {};
