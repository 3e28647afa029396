import { assertionsIn, draftOfAssertions } from './assertion-rows.ts';
import { escaped, unescaped } from './escapes.ts';
import { type Row, rowsIn, textOfRows } from './rows.ts';

/** The part of JSON Schema that forms support. Other properties are edited as JSON. */
export type FormSchema = {
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
  /** Title of the folded group that contains the field; absent: always visible. */
  'x-group'?: string;
  properties?: Readonly<Record<string, FormSchema>>;
  required?: readonly string[];
  items?: FormSchema;
  additionalProperties?: boolean | FormSchema;
  /** A nullable property has two schemas: its own and `{ type: 'null' }`. */
  anyOf?: readonly FormSchema[];
};

/**
 * Kind of input. `duration`: number of units, see `unit`. `set`, `list`, `checks`, `entities`: one item or id per line.
 * `check`, `entity`: id. `switch`: whether an optional object is present. `map`: rows of name and value. `long`: text
 * of several lines. `instant`: ISO 8601 time. `escaped`: one line with escaped line ends. `zone`: IANA time zone.
 * `rows`: objects with columns. `assertions`: see assertion-rows.ts. `json`: any other value.
 */
export type FieldKind =
  | 'text'
  | 'long'
  | 'url'
  | 'number'
  | 'duration'
  | 'boolean'
  | 'choice'
  | 'set'
  | 'check'
  | 'checks'
  | 'entity'
  | 'entities'
  | 'switch'
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
  /** Value of a new record if it differs from the default. */
  initial?: string;
  /** Title of the folded group; undefined: always visible. */
  group: string | undefined;
  /** Path of the switch for the optional object that contains the field. */
  within?: string;
  options: readonly string[];
  titles: Readonly<Record<string, string>>;
  /** Whether list items are strings, so that they are not parsed as JSON. */
  texts: boolean;
  /** Milliseconds per unit of a `duration`. */
  unit: number;
  minimum: number | undefined;
  maximum: number | undefined;
  /** Fields of a row, for `rows` and `map`; paths are relative. */
  columns: readonly FieldSpec[];
  /** Whether a row has exactly one property. */
  single: boolean;
};

const MULTILINE_FROM_MAX_LENGTH = 4000;

/** Returns the fields of an object, required first, full-width last. Nested objects are flattened one level. */
export function fieldsOf(schema: FormSchema, skip: readonly string[] = []): FieldSpec[] {
  const specs = members(schema, '', true).filter(({ path }) => !skip.includes(path));
  const place = ({ required, kind }: FieldSpec) => (required ? 0 : WIDE.has(kind) ? 2 : 1);
  return specs.sort((a, b) => place(a) - place(b));
}

const WIDE: ReadonlySet<FieldKind> = new Set(['rows', 'map', 'assertions']);

type FieldGroup = { title: string; specs: readonly FieldSpec[] };

/** Splits fields into visible ones and folded groups, in their order. */
export function groupsOf(specs: readonly FieldSpec[]): { visible: FieldSpec[]; groups: FieldGroup[] } {
  const titles = [...new Set(specs.map(({ group }) => group))].filter((title) => title !== undefined);
  return {
    visible: specs.filter(({ group }) => group === undefined),
    groups: titles.map((title) => ({ title, specs: specs.filter(({ group }) => group === title) })),
  };
}

function members({ properties = {}, required = [] }: FormSchema, prefix: string, flatten: boolean): FieldSpec[] {
  return Object.entries(properties).flatMap(([name, member]) => {
    const path = prefix + name;
    if (member.const !== undefined && member.const !== true) return [];
    const whole = withoutNull(member);
    if (!flatten || whole.type !== 'object' || !whole.properties)
      return [specOf(path, name, whole, required.includes(name))];
    const inner = members(whole, `${path}.`, false).map((spec) => ({ ...spec, group: spec.group ?? whole['x-group'] }));
    if (!member.anyOf) return inner;
    const present = { ...whole, type: 'boolean', default: false };
    return [
      { ...specOf(path, name, present, false), kind: 'switch' },
      ...inner.map((spec) => ({ ...spec, within: path })),
    ];
  });
}

/** Returns the schema of a nullable property without null; an empty field means null. */
function withoutNull({ anyOf, default: fallback, ...member }: FormSchema): FormSchema {
  const given = fallback === undefined || fallback === null ? {} : { default: fallback };
  const one = anyOf?.filter(({ type }) => type !== 'null') ?? [];
  return one.length === 1 ? { ...one[0], ...member, ...given } : { ...member, ...(anyOf && { anyOf }), ...given };
}

