import { assertionsIn, draftOfAssertions } from './assertion-rows.ts';
import { escaped, unescaped } from './escapes.ts';
import { keptRows, type Row, rowsIn } from './rows.ts';

/** The part of JSON Schema that forms support. Other properties are edited as JSON. */
export type MemberSchema = {
  type?: string;
  title?: string;
  description?: string;
  default?: unknown;
  enum?: readonly unknown[];
  titles?: Readonly<Record<string, string>>;
  const?: unknown;
  format?: string;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxProperties?: number;
  writeOnly?: boolean;
  properties?: Readonly<Record<string, MemberSchema>>;
  required?: readonly string[];
  items?: MemberSchema;
  additionalProperties?: boolean | MemberSchema;
  /** A nullable property has two: itself and `{ type: 'null' }`. */
  anyOf?: readonly MemberSchema[];
};

/**
 * Kind of input. `set`: selection, one per line. `entities`: ids, one per line. `map`: `name: value` per line. `list`:
 * one item per line. `instant`: ISO 8601 time. `escaped`: one line with escaped line ends. `zone`: IANA time zone.
 * `rows`: objects with columns. `assertions`: see assertion-rows.ts. `json`: any other value.
 */
export type FieldKind =
  | 'text'
  | 'long'
  | 'url'
  | 'number'
  | 'boolean'
  | 'choice'
  | 'set'
  | 'entities'
  | 'instant'
  | 'zone'
  | 'map'
  | 'list'
  | 'escaped'
  | 'rows'
  | 'assertions'
  | 'json';

export type FieldSpec = {
  /** Path in the API: `config.headers`. */
  path: string;
  label: string;
  kind: FieldKind;
  required: boolean;
  secret: boolean;
  hint: string;
  /** Default, as form text. */
  fallback: string | undefined;
  options: readonly string[];
  titles: Readonly<Record<string, string>>;
  texts: boolean;
  /** Fields of a row, for `rows`; paths are relative. */
  columns: readonly FieldSpec[];
  /** Whether a row has exactly one property. */
  single: boolean;
};

/** Length in characters from which a text field has several lines. */
const LONG = 4096;

/** Returns the fields of an object, required ones first. Nested objects are flattened one level. @param skip paths */
export function fieldsOf(schema: MemberSchema, skip: readonly string[] = []): FieldSpec[] {
  const specs = members(schema, '', true).filter(({ path }) => !skip.includes(path));
  return [...specs.filter(({ required }) => required), ...specs.filter(({ required }) => !required)];
}

function members({ properties = {}, required = [] }: MemberSchema, prefix: string, enter: boolean): FieldSpec[] {
  return Object.entries(properties).flatMap(([name, member]) => {
    const path = prefix + name;
    if (member.const !== undefined && member.const !== true) return [];
    if (enter && member.type === 'object' && member.properties) return members(member, `${path}.`, false);
    return [specOf(path, name, withoutNull(member), required.includes(name))];
  });
}

/** Returns the schema of a nullable property without null; an empty field means null. */
function withoutNull({ anyOf, default: fallback, ...member }: MemberSchema): MemberSchema {
  const given = fallback === undefined || fallback === null ? {} : { default: fallback };
  const one = anyOf?.filter(({ type }) => type !== 'null') ?? [];
  return one.length === 1 ? { ...one[0], ...member, ...given } : { ...member, ...(anyOf && { anyOf }), ...given };
}

function specOf(path: string, name: string, member: MemberSchema, required: boolean): FieldSpec {
  const kind = kindOf(member, name);
  const texts = member.items?.type === 'string';
  const columns = kind === 'rows' ? members(member.items!, '', false) : [];
  const single = member.items?.maxProperties === 1;
  const fallback = member.default ?? (member.const === true ? false : undefined);
  return {
    path,
    label: member.title ?? labelOf(name),
    kind,
    required: required && member.default === undefined,
    secret: member.writeOnly === true,
    hint: member.description ?? '',
    fallback: fallback === undefined ? undefined : textOf({ kind, texts, columns, single }, fallback),
    options: (member.enum ?? member.items?.enum ?? member.items?.properties?.source?.enum ?? []).map(String),
    titles: member.titles ?? member.items?.titles ?? {},
    texts,
    columns,
    single,
  };
}

