import * as z from 'zod';

export type JsonSchema = { [key: string]: unknown };

/** `input`: schema of a request. `output`: schema of a response. */
type Direction = 'input' | 'output';

/**
 * Creates a converter of zod schemas to JSON Schema 2020-12, which collects named schemas as components. With `strict`,
 * response schemas reject undocumented properties.
 */
export function schemaBook({ strict = false }: { strict?: boolean } = {}) {
  const components = new Map<string, JsonSchema>();

  /** Adds a component. If its id is in use, a request schema gets the suffix `Input`; a response schema throws. */
  function addComponent(id: string, schema: JsonSchema, io: Direction): string {
    const known = components.get(id);
    if (!known || isSame(known, schema)) {
      components.set(id, schema);
      return id;
    }
    if (io === 'input') return addComponent(`${id}Input`, schema, 'output');
    throw new Error(`Two schemas have the id ${id}. Give one of them another id.`);
  }

  function toJson(schema: z.ZodType, io: Direction): JsonSchema {
    // Inside an array, a named schema becomes a reference.
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

const canonical = (schema: JsonSchema): string =>
  JSON.stringify(schema, (_key, value) => (typeof value === 'string' ? value.replace(DEFS, COMPONENTS) : value));

/** Adds the description of a nullable schema and the discriminator of a union. */
function explain(schema: z.core.$ZodType, json: JsonSchema): void {
  const def = schema._zod.def;
  if (def.type === 'nullable') json.description ??= (json.anyOf as JsonSchema[] | undefined)?.[0]?.description;
  if (json.description === undefined) delete json.description;
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return;
  const propertyName = schema.def.discriminator;
  // The mapping names each alternative by its id, so an alternative of a request or response must have one.
  const mapping = schema.options.flatMap((option) => {
    const id = z.globalRegistry.get(option as z.ZodType)?.id;
    return [...(option._zod.propValues?.[propertyName] ?? [])].map((value) => [value, DEFS + id]);
  });
  json.discriminator = { propertyName, mapping: Object.fromEntries(mapping) };
}

/** Removes parts without information for a reader, and sets `additionalProperties`. */
function simplify(def: z.core.$ZodTypeDef, json: JsonSchema, io: Direction, strict: boolean): void {
  if (def.type === 'object' && !(def as z.core.$ZodObjectDef).catchall) {
    // Requests reject unknown properties anyway. Next to $ref, this would reject properties of the referenced schema.
    if (io === 'input' && json.$ref === undefined) json.additionalProperties = false;
    else if (!strict) delete json.additionalProperties;
  }
  if (json.format === 'date-time') delete json.pattern;
  // Many tools do not support Unicode classes.
  if (String(json.pattern).includes('\\p{')) delete json.pattern;
  if (json.type === 'integer') {
    delete json.pattern;
    if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
    if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  }
  if (json.propertyNames && isSame(json.propertyNames as JsonSchema, { type: 'string' })) delete json.propertyNames;
}
