import type { ErrorDetail } from '#lib/platform/errors.ts';
import { type FieldSpec, readText, textOf } from './form-fields.ts';
import { NO_ROWS } from './rows.ts';

/** Form values by path. A stored secret is omitted. A map keeps its masks, which tell the API to keep stored values. */
export type Draft = Readonly<Record<string, string>>;

/** Returns the initial form values. @param record to edit; undefined: a new one */
export const draftOf = (specs: readonly FieldSpec[], record: object | undefined): Draft =>
  Object.fromEntries(
    specs.map((spec) => {
      const stored = visibleValue(spec, record);
      if (spec.kind === 'switch') return [spec.path, String(isPresent(record, spec.path))];
      if (stored !== undefined) return [spec.path, textOf(spec, stored)];
      const isNew = !record || (spec.within !== undefined && !isPresent(record, spec.within));
      return [spec.path, isNew ? (spec.initial ?? spec.fallback ?? '') : ''];
    }),
  );

const isPresent = (record: object | undefined, path: string): boolean => (at(record, path) ?? null) !== null;

/** Whether a field shows something other than its default. A stored secret counts. */
export function isSet(spec: FieldSpec, draft: Draft, record: object | undefined): boolean {
  const text = draft[spec.path] ?? '';
  if (text === '' || text === NO_ROWS) return spec.secret && isPresent(record, spec.path);
  return text !== spec.fallback;
}

/** Sets the values of a record as initial values, for a new record that copies it. */
export const startingFrom = (specs: readonly FieldSpec[], record: object): FieldSpec[] =>
  specs.map((spec) => {
    const value = at(record, spec.path);
    return value === undefined || value === null ? spec : { ...spec, initial: textOf(spec, value) };
  });

/** Form text of a stored secret that is removed on saving. */
export const CLEARED = '\0';

/** Whether a record has a value at a path. */
export function isStored(record: object, path: string): boolean {
  const value = at(record, path);
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return value !== undefined && value !== null && value !== '' && !isEmpty;
}

const MASK = '********';
const isMasked = (value: unknown): boolean => value === MASK;

function visibleValue({ secret, path }: FieldSpec, record: object | undefined): unknown {
  const stored = at(record, path);
  const isMaskedMap = typeof stored === 'object' && stored !== null && Object.values(stored).every(isMasked);
  return secret && !isMaskedMap ? undefined : stored;
}

/** Splits `config.url` at the first dot; the inner name can contain dots. */
function split(path: string): [string, string | undefined] {
  const dot = path.indexOf('.');
  return dot < 0 ? [path, undefined] : [path.slice(0, dot), path.slice(dot + 1)];
}

const member = (record: unknown, name: string): unknown =>
  typeof record === 'object' && record !== null && Object.hasOwn(record, name)
    ? (record as Record<string, unknown>)[name]
    : undefined;

function at(record: object | undefined, path: string): unknown {
  const [name, inner] = split(path);
  return inner === undefined ? member(record, name) : member(member(record, name), inner);
}

/**
 * Builds the request body. Empty fields are omitted, or null if the record had a value. Empty secrets are unchanged,
 * cleared ones are removed. Empty top-level maps and lists are sent as such, because null means unchanged there.
 */
export function bodyOf(specs: readonly FieldSpec[], draft: Draft, record?: object): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const spec of specs) {
    const text = draft[spec.path] ?? '';
    const stored = visibleValue(spec, record);
    if (spec.within !== undefined && draft[spec.within] !== 'true') continue;
    const none = isMany(spec) ? readText(spec, '') : null;
    if (spec.kind === 'switch') put(body, spec.path, text === 'true' ? {} : null);
    else if (text === CLEARED) put(body, spec.path, none);
    else if (text !== '' || spec.fallback === '') put(body, spec.path, readText(spec, text));
    else if (stored !== undefined && stored !== null) put(body, spec.path, none);
  }
  return body;
}

const isMany = ({ kind, path }: FieldSpec): boolean =>
  (kind === 'list' || kind === 'set' || kind === 'checks' || kind === 'entities') && !path.includes('.');

function put(body: Record<string, unknown>, path: string, value: unknown): void {
  const [name, inner] = split(path);
  if (inner === undefined) body[name] = value;
  else body[name] = { ...(body[name] as object | undefined), [inner]: value };
}

/** Returns the path of the row field that shows an error: `steps.0.names` for `steps.0.names.2`. */
function fieldOfRow({ path, columns = [] }: Partial<FieldSpec>, about: string): string | undefined {
  const [, row, within] = /^(\d+)\.(.+)$/.exec(about.slice(path!.length + 1)) ?? [];
  const column = columns.find((one) => within === one.path || within?.startsWith(`${one.path}.`));
  return column && `${path}.${row}.${column.path}`;
}

/** Assigns API errors to fields; the others appear above the form. */
export function sortErrors(
  specs: readonly (Pick<FieldSpec, 'path'> & Partial<Pick<FieldSpec, 'columns'>>)[],
  failure: { message: string; details: readonly ErrorDetail[] },
): { byPath: Readonly<Record<string, string>>; otherErrors: string[] } {
  const byPath: Record<string, string> = {};
  const otherErrors: string[] = [];
  for (const { path, message } of failure.details) {
    const spec = specs.find((one) => path === one.path) ?? specs.find((one) => path.startsWith(`${one.path}.`));
    if (!spec) {
      otherErrors.push(`${path}: ${message}`);
      continue;
    }
    const at = fieldOfRow(spec, path) ?? spec.path;
    const text = path === at ? message : `${path.slice(at.length + 1)} ${message}`;
    byPath[at] = byPath[at] ? `${byPath[at]}; ${text}` : text;
  }
  return { byPath, otherErrors: failure.details.length === 0 ? [failure.message] : otherErrors };
}
