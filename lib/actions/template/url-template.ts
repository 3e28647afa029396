import { fill, hasPlaceholder, placeholdersIn } from '#lib/platform/template.ts';
import { isBuiltIn, type Variables } from './variables.ts';

/** After substitution: what many web servers take of a URL. */
const MAX_URL = 8 * 1024;

/** A URL, or in a sentence why there is none. `blocked`: a variable would change what the URL means. */
type RenderedUrl = { ok: true; url: string } | { ok: false; status: 'blocked' | 'failed'; error: string };

/**
 * A URL with its variables: percent-encoded in path and query, in scheme and host only what can stand in a name. Where
 * it then leads is for the guard of outbound connections to decide.
 */
export function renderUrl(template: string, { inHost, elsewhere }: Variables): RenderedUrl {
  const head = headOf(template);
  const wrong = wrongInHead(head, inHost) ?? wrongInPath(template, elsewhere);
  if (wrong !== undefined) return { ok: false, status: 'blocked', error: `refused: ${wrong}` };
  const filled = fill(head, inHost, (value) => value, MAX_URL);
  const rest = fill(template.slice(head.length), elsewhere, inUrl, MAX_URL);
  if (filled !== undefined && rest !== undefined && filled.length + rest.length <= MAX_URL) {
    return { ok: true, url: filled + rest };
  }
  const error = `not sent: the URL has more than ${MAX_URL} characters once its variables are filled in`;
  return { ok: false, status: 'failed', error };
}

/** All before the path: scheme, host and port. `{{base}}/hook` has no scheme of its own; the variable brings it. */
export const headOf = (template: string): string => /^(?:[^/?#\\]*:\/\/)?[^/?#\\]*/.exec(template)?.[0] ?? template;

/** A head without its port: all but what can only be a port. */
export const withoutPort = (head: string): string => head.replace(/:(?:\d|\{\{[^{}]*\}\})*$/, '');

/**
 * Whether the end of the host is written in the template, whatever its variables hold: `api.example.com`, and
 * `{{region}}.example.com`, but neither `{{region}}.com`, where anyone can register a name, nor `{{base}}/hook`.
 */
export function hasFixedHost(template: string): boolean {
  const host = withoutPort(headOf(template));
  if (!hasPlaceholder(host)) return true;
  const end = host.slice(host.lastIndexOf('}}') + 2);
  return /^https?:\/\//i.test(host) && /^(?:\.[a-z0-9-]+)+\.[a-z0-9-]*[a-z][a-z0-9-]*$/i.test(end);
}

const IN_HOST = /^[A-Za-z0-9.-]+$/;
/** What may fill a placeholder that stands for the beginning of a URL: with a path only where a path may follow. */
const BEGINNING = /^https?:\/\/[A-Za-z0-9.-]+(?::\d{1,5})?(?:[/?#][^\s\\]*)?$/i;
const BEGINNING_OF_HOST = /^https?:\/\/[A-Za-z0-9.-]+$/i;

/** What is wrong with the variables before the path: only letters, digits, `.` and `-` cannot move the host. */
function wrongInHead(head: string, values: Variables['inHost']): string | undefined {
  const names = placeholdersIn(head);
  const first = head.includes('://') || !head.startsWith('{{') ? undefined : names[0];
  for (const [i, name] of names.entries()) {
    const value = values.get(name);
    const where = `{{${name}}} in the host of the URL`;
    if (value === undefined) {
      const own = isBuiltIn(name) ? ', as this run has no value for it and vars cannot set it there' : '';
      return `nothing fills ${where}${own}`;
    }
    if (i > 0 || name !== first) {
      if (!IN_HOST.test(value)) return `the value of ${where} may only have letters, digits, "." and "-"`;
      continue;
    }
    const isWhole = head === `{{${name}}}`;
    if (!(isWhole ? BEGINNING : BEGINNING_OF_HOST).test(value)) {
      return `the value of {{${name}}} must be the beginning of a URL, such as https://ci.example.com${isWhole ? '/hooks' : ''}`;
    }
  }
  return undefined;
}

/** The first segment of the path that its variables turn into `.` or `..`, which no encoding can keep from climbing. */
function wrongInPath(template: string, values: Variables['elsewhere']): string | undefined {
  const path = template.slice(headOf(template).length).replace(/[?#].*$/s, '');
  const climbing = path
    .split(/[/\\]/)
    .find((part) => hasPlaceholder(part) && /^(?:\.|%2e){1,2}$/i.test(fill(part, values, inUrl, MAX_URL) ?? ''));
  return climbing && `${climbing} in the path of the URL comes to a dot segment, which would leave that path`;
}

// Half a character has no encoding at all.
const inUrl = (value: string): string => encodeURIComponent(value.toWellFormed());
