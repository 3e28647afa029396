import { isAllowed, type Rights } from '#lib/platform/http/access.ts';
import { isObject } from '#lib/platform/plain-data.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';

// What those who may only read see in place of a secret (docs/api/auth.md#read-only-keys): pure functions, each answers
// a new record.

/** Whoever sees the least, which is what the audit log shows to everybody. */
export const READER: Rights = { role: 'viewer', scopes: null, is_read_only: true };

/** Whether secrets are shown to them: whoever may set a secret may see it. */
export const seesSecrets = (rights: Rights): boolean => isAllowed(rights, 'write');

/** A target URL without its query, fragment and user info, which may hold secrets. */
export const redactUrl = (url: string): string =>
  url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, `$1${REDACTED}@`).replace(/[?#].*$/s, `?${REDACTED}`);

/** The look-behind lets a match begin only at the start of a word: otherwise a long word costs quadratic time. */
const URLS = /(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/[^\s"'<>`]+/gi;

/** A text, such as an error, without the URLs in it. */
export const redactUrls = (text: string): string => text.replace(URLS, REDACTED);

/**
 * A record without the values at some paths (`config.body`, `config.headers`). Of an object there, the keys stay and
 * each value goes; a list on the way is entered (`config.steps.send`). An absent or null member stays as it is.
 */
export const redactPaths = <R extends object>(record: R, paths: readonly string[]): R =>
  changeAt(record, paths, redactWhole);

/** A record whose URLs at some paths are as `redactUrl` shows them. */
export const redactUrlsAt = <R extends object>(record: R, paths: readonly string[]): R =>
  changeAt(record, paths, (value) => (typeof value === 'string' ? redactUrl(value) : value));

type Change = (value: unknown) => unknown;

const changeAt = <R extends object>(record: R, paths: readonly string[], change: Change): R =>
  paths.reduce((shown, path) => changed(shown, path.split('.'), change) as R, record);

function changed(value: unknown, [name, ...rest]: string[], change: Change): unknown {
  if (value === undefined || value === null) return value;
  if (name === undefined) return change(value);
  if (Array.isArray(value)) return value.map((one) => changed(one, [name, ...rest], change));
  if (!isObject(value) || !Object.hasOwn(value, name)) return value;
  return { ...value, [name]: changed(value[name], rest, change) };
}

const redactWhole = (value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.keys(value).map((key) => [key, REDACTED])) : REDACTED;
