import { fill, hasPlaceholder, placeholdersIn } from '#lib/platform/template.ts';
import { isBuiltIn, type Variables } from './variables.ts';

/** Maximum length of a URL after substitution: a length that many web servers accept. */
const MAX_RENDERED_URL = 8 * 1024;

/** Rendered URL, or a human-readable error. `blocked`: a value would change host or path, or is missing in the host. */
type RenderedUrl = { ok: true; url: string } | { ok: false; status: 'blocked' | 'failed'; error: string };

/** Substitutes variables in a URL: percent-encoded in path and query; before the path, limited to host characters. */
export function renderUrl(template: string, { inHost, elsewhere }: Variables): RenderedUrl {
  const head = headOf(template);
  const wrong = wrongInHead(head, inHost) ?? wrongInPath(template, elsewhere);
  if (wrong !== undefined) return { ok: false, status: 'blocked', error: `refused: ${wrong}` };
  const filled = fill(head, inHost, (value) => value, MAX_RENDERED_URL);
  const rest = fill(template.slice(head.length), elsewhere, inUrl, MAX_RENDERED_URL);
  if (filled !== undefined && rest !== undefined && filled.length + rest.length <= MAX_RENDERED_URL) {
    return { ok: true, url: filled + rest };
  }
  const error = `not sent: the URL has more than ${MAX_RENDERED_URL} characters after substitution of its variables`;
  return { ok: false, status: 'failed', error };
}

/** Returns scheme, host and port. `{{base}}/hook` has no scheme of its own; the variable contains it. */
export const headOf = (template: string): string => /^(?:[^/?#\\]*:\/\/)?[^/?#\\]*/.exec(template)?.[0] ?? template;

/** Removes the port, and placeholders that can only be a port. */
export const withoutPort = (head: string): string => head.replace(/:(?:\d|\{\{[^{}]*\}\})*$/, '');

/** Whether the end of the host is fixed: not in `{{base}}/hook`, nor in `{{region}}.com`, where anyone can register. */
export function hasFixedHost(template: string): boolean {
  const host = withoutPort(headOf(template));
  if (!hasPlaceholder(host)) return true;
  const end = host.slice(host.lastIndexOf('}}') + 2);
  return /^https?:\/\//i.test(host) && /^(?:\.[a-z0-9-]+)+\.[a-z0-9-]*[a-z][a-z0-9-]*$/i.test(end);
}

const IN_HOST = /^[A-Za-z0-9.-]+$/;
/** Values allowed for a placeholder at the start of a URL; with a path only if the placeholder is the whole head. */
const START = /^https?:\/\/[A-Za-z0-9.-]+(?::\d{1,5})?(?:[/?#][^\s\\]*)?$/i;
const START_OF_HOST = /^https?:\/\/[A-Za-z0-9.-]+$/i;

/** Returns the error in variables before the path; they are limited, because other characters could change the host. */
function wrongInHead(head: string, values: Variables['inHost']): string | undefined {
  const names = placeholdersIn(head);
  const first = head.includes('://') || !head.startsWith('{{') ? undefined : names[0];
  for (const [i, name] of names.entries()) {
    const value = values.get(name);
    const where = `{{${name}}} in the host of the URL`;
    if (value === undefined) {
      const reason = isBuiltIn(name) ? ', because this execution does not set it and vars cannot set it there' : '';
      return `no value for ${where}${reason}`;
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
  const segment = path
    .split(/[/\\]/)
    .find(
      (part) => hasPlaceholder(part) && /^(?:\.|%2e){1,2}$/i.test(fill(part, values, inUrl, MAX_RENDERED_URL) ?? ''),
    );
  return segment && `${segment} in the path of the URL becomes a dot segment, which would leave that path`;
}

// A lone surrogate cannot be encoded.
const inUrl = (value: string): string => encodeURIComponent(value.toWellFormed());
