import * as z from 'zod';
import type { ErrorDetail } from '#lib/platform/errors.ts';
import { memberOf } from '#lib/platform/plain-data.ts';
import { closestName } from './closest-name.ts';
import type { Route } from './route.ts';

/** Maximum number of reported properties; more would only lengthen the response. */
const MAX_NAMED = 100;

type Path = PropertyKey[];

/** Property names of other services, with the replacement, which is suggested instead of the closest known name. */
export const propertySuggestions = z.registry<Readonly<Record<string, string>>>();

/**
 * Returns the unknown properties of `value` at every level, each with the closest known name. Skips open schemas. Pure.
 * @param readOnly top-level properties that are accepted because the returned record has them
 */
export function unknownProperties(
  schema: z.core.$ZodType,
  value: unknown,
  readOnly: ReadonlySet<string> = new Set(),
): ErrorDetail[] {
  const found: ErrorDetail[] = [];
  visit(schema, value, []);
  return found;

  function visit(wrapped: z.core.$ZodType, value: unknown, path: Path): void {
    if (found.length >= MAX_NAMED || typeof value !== 'object' || value === null) return;
    const def = defOf(wrapped);
    if (Array.isArray(value)) {
      if (def.type === 'array') for (const [i, member] of value.entries()) visit(def.element, member, [...path, i]);
      return;
    }
    const known = knownIn(bare(wrapped), value);
    if (!known) return;
    const { shape, suggestions } = known;
    for (const [name, member] of Object.entries(value)) {
      if (Object.hasOwn(shape, name)) visit(shape[name]!, member, [...path, name]);
      else if (!(path.length === 0 && readOnly.has(name)) && found.length < MAX_NAMED) {
        found.push(
          unknownProperty(
            [...path, name],
            Object.keys(shape),
            Object.hasOwn(suggestions, name) ? suggestions[name] : undefined,
          ),
        );
      }
    }
  }
}

const propertyNames = (schema: z.core.$ZodType): string[] => {
  const def = defOf(schema);
  return Object.keys((def.type === 'object' ? def.shape : def.type === 'union' && allShapes(def)) || {});
};

/** Returns the properties that every option of a union requires, for an object whose option is unknown. */
export function commonRequired(schema: z.core.$ZodType): string[] {
  const def = defOf(schema);
  const shapes = def.type === 'union' ? def.options.map(objectShape).filter((shape) => shape !== undefined) : [];
  return Object.keys(shapes[0] ?? {}).filter((name) =>
    shapes.every((shape) => shape[name] && shape[name]._zod.optin === undefined),
  );
}

/** Returns the error for an unknown property. @param replacement text to write instead */
export function unknownProperty(path: Path, known: readonly string[], replacement?: string): ErrorDetail {
  if (replacement)
    return { path: path.join('.'), message: `\`${path.join('.')}\` is not a known property; use ${replacement}` };
  const closest = closestName(String(path.at(-1)), known);
  const hint = closest === undefined ? '' : `; did you mean \`${closest}\`?`;
  return { path: path.join('.'), message: `\`${path.join('.')}\` is not known${hint}` };
}

type Def =
  | z.core.$ZodObjectDef
  | z.core.$ZodArrayDef
  | z.core.$ZodDiscriminatedUnionDef
  | { type: 'record' | 'custom' | 'unknown' };

const defOf = (schema: z.core.$ZodType): Def => bare(schema)._zod.def as Def;

function bare(schema: z.core.$ZodType): z.core.$ZodType {
  const def = schema._zod.def as { type: string; innerType?: z.core.$ZodType } & Partial<z.core.$ZodPipeDef>;
  if (def.innerType) return bare(def.innerType);
  if (def.type === 'pipe') return bare(def.in!._zod.def.type === 'transform' ? def.out! : def.in!);
  return schema;
}

function objectShape(schema: z.core.$ZodType): z.core.$ZodShape | undefined {
  const def = defOf(schema);
  return def.type === 'object' ? def.shape : undefined;
}

const allShapes = (def: z.core.$ZodDiscriminatedUnionDef): z.core.$ZodShape =>
  Object.assign({}, ...def.options.map((option) => objectShape(option) ?? {}));

type Known = { shape: z.core.$ZodShape; suggestions: Readonly<Record<string, string>> };

function knownIn(schema: z.core.$ZodType, value: object): Known | undefined {
  const def = defOf(schema);
  if (def.type === 'object') {
    const isOpen = def.catchall && def.catchall._zod.def.type !== 'never';
    return isOpen ? undefined : { shape: def.shape, suggestions: propertySuggestions.get(schema) ?? {} };
  }
  if (def.type !== 'union') return undefined;
  const kind = memberOf(value, def.discriminator);
  const kindsOf = (option: z.core.$ZodType): ReadonlySet<unknown> | undefined =>
    objectShape(option)?.[def.discriminator]?._zod.values;
  const option = def.options.find((option) => kindsOf(option)?.has(kind));
  return option ? knownIn(bare(option), value) : { shape: allShapes(def), suggestions: {} };
}

type RouteShape = Pick<Route<never>, 'method' | 'path' | 'status' | 'body' | 'reply'>;

/** Returns response properties that a change ignores in its body, so that a client can send a record back. */
export function readOnlyProperties(route: RouteShape, routes: readonly RouteShape[]): string[] {
  const read = routes.find((other) => other.method === 'GET' && other.path === route.path);
  const isChange = route.method === 'PUT' || (route.method === 'POST' && route.status === 200 && read !== undefined);
  if (!route.body || !isChange) return [];
  const own = new Set(propertyNames(route.body));
  const returned = [route, read].flatMap((endpoint) => (endpoint?.reply ? propertyNames(endpoint.reply) : []));
  return [...new Set(returned)].filter((name) => !own.has(name));
}
