// The page's texts in the language of its reader.
import de from './texts/de.js';
import en from './texts/en.js';

/** @type {Record<string, Record<string, string>>} */
const LANGUAGES = { en, de };

let language = 'en';

/** Formats are kept, because making one takes far longer than using it.
 * @type {Map<string, Intl.NumberFormat>} */
const formats = new Map();

/**
 * Chooses the language.
 * @param {'auto' | 'en' | 'de'} choice
 */
export function chooseLanguage(choice) {
  const wanted = choice === 'auto' ? navigator.languages ?? [navigator.language] : [choice];
  language = wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag in LANGUAGES) ?? 'en';
  document.documentElement.lang = language;
}

/** The language's code. */
export function currentLanguage() {
  return language;
}

/**
 * A text, with `{name}` replaced by values.
 * @param {string} name
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function t(name, values = {}) {
  const text = LANGUAGES[language][name] ?? en[/** @type {keyof typeof en} */ (name)] ?? name;
  return text.replace(/\{(\w+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole));
}

/**
 * A text that differs by a number: `name.one` or `name.many`, with `{n}`.
 * @param {string} name
 * @param {number} n
 * @param {Record<string, string | number>} [values]
 */
export function tn(name, n, values = {}) {
  return t(`${name}.${n === 1 ? 'one' : 'many'}`, { ...values, n: number(n) });
}

/**
 * A share of one in per cent.
 * @param {number} share
 * @param {number} [digits]
 */
export function percent(share, digits = 0) {
  return t('percent', { n: number(share * 100, digits) });
}

/**
 * A number as the language writes it.
 * @param {number} value
 * @param {number} [digits] after the point
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
