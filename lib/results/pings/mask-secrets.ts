import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';

/**
 * Masks likely secrets in foreign text: values of passwords, secrets, tokens, API keys and authorization, passwords in
 * URLs, ids of AWS keys, private keys. Unknown names or forms are not masked. Pure, linear in time, idempotent.
 */
export const maskSecrets = (text: string): string => RULES.reduce((text, rule) => text.replace(rule, masked), text);

function masked(_: string, before: string, value: string): string {
  const [mark = ''] = /^\\?["']/.exec(value) ?? [];
  return `${before}${mark}${REDACTED}${mark}`;
}

/** Name of a secret, also as part of a longer name: `DB_PASSWORD`, `X-Api-Key`. Lengths are bounded for linear time. */
const NAME = String.raw`(?:passw(?:or)?d|passphrase|secret|token|api[ _-]?key|credential)[\w.-]{0,40}`;
/** Separator between a name and its value: `: `, `=`, `" : `, ` => `. */
const IS = String.raw`["'\\]{0,4}[ \t]{0,10}(?:=>|:=|[:=])[ \t]{0,10}`;
/** Quoted value, with plain or escaped quotation marks, up to the closing one or the end of the line. */
const QUOTED = String.raw`\\"(?:(?!\\")[^\n])*(?:\\")?|"(?:[^"\\\n]|\\[^\n])*"?|'[^'\n]*'?`;
const VALUE = String.raw`(?:${QUOTED}|[^\s"'&]*[^\s"'&,;)\]}])`;

/** Patterns with two groups: the text before a value, and the value. */
const RULES: readonly RegExp[] = [
  // A private key, also without its end.
  /()(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$))/g,
  /\b([a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@]{0,200}:)([^\s/]{1,1000})(?=@)/gi,
  /()\b((?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA|AIDA|AROA)[A-Z0-9]{16})\b/g,
  // A header to the end of its line, because its value may contain blanks.
  new RegExp(String.raw`(authorization${IS})(${QUOTED}|[^\n"']+)`, 'gi'),
  /\b(bearer[ \t]{1,10})([\w.~+/=-]+)/gi,
  new RegExp(`(${NAME}${IS})(${VALUE})`, 'gi'),
  // An option of a command: `--password hunter2`.
  new RegExp(String.raw`(--?[\w-]{0,40}${NAME}[ \t]{1,10})(?![-=:])(${VALUE})`, 'gi'),
];
