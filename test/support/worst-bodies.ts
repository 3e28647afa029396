import { type JsonSchema, schemaBook } from '#infra/docs/json-schemas.ts';
import type { Route } from '#lib/platform/http/route.ts';

/** A body of maximum cost, and its name. */
export type WorstBody = { name: string; text: string };

const DEFAULT_MAX = 256 * 1024;

/** Returns the JSON of a list or map with as many elements as fit into `bytes`. */
function filled(bytes: number, open: string, one: (i: number) => string, close: string): string {
  const parts: string[] = [];
  let length = open.length + close.length;
  for (let i = 0; ; i++) {
    const part = one(i);
    length += part.length + 1;
    if (length > bytes) return open + parts.join(',') + close;
    parts.push(part);
  }
}

/** Makers of JSON values of about `bytes` bytes that are expensive at any place of a body. */
const EXPENSIVE: Record<string, (bytes: number) => string> = {
  'a list of objects': (bytes) => filled(bytes, '[', () => '{}', ']'),
  'a list of numbers': (bytes) => filled(bytes, '[', () => '0', ']'),
  'a list of lists': (bytes) => filled(bytes, '[', () => '[[]]', ']'),
  'a map of numbers': (bytes) => filled(bytes, '{', (i) => `"k${i.toString(36)}":0`, '}'),
  'a map of texts': (bytes) => filled(bytes, '{', (i) => `"k${i.toString(36)}":""`, '}'),
  'a map of names with blanks': (bytes) => filled(bytes, '{', (i) => `"k ${i.toString(36)}":"\\n"`, '}'),
  'a long text': (bytes) => `"${'a'.repeat(bytes - 2)}"`,
  'a long text of dots': (bytes) => `"${'a.'.repeat(bytes / 2 - 1)}"`,
  'a long text of emoji': (bytes) => `"${'😀'.repeat(bytes / 4 - 1)}"`,
  'a long text of backslashes': (bytes) => `"${'\\\\'.repeat(bytes / 2 - 4)}\\ud83d\\ude00"`,
  'a deep list': (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'a deep map': (bytes) => `${'{"a":'.repeat(bytes / 6 - 1)}0${'}'.repeat(bytes / 6 - 1)}`,
};

type Path = (string | number)[];

/** Yields the path of every place of a body, by its schema, down to `depth` levels. */
function* placesIn(schema: JsonSchema | undefined, components: Record<string, JsonSchema>, depth = 3): Generator<Path> {
  if (!schema || depth < 0) return;
  if (typeof schema.$ref === 'string') {
    yield* placesIn(components[schema.$ref.split('/').at(-1)!], components, depth);
    return;
  }
  for (const part of [schema.anyOf, schema.oneOf, schema.allOf].flat()) {
    yield* placesIn(part as JsonSchema | undefined, components, depth);
  }
  for (const [name, part] of Object.entries((schema.properties as Record<string, JsonSchema>) ?? {})) {
    yield [name];
    for (const inner of placesIn(part, components, depth - 1)) yield [name, ...inner];
  }
  if (schema.items) {
    yield [0];
    for (const inner of placesIn(schema.items as JsonSchema, components, depth - 1)) yield [0, ...inner];
  }
  if (typeof schema.additionalProperties === 'object') yield ['x'];
}

const MARK = 'the-nasty-value-goes-here';

/** Returns `good` with a mark at a path; creates missing parents. */
function withMark(good: unknown, [first, ...rest]: Path): unknown {
  if (first === undefined) return MARK;
  if (typeof first === 'number') {
    const list = Array.isArray(good) ? good : [];
    return [withMark(list[first], rest), ...list.slice(1)];
  }
  const map = typeof good === 'object' && good !== null && !Array.isArray(good) ? good : {};
  return { ...map, [first]: withMark((map as Record<string, unknown>)[first], rest) };
}

/**
 * Yields the worst bodies of an endpoint: a valid body with each expensive value at each place of its schema or in an
 * unknown property. Each body is as large as the endpoint accepts.
 * @param good a valid body
 * @param every yields only every nth body: 5 yields a fifth
 */
export function* worstBodies(
  route: Pick<Route<never>, 'body' | 'maxBody'>,
  good: object,
  every = 1,
): Generator<WorstBody> {
  if (!route.body) return;
  const book = schemaBook();
  const schema = book.toJson(route.body, 'input');
  const most = route.maxBody ?? DEFAULT_MAX;
  const seen = new Set<string>();
  let count = 0;
  for (const path of [['unknown_member'], ...placesIn(schema, book.components())]) {
    const at = path.join('.');
    if (seen.has(at)) continue;
    seen.add(at);
    const [before = '', after = ''] = JSON.stringify(withMark(good, path)).split(`"${MARK}"`);
    for (const [what, make] of Object.entries(EXPENSIVE)) {
      if (count++ % every !== 0) continue;
      const text = before + make(most - Buffer.byteLength(before + after) - 8) + after;
      yield { name: `${at}: ${what}`, text };
    }
  }
  const properties = JSON.stringify(good).slice(1, -1);
  yield {
    name: 'unknown properties',
    text: filled(
      most - properties.length - 2,
      `{${properties}${properties && ','}`,
      (i) => `"u${i.toString(36)}":0`,
      '}',
    ),
  };
}
