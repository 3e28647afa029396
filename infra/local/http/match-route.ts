import { type FunctionName, routes } from '#infra/topology.ts';

const table = routes.map((route) => ({ ...route, segments: route.path.split('/') }));

/** The function of the first row of the topology that fits. `{name}` is one segment, `{name+}` all that follow. */
export function functionFor(method: string, path: string): FunctionName | undefined {
  const parts = path.split('/');
  for (const row of table) {
    if ((row.method === 'ANY' || row.method === method) && fits(row.segments, parts)) return row.function;
  }
  return undefined;
}

function fits(segments: string[], parts: string[]): boolean {
  for (const [i, segment] of segments.entries()) {
    if (segment.endsWith('+}')) return true;
    const part = parts[i];
    if (segment.startsWith('{') ? !part : segment !== part) return false;
  }
  return segments.length === parts.length;
}
