import { assertionsIn, draftOfAssertions } from './assertion-rows.ts';
import { escaped, unescaped } from './escapes.ts';
import { keptRows, type Row, rowsIn } from './rows.ts';

/** The part of JSON Schema that forms are made from. What is beyond it is typed as JSON. */
export type MemberSchema = {
  type?: string;
  title?: string;
  description?: string;
  default?: unknown;
  enum?: readonly unknown[];
  /** What values of `enum` are called, where people know them by another name. */
  titles?: Readonly<Record<string, string>>;
  const?: unknown;
  format?: string;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  /** Not shown again once it was sent. */
  writeOnly?: boolean;
  properties?: Readonly<Record<string, MemberSchema>>;
  required?: readonly string[];
  items?: MemberSchema;
  additionalProperties?: boolean | MemberSchema;
  /** What may be null too has two: itself, and `{ type: 'null' }`. */
  anyOf?: readonly MemberSchema[];
};

/**
 * How a member is typed. `set`: some of a few, a line each. `entities`: ids of entities, a line each. `map`: a line
 * `name: value` each. `list`: a line each. `instant`: an ISO 8601 time. `escaped`: text on one line, its line ends as
 * escapes. `zone`: a name of the IANA database. `rows`: objects, whose members are the columns. `assertions`:
 * assertion-rows.ts. `json`: whatever it is.
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

/** A field of a form. */
export type FieldSpec = {
  /** As the API names it in `details[].path`: `config.headers`. */
  path: string;
  label: string;
  kind: FieldKind;
  required: boolean;
  secret: boolean;
  hint: string;
  /** What holds when nothing is given, as it is typed. */
  fallback: string | undefined;
  options: readonly string[];
  /** What options are called, where people know them by another name. */
  titles: Readonly<Record<string, string>>;
  /** Whether the items of a list are texts, whatever they look like. */
  texts: boolean;
  /** Of `rows`: the members of a row; their paths are within it. */
  columns: readonly FieldSpec[];
};

/** From so many characters on a text has several lines. */
const LONG = 4096;

/** The fields of an object: the required ones first. Objects in it are entered, one level deep. @param skip paths */
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

/** What may be null is typed as what it is else; empty then means null. */
function withoutNull({ anyOf, default: fallback, ...member }: MemberSchema): MemberSchema {
  const given = fallback === undefined || fallback === null ? {} : { default: fallback };
  const one = anyOf?.filter(({ type }) => type !== 'null') ?? [];
  return one.length === 1 ? { ...one[0], ...member, ...given } : { ...member, ...(anyOf && { anyOf }), ...given };
}

function specOf(path: string, name: string, member: MemberSchema, required: boolean): FieldSpec {
  const kind = kindOf(member, name);
  const texts = member.items?.type === 'string';
  const columns = kind === 'rows' ? members(member.items!, '', false) : [];
  const fallback = member.default ?? (member.const === true ? false : undefined);
  return {
    path,
    label: member.title ?? labelOf(name),
    kind,
    required: required && member.default === undefined,
    secret: member.writeOnly === true,
    hint: member.description ?? '',
    fallback: fallback === undefined ? undefined : textOf({ kind, texts, columns }, fallback),
    options: (member.enum ?? member.items?.enum ?? member.items?.properties?.source?.enum ?? []).map(String),
    titles: member.titles ?? member.items?.titles ?? {},
    texts,
    columns,
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

/** `target_url`: `Target URL`. Names of people's own (`On call`) stay as they are. */
export function labelOf(name: string): string {
  const words = name.split('_').map((word) => (CAPITALS.has(word) ? word.toUpperCase() : word));
  const text = words.join(' ').replace(/ ms$/, ' in ms');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

type Typed = Pick<FieldSpec, 'kind' | 'texts' | 'columns'>;

/** A value as it is typed. */
export function textOf({ kind, texts, columns }: Typed, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (kind === 'rows') return keptRows(rowsOf(columns, value));
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
  // What is blank, or has several lines, is written in quotes.
  const isLine = typeof item === 'string' && item.trim() !== '' && !/[\r\n]/.test(item);
  if (isLine && (texts || scalarOf(item) === item)) return item;
  return JSON.stringify(item);
};

/** A line of a list: a number, `true`, `false` or a text in quotes is read as such; else it is the text itself. */
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

/**
 * What was typed as a value. What does not read as its kind is left as it was typed: the API then says what it must be.
 */
export function readText({ kind, texts, columns }: Typed, text: string): unknown {
  if (kind === 'rows') return valuesOf(columns, rowsIn(text));
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

/** A list as it is typed. What is no list of objects is a list of empty rows. */
const rowsOf = (columns: readonly FieldSpec[], value: unknown): Row[] =>
  (Array.isArray(value) ? value : []).map((item) =>
    Object.fromEntries(
      columns.map((column) => {
        const member: unknown = item?.[column.path];
        return [column.path, member === undefined ? (column.fallback ?? '') : textOf(column, member)];
      }),
    ),
  );

/** What was typed as a list. What is empty, or as it is by itself, is left out. */
const valuesOf = (columns: readonly FieldSpec[], rows: readonly Row[]): object[] =>
  rows.map((row) =>
    Object.fromEntries(
      columns.flatMap((column) => {
        const text = row[column.path] ?? '';
        return text === '' || text === column.fallback ? [] : [[column.path, readText(column, text)]];
      }),
    ),
  );

/** `name: value`; a line without a colon is a name without a value. */
function pairOf(line: string): [string, string] {
  const at = line.indexOf(':');
  return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}
