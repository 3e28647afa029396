import * as z from 'zod';
import { namesOf } from '#lib/platform/plain-data.ts';
import { type JsonPath, parsePath } from './json-path.ts';
import { holds, OPERATORS, type Operator, type Scalar, type Subject, takesExpression, takesList } from './operators.ts';
import { operatorsFor, type SourceName, sourceOf } from './sources.ts';

const FIRST = 100;
const LAST = 599;

type StatusRange = { first: number; last: number };

/** Parses a status, a class (`"2xx"`) or a range (`"200-299"`) of statuses; undefined if it is not valid. */
function statusesOf(value: unknown): StatusRange | undefined {
  if (typeof value === 'number') return isStatus(value) ? { first: value, last: value } : undefined;
  const [, level, from, to] = /^(?:([1-5])xx|([1-5]\d\d)-([1-5]\d\d))$/i.exec(String(value)) ?? [];
  if (level) return { first: Number(level) * 100, last: Number(level) * 100 + 99 };
  return from && to && from <= to ? { first: Number(from), last: Number(to) } : undefined;
}

const isStatus = (value: number): boolean => Number.isInteger(value) && value >= FIRST && value <= LAST;

export const statusSubject = (status: number): Subject => ({
  exists: true,
  number: status,
  equals(expected: Scalar) {
    const range = statusesOf(expected);
    return range !== undefined && status >= range.first && status <= range.last;
  },
});

/** Whether an assertion replaces expected_status: it is on the status, with severity fail. */
export const decidesStatus = ({ source, severity }: Assertion): boolean =>
  source === 'status_code' && severity === 'fail';

/** All statuses, 2xx first, because one of them usually ends the search. */
const STATUSES = Array.from({ length: LAST - FIRST + 1 }, (_, i) => FIRST + ((i + 100) % 500));

/** Whether the assertions accept at least one status, and only statuses of the given kind. Pure. */
export function acceptsOnly(assertions: readonly Assertion[], isOfKind: (status: number) => boolean): boolean {
  let accepted = 0;
  for (const status of STATUSES) {
    const subject = statusSubject(status);
    if (!assertions.every(({ operator, value }) => holds(operator, value, subject, false))) continue;
    if (!isOfKind(status)) return false;
    accepted++;
  }
  return accepted > 0;
}

/** A condition on a response. `value` is valid for source and operator (`invalidProperties`). */
export type Assertion = {
  source: SourceName;
  property?: string | undefined;
  operator: Operator;
  value?: Scalar | Scalar[] | undefined;
  severity: 'fail' | 'warn';
};

/** Limits of the assertions of a check (docs/use/assertions.md). */
const MAX_ASSERTIONS = 20;
const MAX_VALUES = 50;
const MAX_CHARACTERS = 4096;
/** Maximum length of an RE2 expression; re2.ts limits its compiled size. */
const MAX_EXPRESSION = 256;
const MAX_PROPERTY = 500;

const RCODES = ['NOERROR', 'NXDOMAIN', 'SERVFAIL', 'REFUSED'] as const;
export type Rcode = (typeof RCODES)[number];

/** JSON Schema of an assertion's `value`; source and operator restrict it further. */
export const VALUE = [
  { type: 'string', maxLength: MAX_CHARACTERS },
  { type: 'number' },
  { type: 'boolean' },
  { type: 'null' },
  { type: 'array', minItems: 1, maxItems: MAX_VALUES, items: {} },
] as const;

/** Returns the schema of the `assertions` of a check type. @param type name of the type, for errors */
export function assertionList(type: string, sources: readonly SourceName[]) {
  const operators = namesOf(OPERATORS).filter((name) => sources.some((source) => operatorsFor(source).includes(name)));
  const has = `${/^[aeh]/.test(type) ? 'an' : 'a'} ${type} check has ${joinNames(sources)}`;
  const assertion = z
    .strictObject({
      source: z
        .enum(sources, { error: ({ input }) => (input === undefined ? `is required: ${has}` : `is not known: ${has}`) })
        .describe('Part of the response to compare.'),
      property: z
        .string()
        .max(MAX_PROPERTY)
        .describe(
          'json: path to a single value, such as $.items[0].id. header: name of the header. Not allowed for other sources.',
        )
        .optional(),
      operator: z.enum(operators).describe('Comparison. Allowed operators depend on the source.'),
      value: z
        .unknown()
        .meta({ anyOf: VALUE })
        .describe(
          'Expected value. List for one_of and not_one_of; none for exists and not_exists. Text up to 4,096 characters, expressions up to 256.',
        )
        .optional(),
      severity: z
        .enum(['fail', 'warn'])
        .describe('Effect if the condition is not met. fail: the result is a failure. warn: the result has a warning.')
        .default('fail'),
    })
    .superRefine((value, context) => {
      for (const { path, message } of invalidProperties(value as Assertion)) {
        context.addIssue({ code: 'custom', path, message });
      }
    });
  return z.array(assertion as unknown as z.ZodType<Assertion>).max(MAX_ASSERTIONS);
}

