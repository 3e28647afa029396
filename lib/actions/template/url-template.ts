import { fill, hasPlaceholder, placeholdersIn } from '#lib/platform/template.ts';
import { isBuiltIn, type Variables } from './variables.ts';

/** Maximum length after substitution, which many web servers accept. */
const MAX_URL = 8 * 1024;

/** Rendered URL, or a readable error. `blocked`: a variable would change its meaning, or is missing in the host. */
type RenderedUrl = { ok: true; url: string } | { ok: false; status: 'blocked' | 'failed'; error: string };

/** Substitutes variables in a URL: encoded in path and query, only name characters before it. */
export function renderUrl(template: string, { inHost, elsewhere }: Variables): RenderedUrl {
  const head = headOf(template);
  const wrong = wrongInHead(head, inHost) ?? wrongInPath(template, elsewhere);
  if (wrong !== undefined) return { ok: false, status: 'blocked', error: `refused: ${wrong}` };
  const filled = fill(head, inHost, (value) => value, MAX_URL);
  const rest = fill(template.slice(head.length), elsewhere, inUrl, MAX_URL);
  if (filled !== undefined && rest !== undefined && filled.length + rest.length <= MAX_URL) {
    return { ok: true, url: filled + rest };
  }
  const error = `not sent: the URL has more than ${MAX_URL} characters after substitution of its variables`;
  return { ok: false, status: 'failed', error };
}

/** Returns scheme, host and port. `{{base}}/hook` has no scheme of its own; the variable contains it. */
export const headOf = (template: string): string => /^(?:[^/?#\\]*:\/\/)?[^/?#\\]*/.exec(template)?.[0] ?? template;

/** Removes the port, and placeholders that can only be a port. */
export const withoutPort = (head: string): string => head.replace(/:(?:\d|\{\{[^{}]*\}\})*$/, '');

/**
 * Whether the end of the host is fixed: in `api.example.com` and `{{region}}.example.com`, but not in `{{region}}.com`,
 * where anyone can register a name, nor in `{{base}}/hook`.
 */
export function hasFixedHost(template: string): boolean {
  const host = withoutPort(headOf(template));
  if (!hasPlaceholder(host)) return true;
  const end = host.slice(host.lastIndexOf('}}') + 2);
  return /^https?:\/\//i.test(host) && /^(?:\.[a-z0-9-]+)+\.[a-z0-9-]*[a-z][a-z0-9-]*$/i.test(end);
}

const IN_HOST = /^[A-Za-z0-9.-]+$/;
/** Values allowed for a placeholder at the start of a URL; a path only if it is the whole head. */
const START = /^https?:\/\/[A-Za-z0-9.-]+(?::\d{1,5})?(?:[/?#][^\s\\]*)?$/i;
const START_OF_HOST = /^https?:\/\/[A-Za-z0-9.-]+$/i;

/** Returns the error in variables before the path: only letters, digits, `.` and `-` cannot change the host. */
function wrongInHead(head: string, values: Variables['inHost']): string | undefined {
  const names = placeholdersIn(head);
  const first = head.includes('://') || !head.startsWith('{{') ? undefined : names[0];
  for (const [i, name] of names.entries()) {
    const value = values.get(name);
    const where = `{{${name}}} in the host of the URL`;
    if (value === undefined) {
      const own = isBuiltIn(name) ? ', because this execution has no value for it and vars cannot set it there' : '';
      return `no value for ${where}${own}`;
    }
    if (i > 0 || name !== first) {
      if (!IN_HOST.test(value)) return `the value of ${where} may only contain letters, digits, "." and "-"`;
      continue;
    }
    const isWhole = head === `{{${name}}}`;
    if (!(isWhole ? START : START_OF_HOST).test(value)) {
      return `the value of {{${name}}} must be the start of a URL, such as https://ci.example.com${isWhole ? '/hooks' : ''}`;
    }
  }
  return undefined;
}

/** Returns the error if variables turn a path segment into `.` or `..`, which encoding cannot prevent. */
function wrongInPath(template: string, values: Variables['elsewhere']): string | undefined {
  const path = template.slice(headOf(template).length).replace(/[?#].*$/s, '');
  const climbing = path
    .split(/[/\\]/)
    .find((part) => hasPlaceholder(part) && /^(?:\.|%2e){1,2}$/i.test(fill(part, values, inUrl, MAX_URL) ?? ''));
  return climbing && `${climbing} in the path of the URL becomes a dot segment, which would leave that path`;
}

// A lone surrogate cannot be encoded.
const inUrl = (value: string): string => encodeURIComponent(value.toWellFormed());
