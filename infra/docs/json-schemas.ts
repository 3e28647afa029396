import * as z from 'zod';

export type JsonSchema = { [key: string]: unknown };

/** `input`: what a request may hold. `output`: what an answer holds. */
type Direction = 'input' | 'output';

/**
 * Turns zod schemas into JSON Schema 2020-12, and collects those that carry `.meta({ id })` as components.
 * @param strict answers hold no member that they do not state: for tests. What is published leaves room to grow.
 */
export function schemaBook({ strict = false }: { strict?: boolean } = {}) {
  const components = new Map<string, JsonSchema>();

  /** Puts a component under its name; where requests and answers differ, requests have the name and `Input`. */
  function addComponent(id: string, schema: JsonSchema, io: Direction): string {
    const known = components.get(id);
    if (!known || isSame(known, schema)) {
      components.set(id, schema);
      return id;
    }
    if (io === 'input') return addComponent(`${id}Input`, schema, 'output');
    throw new Error(`Two schemas are called ${id}. Give one of them another id.`);
  }

  function toJson(schema: z.ZodType, io: Direction): JsonSchema {
    // In an array, as a schema that has a name is then referred to by it.
    const whole = z.toJSONSchema(z.array(schema), {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        simplify(zodSchema._zod.def, jsonSchema, io, strict);
        explain(zodSchema, jsonSchema);
      },
    }) as { items: JsonSchema; $defs?: Record<string, JsonSchema> };
    const names = new Map<string, string>();
    for (const [id, definition] of Object.entries(whole.$defs ?? {})) names.set(id, addComponent(id, definition, io));
    const found = rename(whole.items, names) as JsonSchema;
    for (const name of names.values()) components.set(name, rename(components.get(name), names) as JsonSchema);
    return found;
  }

  return {
    toJson,
    components: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

const DEFS = '#/$defs/';
const COMPONENTS = '#/components/schemas/';

/** References of a schema by itself, made those of a document. */
function rename(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((member) => rename(member, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (typeof member !== 'string' || !member.startsWith(DEFS)) return [key, rename(member, names)];
      const id = member.slice(DEFS.length);
      return [key, COMPONENTS + (names.get(id) ?? id)];
    }),
  );
}

const isSame = (a: JsonSchema, b: JsonSchema): boolean => canonical(a) === canonical(b);

/** Text that is the same for the same schema, wherever its references point. */
const canonical = (schema: JsonSchema): string =>
  JSON.stringify(schema, (_key, value) => (typeof value === 'string' ? value.replace(DEFS, COMPONENTS) : value));

/** Says of alternatives what a reader wants to know of them at once. */
function explain(schema: z.core.$ZodType, json: JsonSchema): void {
  const def = schema._zod.def;
  if (def.type === 'nullable') json.description ??= (json.anyOf as JsonSchema[] | undefined)?.[0]?.description;
  if (json.description === undefined) delete json.description;
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return;
  const propertyName = schema.def.discriminator;
  // Each by its name, which alternatives of a request or an answer have to have.
  const mapping = schema.options.flatMap((option) => {
    const id = z.globalRegistry.get(option as z.ZodType)?.id;
    return [...(option._zod.propValues?.[propertyName] ?? [])].map((value) => [value, DEFS + id]);
  });
  json.discriminator = { propertyName, mapping: Object.fromEntries(mapping) };
}

/** Takes away what says nothing to a reader. */
function simplify(def: z.core.$ZodTypeDef, json: JsonSchema, io: Direction, strict: boolean): void {
  if (def.type === 'object' && !(def as z.core.$ZodObjectDef).catchall) {
    // What a request holds beyond it is refused, whatever the schema is made with (validation.ts).
    if (io === 'input') json.additionalProperties = false;
    else if (!strict) delete json.additionalProperties;
  }
  if (json.format === 'date-time') delete json.pattern;
  // Many readers do not know the classes of Unicode.
  if (String(json.pattern).includes('\\p{')) delete json.pattern;
  if (json.type === 'integer') {
    delete json.pattern;
    if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
    if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  }
  if (json.propertyNames && isSame(json.propertyNames as JsonSchema, { type: 'string' })) delete json.propertyNames;
}
