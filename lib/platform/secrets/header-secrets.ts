/** Headers of an answer whose values are shown to nobody. */
export const SECRET_IN_ANSWERS: ReadonlySet<string> = new Set(['set-cookie', 'authorization']);

/**
 * What in the headers of a request may be a secret: each value, and of a value what others may show alone.
 * @returns texts for `hiderOf`
 */
export const headerSecrets = (headers: Record<string, string> = {}): string[] =>
  Object.entries(headers).flatMap(([name, value]) => {
    const credentials = credentialsOf(value);
    // The word Bearer alone is no secret: it stays readable.
    const whole = /authorization$/i.test(name) && credentials.length > 0 ? [] : [value.trim()];
    return [...whole, ...credentials, ...valuesIn(value)];
  });

/** `Bearer abc`: abc. `Basic b3BzOmh1c2g=`: that, `ops:hush` and hush (RFC 7617). */
function credentialsOf(value: string): string[] {
  const [, scheme, credentials] = /^\s*([A-Za-z][\w-]*)\s+(\S.*)$/.exec(value.trimEnd()) ?? [];
  if (scheme === undefined || credentials === undefined) return [];
  if (scheme.toLowerCase() !== 'basic') return [credentials];
  const pair = Buffer.from(credentials, 'base64').toString('utf8');
  return [credentials, pair, pair.slice(pair.indexOf(':') + 1)];
}

/** Of cookies, forms, JSON and the like (`session=abcdef; id="7"`), the values that are long enough to be secrets. */
export const valuesIn = (text: string): string[] =>
  [...text.matchAll(/[=:]\s*"?([^\s"&,;{}[\]]{6,})/g)].map((match) => match[1]!);
