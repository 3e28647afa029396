/** Path and query after # in the address. */
export type Address = { path: string; query: URLSearchParams };

/** Parses an address: `#/checks/chk_1?window=7d`. */
export function parseAddress(hash: string): Address {
  const text = hash.replace(/^#/, '');
  const at = text.indexOf('?');
  const path = at < 0 ? text : text.slice(0, at);
  return { path: path.startsWith('/') ? path : '/', query: new URLSearchParams(at < 0 ? '' : text.slice(at + 1)) };
}

/** Builds an address for `href`. Undefined and empty parameters are omitted. */
export function hrefOf(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const search = new URLSearchParams(given).toString();
  return `#${path}${search && `?${search}`}`;
}

/** Returns the parameters of a path (`/checks/:id`); undefined if it does not match or is not validly encoded. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.replace(/(.)\/$/, '$1').split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const text = given[i]!;
    if (!part.startsWith(':')) {
      if (part !== text) return undefined;
      continue;
    }
    if (text === '') return undefined;
    try {
      params[part.slice(1)] = decodeURIComponent(text);
    } catch {
      return undefined;
    }
  }
  return params;
}

/** Builds a path: `pathTo('/checks/:id', { id: 'chk_1' })`. Throws if a parameter is missing. */
export const pathTo = (pattern: string, params: Readonly<Record<string, string>> = {}): string =>
  pattern.replace(/:(\w+)/g, (_all, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${pattern} needs ${name}.`);
    return encodeURIComponent(value);
  });
