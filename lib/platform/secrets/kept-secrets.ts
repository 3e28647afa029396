import { refusal } from '#lib/platform/http/validation.ts';

/** What stands where a secret stood. */
export const REDACTED = '********';

/**
 * A map of settings as it is to be stored: a value of eight asterisks stands for what is stored under its name. Throws
 * VALIDATION_ERROR where nothing is.
 * @param member where the map stands in its body: `headers`
 * @param storedAs the value that is stored under a name, if there is one
 */
export function withKeptSecrets<Value>(
  member: string,
  wanted: Record<string, Value>,
  storedAs: (name: string) => string | undefined,
): Record<string, Value | string> {
  const unknown: string[] = [];
  const kept = Object.entries(wanted).map(([name, value]): [string, Value | string] => {
    if (value !== REDACTED) return [name, value];
    const secret = storedAs(name);
    if (secret === undefined) unknown.push(name);
    return [name, secret ?? ''];
  });
  if (unknown.length > 0) {
    const message = `is ${REDACTED}, which keeps a stored value, but none is stored under this name`;
    throw refusal(unknown.map((name) => ({ path: `${member}.${name}`, message })));
  }
  return Object.fromEntries(kept);
}
