import { REDACTED } from './redact-secrets.ts';

/**
 * A text that somebody else's program wrote, such as the output of a job, without what looks like a secret in it: the
 * values of passwords, secrets, tokens, API keys and authorization, passwords in URLs, ids of AWS keys, private keys.
 * Pure, takes time in proportion to the text, and masks what is masked already to the same. What it does not know by
 * its name or form, it leaves.
 */
export const maskSecrets = (text: string): string =>
  RULES.reduce((masked, { found, shown }) => masked.replace(found, shown), text);

/** Also inside a longer name: `DB_PASSWORD`, `client_secret`, `X-Api-Key`. Each part is bounded, so that time is. */
const NAME = '(?:passw(?:or)?d|passphrase|secret|token|api[ _-]?key|credentials?)[\\w.-]{0,40}';
/** What stands between a name and its value: `: `, `="`, `" : "`, `=>`. */
const IS = '["\'\\\\]{0,4}[ \\t]{0,10}(?:=>|:=|[:=])[ \\t]{0,10}';
/** In quotation marks up to the next, escaped ones included, or to the end of the line; else up to a blank. */
const VALUE = '(?:\\\\?"(?:[^"\\\\\\n]|\\\\(?!")[^\\n])*(?:\\\\?"|$)|\'[^\'\\n]*(?:\'|$)|[^\\s"\'&]+)';

const RULES: { found: RegExp; shown: string }[] = [
  // Also one whose end was cut off.
  { found: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, shown: REDACTED },
  { found: /\b([a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@]{0,200}:)[^\s/]{1,1000}@/gi, shown: `$1${REDACTED}@` },
  { found: /\b(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA|AIDA|AROA)[A-Z0-9]{16}\b/g, shown: REDACTED },
  // A header to the end of its line, as its value has blanks in it; in JSON to the end of the text.
  { found: new RegExp(`(authorization${IS})(?:\\\\?"[^"\\n]*(?:"|$)|'[^'\\n]*(?:'|$)|[^\\n"']+)`, 'gi'), shown: `$1${REDACTED}` },
  { found: /\b(bearer[ \t]{1,10})[\w.~+/=-]+/gi, shown: `$1${REDACTED}` },
  { found: new RegExp(`(${NAME}${IS})${VALUE}`, 'gi'), shown: `$1${REDACTED}` },
  // An option of a command: `--password hunter2`.
  { found: new RegExp(`(--?[\\w-]{0,40}${NAME}[ \\t]{1,10})(?!-)${VALUE}`, 'gi'), shown: `$1${REDACTED}` },
];
