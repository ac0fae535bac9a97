// Errors of the engine and of the page, in the user's language.
import { number, t } from 'wabe/i18n.js';

/** @typedef {{code: string, [parameter: string]: any}} Code a problem of the engine, see problem.rs */

/**
 * @param {string} name
 * @param {any} value
 * @returns {string}
 */
function describeParameter(name, value) {
  if (name === 'why') return describeProblem(value);
  if (name === 'side') return t(`side.${value}`);
  if (name === 'kind' || name === 'bee') return t(`kind.${value}`);
  return typeof value === 'number' ? number(value) : value;
}

/**
 * Describes a problem of the engine. Games that older versions saved contain texts.
 * @param {Code | string} problem
 * @returns {string}
 */
export function describeProblem(problem) {
  if (typeof problem === 'string') return problem;
  const { code, detail, ...parameters } = problem;
  const values = Object.entries(parameters).map(([name, value]) => [name, describeParameter(name, value)]);
  const text = t(`problem.${code}`, Object.fromEntries(values));
  return detail ? `${text} (${detail})` : text;
}

/** An error whose message the user understands. */
export class Problem extends Error {
  /** @param {Code | string} problem from the engine, or a translated text */
  constructor(problem) {
    super(describeProblem(problem));
    this.problem = typeof problem === 'string' ? null : problem;
  }
}

/**
 * Describes any error.
 * @param {unknown} error
 */
export function describeError(error) {
  if (error instanceof Problem) return error.message;
  if (error instanceof DOMException && error.name === 'QuotaExceededError') return t('page.full');
  return `${t('page.failed')} (${error instanceof Error ? error.message : error})`;
}
