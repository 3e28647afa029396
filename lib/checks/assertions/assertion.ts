import * as z from 'zod';
import { namesOf } from '#lib/platform/plain-data.ts';
import { type JsonPath, parsePath } from './json-path.ts';
import { holds, OPERATORS, type Operator, type Scalar, type Subject, takesExpression, takesList } from './operators.ts';
import { operatorsFor, type SourceName, sourceOf } from './sources.ts';

const FIRST = 100;
const LAST = 599;

/** Statuses from the first to the last one. */
type Range = { first: number; last: number };

/** What a status, a class (`"2xx"`) or a range (`"200-299"`) stands for; undefined when it is none. */
function statusesOf(value: unknown): Range | undefined {
  if (typeof value === 'number') return isStatus(value) ? { first: value, last: value } : undefined;
  const [, level, from, to] = /^(?:([1-5])xx|([1-5]\d\d)-([1-5]\d\d))$/i.exec(String(value)) ?? [];
  if (level) return { first: Number(level) * 100, last: Number(level) * 100 + 99 };
  return from && to && from <= to ? { first: Number(from), last: Number(to) } : undefined;
}

const isStatus = (value: number): boolean => Number.isInteger(value) && value >= FIRST && value <= LAST;

/** A status as operators look at it. */
export const statusSubject = (status: number): Subject => ({
  exists: true,
  number: status,
  equals(wanted: Scalar) {
    const range = statusesOf(wanted);
    return range !== undefined && status >= range.first && status <= range.last;
  },
});

/** Assertions that take the place of expected_status: those on the status that make a check fail. */
export const decidesStatus = ({ source, severity }: Assertion): boolean =>
  source === 'status_code' && severity === 'fail';

/** Those of success first: mostly one of them says it. */
const STATUSES = Array.from({ length: LAST - FIRST + 1 }, (_, i) => FIRST + ((i + 100) % 500));

/** Whether each status that all of these let pass is one of a kind, and there is such a status. Pure. */
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

/** What one answer must be, or should be. `value` fits source and operator (`wrongMembers`). */
export type Assertion = {
  source: SourceName;
  property?: string | undefined;
  operator: Operator;
  value?: Scalar | Scalar[] | undefined;
  severity: 'fail' | 'warn';
};

/** Of a check (docs/use/assertions.md). */
const MAX_ASSERTIONS = 20;
const MAX_VALUES = 50;
const MAX_CHARACTERS = 4096;
/** Of an RE2 expression; what it takes when compiled is bounded in expressions.ts. */
const MAX_EXPRESSION = 256;
const MAX_PROPERTY = 500;

/** Response codes of DNS that can be told apart. */
const RCODES = ['NOERROR', 'NXDOMAIN', 'SERVFAIL', 'REFUSED'] as const;
export type Rcode = (typeof RCODES)[number];

/** An assertion's member `value`, as JSON Schema: what else it must be depends on source and operator. */
export const VALUE = [
  { type: 'string', maxLength: MAX_CHARACTERS },
  { type: 'number' },
  { type: 'boolean' },
  { type: 'null' },
  { type: 'array', minItems: 1, maxItems: MAX_VALUES, items: {} },
] as const;

/**
 * The member `assertions` of a type's config.
 * @param type its name, for what is said of a source that it does not have
 */
export function assertionList(type: string, sources: readonly SourceName[]) {
  const operators = namesOf(OPERATORS).filter((name) => sources.some((source) => operatorsFor(source).includes(name)));
  const has = `${/^[aeh]/.test(type) ? 'an' : 'a'} ${type} check has ${listed(sources)}`;
  const one = z
    .strictObject({
      source: z
        .enum(sources, { error: ({ input }) => (input === undefined ? `is required: ${has}` : `is not known: ${has}`) })
        .describe('What of the answer it is about.'),
      property: z
        .string()
        .max(MAX_PROPERTY)
        .describe('json: a path to one value, such as $.items[0].id. header: its name. No other source has one.')
        .optional(),
      operator: z
        .enum(operators)
        .describe('How the two are compared; which of them a source has depends on its values.'),
      value: z
        .unknown()
        .meta({ anyOf: VALUE })
        .describe(
          'What it is compared with: of the kind that source and operator want; a list for one_of and not_one_of, nothing for exists and not_exists. Texts have at most 4,096 characters, expressions 256.',
        )
        .optional(),
      severity: z
        .enum(['fail', 'warn'])
        .describe('What it means when it does not hold: a failure, or a warning, which makes the check degraded.')
        .default('fail'),
    })
    .superRefine((assertion, context) => {
      for (const { path, message } of wrongMembers(assertion as Assertion)) {
        context.addIssue({ code: 'custom', path, message });
      }
    });
  return z
    .array(one as unknown as z.ZodType<Assertion>)
    .max(MAX_ASSERTIONS)
    .describe('What the answer must be (severity fail) or should be (warn), each judged by itself, in this order.');
}

