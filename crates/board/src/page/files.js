// Downloads, uploads, the clipboard, file names and dates.

/**
 * Downloads a file.
 * @param {string} name
 * @param {string | Blob} content
 * @param {string} [type] of a text
 */
export function download(name, content, type = 'text/plain') {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(typeof content === 'string' ? new Blob([content], { type: `${type};charset=utf-8` }) : content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Today's date in PGN's format. */
export function today() {
  return new Date().toLocaleDateString('sv').replaceAll('-', '.');
}

/**
 * Builds a file name from the game and its players, or from the date if they are unknown.
 * @param {import('./table.js').Table} table
 * @param {string} name for the kind of the file: only its extension is kept, or for a review its whole name
 */
export function gameFileName(table, name) {
  const players = [0, 1].map((side) => table.playerName(side).replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '')).filter(Boolean);
  const suffix = players.length > 0 ? players.join('-') : today().replaceAll('.', '-');
  return `${table.tree?.game ?? 'game'}-${suffix}${name === 'review.json' ? `-${name}` : name.slice(name.lastIndexOf('.'))}`;
}

/**
 * Reads a file as Base64.
 * @param {Blob} file
 * @returns {Promise<string>}
 */
export function toBase64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

/**
 * @param {string} text
 * @returns {Promise<boolean>} whether the text was copied
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // The clipboard API requires a secure origin; the deprecated `execCommand` does not.
    const field = document.createElement('textarea');
    field.value = text;
    (document.querySelector('dialog[open]') ?? document.body).append(field);
    field.select();
    const done = document.execCommand('copy');
    field.remove();
    return done;
  }
}
