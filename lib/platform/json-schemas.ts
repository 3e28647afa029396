import * as z from 'zod';

export type JsonSchema = { [key: string]: unknown };

/** `input`: what a request may hold. `output`: what an answer holds. */
export type Direction = 'input' | 'output';

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
      override: ({ zodSchema, jsonSchema }) => simplify(zodSchema._zod.def, jsonSchema, io, strict),
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
      const isLocal = key === '$ref' && typeof member === 'string' && member.startsWith(DEFS);
      if (!isLocal) return [key, rename(member, names)];
      const id = member.slice(DEFS.length);
      return [key, COMPONENTS + (names.get(id) ?? id)];
    }),
  );
}

const isSame = (a: JsonSchema, b: JsonSchema): boolean => canonical(a) === canonical(b);

/** Text that is the same for the same schema, wherever its references point. */
const canonical = (schema: JsonSchema): string =>
  JSON.stringify(schema, (key, value) => (key === '$ref' ? String(value).replace(DEFS, COMPONENTS) : value));

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
