export type Level = 'error' | 'warning' | 'debug';

/** ECMA-48: control sequences (colors, cursor), operating system commands (titles, links), and other escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters
const ESCAPES = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\|$)|\x1b[ -/]*[0-~]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: see above
const CONTROLS = /[\x00-\x08\x0a-\x1f\x7f]/g;

/** Removes escape sequences from a line, and shows other control characters as symbols (U+2400). */
export const plainLine = (line: string): string =>
  line
    .replace(ESCAPES, '')
    .replace(/\r+$/, '')
    .replace(CONTROLS, (one) => (one === '\x7f' ? '␡' : String.fromCharCode(0x2400 + one.charCodeAt(0))));

const WORDS: Readonly<Record<string, Level>> = {
  fatal: 'error',
  critical: 'error',
  panic: 'error',
  error: 'error',
  err: 'error',
  warning: 'warning',
  warn: 'warning',
  debug: 'debug',
  trace: 'debug',
};
const NAMES = Object.keys(WORDS).join('|');

const HEAD_LENGTH = 80;
/** `ERROR`, `[warn]`, `error:`, `::warning`, `level=debug`, `"level":"error"`; not a word within a sentence. */
const FORMS = [
  new RegExp(`\\blevel["']?\\s*[=:]\\s*["']?(${NAMES})\\b`, 'i'),
  new RegExp(`[[(<](${NAMES})[\\])>]`, 'i'),
  new RegExp(`^::(${NAMES})\\b`, 'i'),
  new RegExp(`(?:^|\\s)(${NAMES})(?:\\[\\w+\\])?:`, 'i'),
  new RegExp(`(?:^|\\s)(${NAMES.toUpperCase()})(?=\\s|$)`),
];

/** Returns the level of a line, in the forms of common loggers and pipelines. @param line from plainLine */
export function levelOf(line: string): Level | undefined {
  const head = line.slice(0, HEAD_LENGTH);
  for (const form of FORMS) {
    const word = form.exec(head)?.[1];
    if (word) return WORDS[word.toLowerCase()];
  }
  return undefined;
}
