import { type FunctionName, routes } from '#infra/topology.ts';

const table = routes.map((route) => ({ ...route, segments: route.path.split('/') }));

/** Returns the function of the first matching route. `{name}` matches one segment, `{name+}` all that follow. */
export function functionFor(method: string, path: string): FunctionName | undefined {
  const parts = path.split('/');
  for (const route of table) {
    if ((route.method === 'ANY' || route.method === method) && matches(route.segments, parts)) return route.function;
  }
  return undefined;
}

function matches(segments: string[], parts: string[]): boolean {
  for (const [i, segment] of segments.entries()) {
    if (segment.endsWith('+}')) return true;
    const part = parts[i];
    if (segment.startsWith('{') ? !part : segment !== part) return false;
  }
  return segments.length === parts.length;
}