function specOf(path: string, name: string, member: FormSchema, required: boolean): FieldSpec {
  const kind = kindOf(member, name);
  const texts = member.items?.type === 'string';
  const columns = kind === 'rows' ? members(member.items!, '', false) : kind === 'map' ? MAP_COLUMNS : [];
  const single = member.items?.maxProperties === 1;
  const fallback = member.default ?? (member.const === true ? false : undefined);
  return {
    path,
    label: member.title ?? labelOf(name.replace(DURATION_SUFFIX, '')),
    kind,
    required: required && member.default === undefined,
    secret: member.writeOnly === true,
    hint: member.description ?? '',
    group: required && member.default === undefined ? undefined : member['x-group'],
    fallback: fallback === undefined ? undefined : textOf({ kind, texts, columns, single }, fallback),
    options: (member.enum ?? member.items?.enum ?? member.items?.properties?.source?.enum ?? []).map(String),
    titles: member.titles ?? member.items?.titles ?? {},
    texts,
    unit: name.endsWith('_ms') ? 1 : 1000,
    minimum: member.minimum,
    maximum: member.maximum,
    columns,
    single,
  };
}

const DURATION_SUFFIX = /_(seconds|ms)$/;

function kindOf(
  { type, enum: choices, format, maxLength = 0, items, additionalProperties }: FormSchema,
  name: string,
): FieldKind {
  if (choices) return 'choice';
  if (type === 'integer' || type === 'number') return DURATION_SUFFIX.test(name) ? 'duration' : 'number';
  if (type === 'boolean') return 'boolean';
  if (type === 'array' && name === 'assertions') return 'assertions';
  if (type === 'array' && (format === 'checks' || format === 'entities')) return format;
  if (type === 'array') return items?.properties ? 'rows' : items?.enum ? 'set' : 'list';
  if (type === 'object') return isTextMap(additionalProperties) ? 'map' : 'json';
  if (type !== 'string') return 'json';
  if (format === 'entity' || format === 'check') return format;
  if (format === 'date-time') return 'instant';
  if (format === 'bytes') return 'escaped';
  if (/(^|_)time_?zone$/.test(name)) return 'zone';
  if (format === 'uri' || /(^|_)url$/.test(name)) return 'url';
  return maxLength >= MULTILINE_FROM_MAX_LENGTH || /^(body(_template)?|schedule)$/.test(name) ? 'long' : 'text';
}

const isTextMap = (values: FormSchema['additionalProperties']): boolean =>
  typeof values === 'object' && values.type === 'string';

const CAPITALS = new Set(['url', 'tls', 'id', 'dns', 'ip', 'http', 'api', 'sni', 'ca', 'json']);

/** Returns the label of a property of the API: `target_url`: `Target URL`. */
export function labelOf(name: string): string {
  const words = name.split('_').map((word) => (CAPITALS.has(word) ? word.toUpperCase() : word));
  const text = words.join(' ').replace(/ ms$/, ' in ms');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const MAP_COLUMNS = members({ properties: { name: { type: 'string' }, value: { type: 'string' } } }, '', false);

type Typed = Pick<FieldSpec, 'kind' | 'texts' | 'columns' | 'single'>;

export function textOf({ kind, texts, columns, single }: Typed, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (kind === 'rows') return textOfRows(rowsOf(columns, value, single));
  if (kind === 'escaped') return escaped(String(value));
  if (kind === 'assertions' && Array.isArray(value)) return draftOfAssertions(value);
  if (kind === 'map') return textOfRows(Object.entries(value).map(([name, text]) => ({ name, value: String(text) })));
  if (LINES.has(kind) && Array.isArray(value)) return value.map((item) => lineOf(item, texts)).join('\n');
  return typeof value === 'object' || kind === 'json' ? JSON.stringify(value, null, 2) : String(value);
}

const lineOf = (item: unknown, texts: boolean): string => {
  const isLine = typeof item === 'string' && item.trim() !== '' && !/[\r\n]/.test(item);
  if (isLine && (texts || scalarOf(item) === item)) return item;
  return JSON.stringify(item);
};

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
  if (kind === 'number' || kind === 'duration')
    return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  if (kind === 'boolean') return text === 'true';
  if (kind === 'json') return jsonOf(text) ?? text;
  if (kind === 'assertions') return assertionsIn(text);
  if (kind === 'map') return mapOf(rowsIn(text));
  if (!LINES.has(kind)) return text;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return texts ? lines : lines.map(scalarOf);
}

const LINES: ReadonlySet<FieldKind> = new Set(['list', 'set', 'checks', 'entities']);

const mapOf = (rows: readonly Row[]): Record<string, string> =>
  Object.fromEntries(
    rows
      .map(({ name = '', value = '' }) => [name.trim(), value.trim()] as const)
      .filter(([name, value]) => name !== '' || value !== ''),
  );

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

/** Converts rows to objects without empty and default values, except required sets and the only property of a row. */
const valuesOf = (columns: readonly FieldSpec[], rows: readonly Row[], single: boolean): object[] =>
  rows.map((row) =>
    Object.fromEntries(
      columns.flatMap((column) => {
        const text = row[column.path] ?? '';
        if (single) return row[column.path] === undefined ? [] : [[column.path, readText(column, text)]];
        const isOmitted = text === '' && !(column.kind === 'set' && column.required);
        return isOmitted || text === column.fallback ? [] : [[column.path, readText(column, text)]];
      }),
    ),
  );
