import { notFound } from '#lib/platform/errors.ts';
import { isIdOrSlug, isName } from '#lib/platform/text.ts';

const isParam = (segment: string): boolean => segment.startsWith('{');

/**
 * Returns the routes of a path. A literal segment wins over a parameter: `invite` of /users/invite is not an id. Of two
 * routes with equally many parameters, the one that is literal at their first difference comes first:
 * /checks/by-slug/{slug} before /checks/{id}/results.
 */
export function routesAt<R extends RoutePath>(table: { route: R; segments: string[] }[], path: string[]): R[] {
  const matching = table.filter(({ route, segments }) => matches(segments, partsOf(route, segments, path)));
  const fewest = Math.min(...matching.map(({ segments }) => segments.filter(isParam).length));
  return matching
    .filter(({ segments }) => segments.filter(isParam).length === fewest)
    .sort((a, b) => (literalsFirst(a.segments) < literalsFirst(b.segments) ? -1 : 1))
    .map(({ route }) => route);
}

const literalsFirst = (segments: string[]): string => segments.map((part) => (isParam(part) ? '1' : '0')).join('');

const matches = (segments: string[], path: string[]): boolean =>
  segments.length === path.length && segments.every((part, i) => (isParam(part) ? path[i] !== '' : part === path[i]));

type RoutePath = { path: string; names?: readonly string[] };

/** Joins the last segments for a final parameter in `names`, because API Gateway decodes the slashes of a name. */
function partsOf({ names }: RoutePath, segments: string[], path: string[]): string[] {
  const last = segments.length - 1;
  const isLonger = path.length > segments.length && names?.includes(nameOf(segments[last]!));
  return isLonger ? [...path.slice(0, last), path.slice(last).join('/')] : path;
}

const nameOf = (part: string): string => part.slice(1, -1);

/** Returns the decoded parameters. Throws NOT_FOUND for a value that cannot be an id, slug or name. */
export function paramsOf(route: RoutePath, path: string[]): Record<string, string> {
  const params: Record<string, string> = {};
  const segments = route.path.split('/');
  const parts = partsOf(route, segments, path);
  for (const [i, part] of segments.entries()) {
    if (!isParam(part)) continue;
    const name = nameOf(part);
    const value = decode(parts[i] ?? '');
    if (!(route.names?.includes(name) ? isName(value) : isIdOrSlug(value))) throw notFound(`${name} ${parts[i]}`);
    params[name] = value;
  }
  return params;
}

const ESCAPES = /(?:%[0-9a-f]{2})+/gi;

/** Decodes only valid escapes. API Gateway decodes all except %25, so a path from it yields the same parameters. */
const decode = (text: string): string =>
  text.replace(ESCAPES, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