const joinNames = (names: readonly string[]): string => {
  const last = names.at(-1);
  return names.length < 2 ? `${last}` : `${names.slice(0, -1).join(', ')} and ${last}`;
};

type InvalidProperty = { path: (string | number)[]; message: string };

function invalidProperties(assertion: Assertion): InvalidProperty[] {
  const { source, property, operator, value } = assertion;
  const invalidOnes: InvalidProperty[] = [];
  const propertyMessage = propertyError(source, property);
  if (propertyMessage) invalidOnes.push({ path: ['property'], message: propertyMessage });
  const supported = operatorsFor(source);
  if (!supported.includes(operator)) {
    return [
      ...invalidOnes,
      { path: ['operator'], message: `is not supported for ${source}; use ${joinNames(supported)}` },
    ];
  }
  return [...invalidOnes, ...valueErrors(source, operator, value)];
}

function propertyError(source: SourceName, property: string | undefined): string | undefined {
  const { property: kind } = sourceOf(source);
  if (kind === undefined) return property === undefined ? undefined : `is not accepted for ${source}; omit it`;
  const expected = kind === 'path' ? 'a path to one value, such as $.items[0].id' : 'the name of a header';
  if (property === undefined) return `is required: ${expected}`;
  const isValid = kind === 'path' ? parsePath(property) !== undefined : /^[!#$%&'*+.^_`|~\w-]+$/.test(property);
  return isValid ? undefined : `must be ${expected}`;
}

function valueErrors(source: SourceName, operator: Operator, value: unknown): InvalidProperty[] {
  if (OPERATORS[operator].group === 'presence') {
    return value === undefined ? [] : [{ path: ['value'], message: `is not accepted for ${operator}; omit it` }];
  }
  if (value === undefined) return [{ path: ['value'], message: 'is required' }];
  if (!takesList(operator)) {
    const message = scalarError(source, operator, value);
    return message ? [{ path: ['value'], message }] : [];
  }
  if (!Array.isArray(value) || value.length < 1 || value.length > MAX_VALUES) {
    return [{ path: ['value'], message: `must be a list of 1 to ${MAX_VALUES} values` }];
  }
  return value.flatMap((item, i) => {
    const message = scalarError(source, operator, item);
    return message ? [{ path: ['value', i], message }] : [];
  });
}

const STATUS = 'must be a status (100 to 599)';

function scalarError(source: SourceName, operator: Operator, value: unknown): string | undefined {
  const { values } = sourceOf(source);
  const { group } = OPERATORS[operator];
  if (group === 'text') return textError(operator, value);
  if (values === 'integer') return Number.isSafeInteger(value) ? undefined : 'must be a whole number';
  if (values === 'status' && takesList(operator)) {
    return statusesOf(value) ? undefined : `${STATUS}, a class such as "2xx" or a range such as "200-299"`;
  }
  if (values === 'status') {
    const hint = typeof value === 'string' ? '; for a class such as "2xx" or a range use one_of' : '';
    return typeof value === 'number' && statusesOf(value) ? undefined : `${STATUS}, as a number${hint}`;
  }
  if (group === 'order') return isRealNumber(value) ? undefined : 'must be a number';
  if (values === 'code') {
    return RCODES.some((rcode) => rcode === value) ? undefined : `must be one of ${RCODES.join(', ')}`;
  }
  if (values !== 'json') return textError(operator, value);
  if (typeof value === 'string') return textError(operator, value);
  const isValid = value === null || typeof value === 'boolean' || isRealNumber(value);
  return isValid ? undefined : 'must be text, a number, true, false or null';
}

const isRealNumber = (value: unknown): value is number => Number.isFinite(value);

function textError(operator: Operator, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be text';
  if (takesExpression(operator)) {
    const isValid = value !== '' && value.length <= MAX_EXPRESSION;
    return isValid ? undefined : `must be an RE2 expression of 1 to ${MAX_EXPRESSION} characters`;
  }
  if (value === '' && OPERATORS[operator].group === 'text') return 'must not be empty, because every text contains it';
  return value.length <= MAX_CHARACTERS ? undefined : `must have at most ${MAX_CHARACTERS} characters`;
}

/** Parses the `property` of a valid assertion as a path. */
export function pathOf(property: string): JsonPath {
  const path = parsePath(property);
  if (!path) throw new Error(`${property} is not a path to a single value.`);
  return path;
}