function kindOf(
  { type, enum: choices, format, maxLength = 0, items, additionalProperties }: MemberSchema,
  name: string,
): FieldKind {
  if (choices) return 'choice';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean') return 'boolean';
  if (type === 'array' && name === 'assertions') return 'assertions';
  if (type === 'array' && format === 'entities') return 'entities';
  if (type === 'array') return items?.properties ? 'rows' : items?.enum ? 'set' : 'list';
  if (type === 'object') return isTextMap(additionalProperties) ? 'map' : 'json';
  if (type !== 'string') return 'json';
  if (format === 'date-time') return 'instant';
  if (format === 'bytes') return 'escaped';
  if (/(^|_)time_?zone$/.test(name)) return 'zone';
  if (format === 'uri' || /(^|_)url$/.test(name)) return 'url';
  return maxLength >= LONG || /^(body(_template)?|schedule)$/.test(name) ? 'long' : 'text';
}

const isTextMap = (values: MemberSchema['additionalProperties']): boolean =>
  typeof values === 'object' && values.type === 'string';

const CAPITALS = new Set(['url', 'tls', 'id', 'dns', 'ip', 'http', 'api', 'sni', 'ca', 'json']);

/** Returns a label: `target_url`: `Target URL`. User-defined names (`On call`) are unchanged. */
export function labelOf(name: string): string {
  const words = name.split('_').map((word) => (CAPITALS.has(word) ? word.toUpperCase() : word));
  const text = words.join(' ').replace(/ ms$/, ' in ms');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

type Typed = Pick<FieldSpec, 'kind' | 'texts' | 'columns' | 'single'>;

/** Converts a value to form text. */
export function textOf({ kind, texts, columns, single }: Typed, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (kind === 'rows') return keptRows(rowsOf(columns, value, single));
  if (kind === 'escaped') return escaped(String(value));
  if (kind === 'assertions' && Array.isArray(value)) return draftOfAssertions(value);
  if (kind === 'map' && typeof value === 'object') {
    return Object.entries(value)
      .map(([name, text]) => `${name}: ${text}`)
      .join('\n');
  }
  if ((kind === 'list' || kind === 'set' || kind === 'entities') && Array.isArray(value))
    return value.map((item) => lineOf(item, texts)).join('\n');
  return typeof value === 'object' || kind === 'json' ? JSON.stringify(value, null, 2) : String(value);
}

const lineOf = (item: unknown, texts: boolean): string => {
  const isLine = typeof item === 'string' && item.trim() !== '' && !/[\r\n]/.test(item);
  if (isLine && (texts || scalarOf(item) === item)) return item;
  return JSON.stringify(item);
};

/** Parses a list item: a number, `true`, `false` or a quoted text; any other text is kept. */
function scalarOf(line: string): unknown {
  const value = jsonOf(line);
  return typeof value === 'object' || value === undefined ? line : value;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Converts form text to a value. Invalid text is kept, so that the API reports it. */
export function readText({ kind, texts, columns, single }: Typed, text: string): unknown {
  if (kind === 'rows') return valuesOf(columns, rowsIn(text), single);
  if (kind === 'escaped') return unescaped(text);
  if (kind === 'number') return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  if (kind === 'boolean') return text === 'true';
  if (kind === 'json') return jsonOf(text) ?? text;
  if (kind === 'assertions') return assertionsIn(text);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (kind === 'list' || kind === 'set' || kind === 'entities') return texts ? lines : lines.map(scalarOf);
  if (kind === 'map') return Object.fromEntries(lines.map(pairOf));
  return text;
}

const rowsOf = (columns: readonly FieldSpec[], value: unknown, single: boolean): Row[] =>
  (Array.isArray(value) ? value : []).map((item) =>
    Object.fromEntries(
      columns.flatMap((column) => {
        const member: unknown = item?.[column.path];
        if (member !== undefined) return [[column.path, textOf(column, member)]];
        return single ? [] : [[column.path, column.fallback ?? '']];
      }),
    ),
  );

/** Converts rows to objects. Empty and default values are omitted, except the only property of a row. */
const valuesOf = (columns: readonly FieldSpec[], rows: readonly Row[], single: boolean): object[] =>
  rows.map((row) =>
    Object.fromEntries(
      columns.flatMap((column) => {
        const text = row[column.path] ?? '';
        if (single) return row[column.path] === undefined ? [] : [[column.path, readText(column, text)]];
        return text === '' || text === column.fallback ? [] : [[column.path, readText(column, text)]];
      }),
    ),
  );

/** Parses `name: value`; without a colon the value is empty. */
function pairOf(line: string): [string, string] {
  const at = line.indexOf(':');
  return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}