const listed = (names: readonly string[]): string => {
  const last = names.at(-1);
  return names.length < 2 ? `${last}` : `${names.slice(0, -1).join(', ')} and ${last}`;
};

type Wrong = { path: (string | number)[]; message: string };

/** What of an assertion does not fit its source, each place with what it must be. Pure. */
function wrongMembers(assertion: Assertion): Wrong[] {
  const { source, property, operator, value } = assertion;
  const wrong: Wrong[] = [];
  const propertyMessage = wrongProperty(source, property);
  if (propertyMessage) wrong.push({ path: ['property'], message: propertyMessage });
  const fitting = operatorsFor(source);
  if (!fitting.includes(operator)) {
    return [...wrong, { path: ['operator'], message: `does not fit ${source}, which has ${listed(fitting)}` }];
  }
  return [...wrong, ...wrongValue(source, operator, value)];
}

function wrongProperty(source: SourceName, property: string | undefined): string | undefined {
  const { property: kind } = sourceOf(source);
  if (kind === undefined) return property === undefined ? undefined : `has no part in ${source}; leave it out`;
  const must = kind === 'path' ? 'a path to one value, such as $.items[0].id' : 'the name of a header';
  if (property === undefined) return `is required: ${must}`;
  const fits = kind === 'path' ? parsePath(property) !== undefined : /^[!#$%&'*+.^_`|~\w-]+$/.test(property);
  return fits ? undefined : `must be ${must}`;
}

function wrongValue(source: SourceName, operator: Operator, value: unknown): Wrong[] {
  if (OPERATORS[operator].group === 'presence') {
    return value === undefined ? [] : [{ path: ['value'], message: `has no part in ${operator}; leave it out` }];
  }
  if (value === undefined) return [{ path: ['value'], message: 'is required' }];
  if (!takesList(operator)) {
    const message = wrongScalar(source, operator, value);
    return message ? [{ path: ['value'], message }] : [];
  }
  if (!Array.isArray(value) || value.length < 1 || value.length > MAX_VALUES) {
    return [{ path: ['value'], message: `must be a list of 1 to ${MAX_VALUES} values` }];
  }
  return value.flatMap((item, i) => {
    const message = wrongScalar(source, operator, item);
    return message ? [{ path: ['value', i], message }] : [];
  });
}

const STATUS = 'must be a status (100 to 599)';

/** What one value must be. */
function wrongScalar(source: SourceName, operator: Operator, value: unknown): string | undefined {
  const { values } = sourceOf(source);
  const { group } = OPERATORS[operator];
  if (group === 'text') return wrongText(operator, value);
  if (values === 'integer') return Number.isSafeInteger(value) ? undefined : 'must be a whole number';
  if (values === 'status' && takesList(operator)) {
    return statusesOf(value) ? undefined : `${STATUS}, a class such as "2xx" or a range such as "200-299"`;
  }
  if (values === 'status') {
    const hint = typeof value === 'string' ? '; for a class such as "2xx" or a range write one_of' : '';
    return typeof value === 'number' && statusesOf(value) ? undefined : `${STATUS}, as a number${hint}`;
  }
  if (group === 'order') return isRealNumber(value) ? undefined : 'must be a number';
  if (values === 'code') {
    return RCODES.some((rcode) => rcode === value) ? undefined : `must be one of ${RCODES.join(', ')}`;
  }
  if (values !== 'json') return wrongText(operator, value);
  if (typeof value === 'string') return wrongText(operator, value);
  const fits = value === null || typeof value === 'boolean' || isRealNumber(value);
  return fits ? undefined : 'must be text, a number, true, false or null';
}

const isRealNumber = (value: unknown): value is number => Number.isFinite(value);

function wrongText(operator: Operator, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be text';
  if (takesExpression(operator)) {
    const fits = value !== '' && value.length <= MAX_EXPRESSION;
    return fits ? undefined : `must be an RE2 expression of 1 to ${MAX_EXPRESSION} characters`;
  }
  if (value === '' && OPERATORS[operator].group === 'text') return 'must not be empty: every text contains that';
  return value.length <= MAX_CHARACTERS ? undefined : `must have at most ${MAX_CHARACTERS} characters`;
}

/** The path in `property` of an assertion that has passed its schema. */
export function pathOf(property: string): JsonPath {
  const path = parsePath(property);
  if (!path) throw new Error(`${property} is no path to one value.`);
  return path;
}
