import { OPERATORS, type Operator, takesList } from '#lib/checks/assertions/operators.ts';
import { operatorsFor, type SourceName, sourceOf } from '#lib/checks/assertions/sources.ts';

/** An assertion as form values, all text. */
export type AssertionRow = { source: string; property: string; operator: string; value: string; severity: string };

type Assertion = { source: string; property?: string; operator: string; value?: unknown; severity?: string };

export const operatorsOf = (source: string): readonly string[] => operatorsFor(source as SourceName);

/** Returns the kind of property that a source needs; undefined if none. */
export const propertyOf = (source: string): 'path' | 'header' | undefined => sourceOf(source as SourceName).property;

/** Returns the kind of value that an operator takes; `none`: no value. */
export function valueKind({ operator }: Pick<AssertionRow, 'operator'>): 'none' | 'one' | 'list' {
  if (OPERATORS[operator as Operator].group === 'presence') return 'none';
  return takesList(operator as Operator) ? 'list' : 'one';
}

export const newRow = (source: string): AssertionRow => ({
  source,
  property: '',
  operator: operatorsOf(source)[0]!,
  value: '',
  severity: 'fail',
});

/** Changes the source of a row, and resets an operator or property that the source does not have. */
export function withSource(row: AssertionRow, source: string): AssertionRow {
  const fits = operatorsOf(source).includes(row.operator);
  const { operator } = fits ? row : newRow(source);
  return { ...row, source, operator, property: propertyOf(source) === propertyOf(row.source) ? row.property : '' };
}

export const rowsIn = (draft: string): AssertionRow[] => (draft === '' ? [] : JSON.parse(draft));

/** Serializes rows as a draft; empty without rows. */
export const draftOfRows = (rows: readonly AssertionRow[]): string => (rows.length === 0 ? '' : JSON.stringify(rows));

export const draftOfAssertions = (assertions: readonly Assertion[]): string =>
  draftOfRows(
    assertions.map(({ source, property = '', operator, value, severity = 'fail' }) => {
      const row = { source, property, operator, severity };
      return { ...row, value: value === undefined ? '' : valueText(row, value) };
    }),
  );

/** Converts a draft to assertions. Invalid values are sent unchanged, so that the API reports them. */
export const assertionsIn = (draft: string): Assertion[] =>
  rowsIn(draft).map((row) => ({
    source: row.source,
    ...(propertyOf(row.source) && row.property !== '' && { property: row.property }),
    operator: row.operator,
    ...(valueKind(row) !== 'none' && row.value !== '' && { value: readValue(row) }),
    severity: row.severity,
  }));

type AssertionTarget = Pick<AssertionRow, 'source' | 'operator'>;

/** Whether the value can be of any type, so that a text that looks like another type is quoted. */
const acceptsAnyType = ({ source, operator }: AssertionTarget): boolean =>
  sourceOf(source as SourceName).values === 'json' && OPERATORS[operator as Operator].group === 'equality';

const isNumeric = ({ source, operator }: AssertionTarget): boolean => {
  const { values } = sourceOf(source as SourceName);
  return values === 'integer' || values === 'status' || OPERATORS[operator as Operator].group === 'order';
};

function valueText(target: AssertionTarget, value: unknown): string {
  const one = (item: unknown): string => {
    if (typeof item !== 'string') return JSON.stringify(item);
    return acceptsAnyType(target) && scalarIn(item) !== item ? JSON.stringify(item) : item;
  };
  if (!Array.isArray(value)) return one(value);
  const isPlain = value.every((item) => typeof item !== 'string' || /^[^\s,"[\]][^,]*$/.test(item));
  return isPlain && value.every((item) => one(item).trim() === one(item))
    ? value.map(one).join(', ')
    : JSON.stringify(value);
}

function readValue(row: AssertionRow): unknown {
  const one = (text: string): unknown => {
    if (isNumeric(row)) return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
    return acceptsAnyType(row) ? scalarIn(text) : text;
  };
  if (valueKind(row) !== 'list') return one(row.value);
  const written = jsonIn(row.value);
  if (Array.isArray(written)) return written;
  return row.value
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map(one);
}

function scalarIn(text: string): unknown {
  const value = jsonIn(text);
  return value === undefined || (typeof value === 'object' && value !== null) ? text : value;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
