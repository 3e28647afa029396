import { isAllowed, type Rights } from '#lib/platform/http/access.ts';
import { isObject } from '#lib/platform/plain-data.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';

// Hides secrets from callers without write access (docs/api/auth.md#read-only-keys). No function changes its argument.

/** Caller with the fewest permissions. Records in the audit log are redacted as for it. */
export const READER: Rights = { role: 'viewer', scopes: null, is_read_only: true };

/** Whether a caller sees secrets, which requires write access. */
export const seesSecrets = (rights: Rights): boolean => isAllowed(rights, 'write');

/** Removes query, fragment and user info, which may contain secrets, from a URL. */
export const redactUrl = (url: string): string =>
  url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, `$1${REDACTED}@`).replace(/[?#].*$/s, `?${REDACTED}`);

/** The lookbehind lets a match begin only at the start of a word; otherwise a long word costs quadratic time. */
const URLS = /(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/[^\s"'<>`]+/gi;

/** Removes URLs from a text, such as an error. */
export const redactUrls = (text: string): string => text.replace(URLS, REDACTED);

/** Hides the values at paths such as `config.headers`, also in each member of a list. An object keeps its keys. */
export const redactPaths = <R extends object>(record: R, paths: readonly string[]): R =>
  changeAt(record, paths, redactWhole);

export const redactUrlsAt = <R extends object>(record: R, paths: readonly string[]): R =>
  changeAt(record, paths, (value) => (typeof value === 'string' ? redactUrl(value) : value));

type Change = (value: unknown) => unknown;

const changeAt = <R extends object>(record: R, paths: readonly string[], change: Change): R =>
  paths.reduce((result, path) => changed(result, path.split('.'), change) as R, record);

function changed(value: unknown, [name, ...rest]: string[], change: Change): unknown {
  if (value === undefined || value === null) return value;
  if (name === undefined) return change(value);
  if (Array.isArray(value)) return value.map((one) => changed(one, [name, ...rest], change));
  if (!isObject(value) || !Object.hasOwn(value, name)) return value;
  return { ...value, [name]: changed(value[name], rest, change) };
}

const redactWhole = (value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.keys(value).map((key) => [key, REDACTED])) : REDACTED;
