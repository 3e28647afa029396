export const SECRET_RESPONSE_HEADERS: ReadonlySet<string> = new Set(['set-cookie', 'authorization']);

/** Returns possible secrets in request headers: values and their parts. @returns texts for `redactorOf` */
export const headerSecrets = (headers: Record<string, string> = {}): string[] =>
  Object.entries(headers).flatMap(([name, value]) => {
    const credentials = credentialsOf(value);
    // `Bearer` itself is not a secret and stays readable.
    const whole = /authorization$/i.test(name) && credentials.length > 0 ? [] : [value.trim()];
    return [...whole, ...credentials, ...valuesIn(value)];
  });

/** Returns the credentials in a value: of `Bearer abc`, `abc`; of `Basic b3BzOmh1c2g=`, also `ops:hush` and `hush`. */
function credentialsOf(value: string): string[] {
  const [, scheme, credentials] = /^\s*([A-Za-z][\w-]*)\s+(\S.*)$/.exec(value.trimEnd()) ?? [];
  if (scheme === undefined || credentials === undefined) return [];
  if (scheme.toLowerCase() !== 'basic') return [credentials];
  const pair = Buffer.from(credentials, 'base64').toString('utf8');
  return [credentials, pair, pair.slice(pair.indexOf(':') + 1)];
}

/** Returns values in cookies, forms and JSON (`session=abcdef; id="7"`) long enough to be secrets. */
export const valuesIn = (text: string): string[] =>
  [...text.matchAll(/[=:]\s*"?([^\s"&,;{}[\]]{6,})/g)].map((match) => match[1]!);
