import { refusal } from '#lib/platform/http/validation.ts';

export const REDACTED = '********';

/**
 * Returns the supplied settings with each ******** replaced by the stored value of the same name. Throws
 * VALIDATION_ERROR if no value is stored under that name.
 * @param property name of the map in the body: `headers`
 * @param storedAs returns the stored value of a name
 */
export function withKeptSecrets<Value>(
  property: string,
  supplied: Record<string, Value>,
  storedAs: (name: string) => string | undefined,
): Record<string, Value | string> {
  const unknown: string[] = [];
  const kept = Object.entries(supplied).map(([name, value]): [string, Value | string] => {
    if (value !== REDACTED) return [name, value];
    const secret = storedAs(name);
    if (secret === undefined) unknown.push(name);
    return [name, secret ?? ''];
  });
  if (unknown.length > 0) {
    const message = `is ${REDACTED}, which keeps the stored value, but no value is stored under this name`;
    throw refusal(unknown.map((name) => ({ path: `${property}.${name}`, message })));
  }
  return Object.fromEntries(kept);
}
