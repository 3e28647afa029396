import * as z from 'zod';
import type { ErrorDetail } from '#lib/platform/errors.ts';
import { memberOf } from '#lib/platform/plain-data.ts';
import { closestName } from './closest-name.ts';
import type { Route } from './route.ts';

/** So many are named; more would only make the answer longer. */
const MAX_NAMED = 100;

type Path = PropertyKey[];

/**
 * Names that other services have for what a schema says in another way: what to write here, by the name. Registered
 * with an object's schema, they are told in place of the nearest known name.
 */
export const wordsOfOthers = z.registry<Readonly<Record<string, string>>>();

/**
 * Members of `value` that its schema does not know, at every level, each with the known one that is nearest. What a
 * schema leaves open (records, custom ones) is not looked into. Pure.
 * @param readOnly members of the outermost level that are passed over: those of a record that was read
 */
export function unknownMembers(
  schema: z.core.$ZodType,
  value: unknown,
  readOnly: ReadonlySet<string> = new Set(),
): ErrorDetail[] {
  const found: ErrorDetail[] = [];
  look(schema, value, []);
  return found;

  function look(wrapped: z.core.$ZodType, value: unknown, path: Path): void {
    if (found.length >= MAX_NAMED || typeof value !== 'object' || value === null) return;
    const def = defOf(wrapped);
    if (Array.isArray(value)) {
      if (def.type === 'array') for (const [i, member] of value.entries()) look(def.element, member, [...path, i]);
      return;
    }
    const known = knownIn(bare(wrapped), value);
    if (!known) return;
    const { shape, others } = known;
    for (const [name, member] of Object.entries(value)) {
      if (Object.hasOwn(shape, name)) look(shape[name]!, member, [...path, name]);
      else if (!(path.length === 0 && readOnly.has(name)) && found.length < MAX_NAMED) {
        found.push(
          unknown([...path, name], Object.keys(shape), Object.hasOwn(others, name) ? others[name] : undefined),
        );
      }
    }
  }
}

/** The members that a schema names at its outermost level; none for what is no object. */
const memberNames = (schema: z.core.$ZodType): string[] => {
  const def = defOf(schema);
  return Object.keys((def.type === 'object' ? def.shape : def.type === 'union' && allShapes(def)) || {});
};

/** What is required of an object whose kind is not known, as every kind wants it. */
export function requiredAnyway(schema: z.core.$ZodType): string[] {
  const def = defOf(schema);
  const shapes = def.type === 'union' ? def.options.map(objectShape).filter((shape) => shape !== undefined) : [];
  return Object.keys(shapes[0] ?? {}).filter((name) =>
    shapes.every((shape) => shape[name] && shape[name]._zod.optin === undefined),
  );
}

/** How one unknown name is told. @param instead what to write, where that is known */
export function unknown(path: Path, known: readonly string[], instead?: string): ErrorDetail {
  if (instead) return { path: path.join('.'), message: `\`${path.join('.')}\` is not known here; write ${instead}` };
  const near = closestName(String(path.at(-1)), known);
  const hint = near === undefined ? '' : `; did you mean \`${near}\`?`;
  return { path: path.join('.'), message: `\`${path.join('.')}\` is not known${hint}` };
}

type Def =
  | z.core.$ZodObjectDef
  | z.core.$ZodArrayDef
  | z.core.$ZodDiscriminatedUnionDef
  | { type: 'record' | 'custom' | 'unknown' };

const defOf = (schema: z.core.$ZodType): Def => bare(schema)._zod.def as Def;

/** A schema without what stands around it: optional, default, what is done before and after. */
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

type Known = { shape: z.core.$ZodShape; others: Readonly<Record<string, string>> };

/** The members that an object may have here, and words of others for them; undefined where it may have any. */
function knownIn(schema: z.core.$ZodType, value: object): Known | undefined {
  const def = defOf(schema);
  if (def.type === 'object') {
    const isOpen = def.catchall && def.catchall._zod.def.type !== 'never';
    return isOpen ? undefined : { shape: def.shape, others: wordsOfOthers.get(schema) ?? {} };
  }
  if (def.type !== 'union') return undefined;
  const kind = memberOf(value, def.discriminator);
  const kindsOf = (one: z.core.$ZodType): ReadonlySet<unknown> | undefined =>
    objectShape(one)?.[def.discriminator]?._zod.values;
  const option = def.options.find((one) => kindsOf(one)?.has(kind));
  return option ? knownIn(bare(option), value) : { shape: allShapes(def), others: {} };
}

type Row = Pick<Route<never>, 'method' | 'path' | 'status' | 'body' | 'reply'>;

/**
 * Members that a change passes over, so that a record can be sent back as it was read: those of its own answer and of
 * the GET of its path that its body does not know. None where a body makes something new, or only reports.
 */
export function readOnlyMembers(row: Row, rows: readonly Row[]): string[] {
  const read = rows.find((other) => other.method === 'GET' && other.path === row.path);
  const isChange = row.method === 'PUT' || (row.method === 'POST' && row.status === 200 && read !== undefined);
  if (!row.body || !isChange) return [];
  const own = new Set(memberNames(row.body));
  const shown = [row, read].flatMap((one) => (one?.reply ? memberNames(one.reply) : []));
  return [...new Set(shown)].filter((name) => !own.has(name));
}
