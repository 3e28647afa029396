import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';

/**
 * A text that somebody else's program wrote, such as the output of a job, without what looks like a secret in it: the
 * values of passwords, secrets, tokens, API keys and authorization, passwords in URLs, ids of AWS keys, private keys.
 * Pure, takes time in proportion to the text, and leaves what is masked already. What it does not know by its name or
 * form, it leaves too.
 */
export const maskSecrets = (text: string): string => RULES.reduce((shown, rule) => shown.replace(rule, masked), text);

/** Quotation marks stay around what they held. */
function masked(_: string, before: string, value: string): string {
  const [mark = ''] = /^\\?["']/.exec(value) ?? [];
  return `${before}${mark}${REDACTED}${mark}`;
}

/** Also inside a longer name: `DB_PASSWORD`, `client_secret`, `X-Api-Key`. Each part is bounded, so that time is. */
const NAME = String.raw`(?:passw(?:or)?d|passphrase|secret|token|api[ _-]?key|credential)[\w.-]{0,40}`;
/** What stands between a name and its value: `: `, `=`, `" : `, ` => `. */
const IS = String.raw`["'\\]{0,4}[ \t]{0,10}(?:=>|:=|[:=])[ \t]{0,10}`;
/** In quotation marks, which may be escaped, up to the next of these, or to the end of the line. */
const QUOTED = String.raw`\\"(?:(?!\\")[^\n])*(?:\\")?|"(?:[^"\\\n]|\\[^\n])*"?|'[^'\n]*'?`;
const VALUE = String.raw`(?:${QUOTED}|[^\s"'&]*[^\s"'&,;)\]}])`;

/** Each finds what stands before a value, and the value. */
const RULES: readonly RegExp[] = [
  // Also one whose end was cut off.
  /()(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$))/g,
  /\b([a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@]{0,200}:)([^\s/]{1,1000})(?=@)/gi,
  /()\b((?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA|AIDA|AROA)[A-Z0-9]{16})\b/g,
  // A header to the end of its line, as its value has blanks in it.
  new RegExp(String.raw`(authorization${IS})(${QUOTED}|[^\n"']+)`, 'gi'),
  /\b(bearer[ \t]{1,10})([\w.~+/=-]+)/gi,
  new RegExp(`(${NAME}${IS})(${VALUE})`, 'gi'),
  // An option of a command: `--password hunter2`.
  new RegExp(String.raw`(--?[\w-]{0,40}${NAME}[ \t]{1,10})(?![-=:])(${VALUE})`, 'gi'),
];
