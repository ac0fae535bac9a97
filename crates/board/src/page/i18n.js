// Translations of the page's texts.
import en from 'wabe/texts/en.js';

/** Texts that are loaded only if they are needed.
 * @type {Record<string, () => Promise<{default: Record<string, string>}>>} */
const OTHERS = { de: () => import('wabe/texts/de.js') };

let language = 'en';
/** @type {Record<string, string>} */
let texts = en;

/** Cached, because formats are slow to construct.
 * @type {Map<string, Intl.NumberFormat>} */
const formats = new Map();

/**
 * Sets the language. If its texts cannot be loaded, it is English.
 * @param {'auto' | 'en' | 'de'} choice
 */
export async function chooseLanguage(choice) {
  const wanted = choice === 'auto' ? navigator.languages ?? [navigator.language] : [choice];
  const found = wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag === 'en' || tag in OTHERS) ?? 'en';
  try {
    texts = found === 'en' ? en : (await OTHERS[found]()).default;
    language = found;
  } catch {
    return;
  }
  document.documentElement.lang = language;
}

/**
 * Looks up a text and fills in `{name}` placeholders.
 * @param {string} name
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function t(name, values = {}) {
  const text = texts[name] ?? en[/** @type {keyof typeof en} */ (name)] ?? name;
  return !text.includes('{') ? text : text.replace(/\{(\w+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole));
}

/**
 * Looks up the singular `name.one` or the plural `name.many`, and fills in `{n}`.
 * @param {string} name
 * @param {number} n
 * @param {Record<string, string | number>} [values]
 */
export function tn(name, n, values = {}) {
  return t(`${name}.${n === 1 ? 'one' : 'many'}`, { ...values, n: number(n) });
}

/**
 * Formats a share as a percentage.
 * @param {number} share from 0 to 1
 * @param {number} [digits]
 */
export function percent(share, digits = 0) {
  return t('percent', { n: number(share * 100, digits) });
}

/**
 * Formats a number.
 * @param {number} value
 * @param {number} [digits] after the decimal point
 */
export function number(value, digits = 0) {
  const name = `${language} ${digits}`;
  let format = formats.get(name);
  if (!format) {
    format = new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
    formats.set(name, format);
  }
  return format.format(value);
}

/**
 * Formats a large count with few digits: `950`, `12k`, `1.2M`.
 * @param {number} value
 */
export function shortNumber(value) {
  const rounded = (/** @type {number} */ n) => number(n, n < 9.95 ? 1 : 0);
  if (value < 1000) return number(value);
  return value < 999_500 ? `${rounded(value / 1000)}k` : `${rounded(value / 1e6)}M`;
}
