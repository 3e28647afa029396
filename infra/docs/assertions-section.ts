import { OPERATORS, type Operator, operatorsOf } from '#lib/checks/assertions/operators.ts';
import { operatorsFor, SOURCE_NAMES, type SourceName, sourceOf } from '#lib/checks/assertions/sources.ts';
import { checkTypes, ERRORS } from '#lib/checks/types/registry.ts';
import { MEANING_OF_OPERATOR, MEANING_OF_SOURCE } from './assertion-meanings.ts';

const EXAMPLE = [
  { source: 'status_code', operator: 'one_of', value: ['2xx', 304] },
  { source: 'body', operator: 'not_contains', value: 'error' },
  { source: 'json', property: '$.db.status', operator: 'equals', value: 'ok' },
  { source: 'latency_ms', operator: 'less_than', value: 800, severity: 'warn' },
  { source: 'days_left', operator: 'at_least', value: 21, severity: 'warn' },
];

const PROPERTY = { path: 'a path: `$.items[0].id`', header: 'name of the header' };

/** What the value of an operator is. */
const VALUES: Readonly<Record<(typeof OPERATORS)[Operator]['group'], string>> = {
  equality: 'one value',
  text: 'text, up to 4,096 characters',
  order: 'number',
  presence: 'none',
};

const wantedBy = (operator: Operator): string => {
  if (operator === 'one_of' || operator === 'not_one_of') return 'list of 1 to 50 values';
  if (operator === 'matches' || operator === 'not_matches') return 'RE2 expression, up to 256 characters';
  return VALUES[OPERATORS[operator].group];
};

const ALL = operatorsOf(['equality', 'text', 'order', 'presence']);

function sourceRow(name: SourceName): string {
  const { property, error_kind } = sourceOf(name);
  const types = [...checkTypes.values()].filter(({ sources }) => sources.includes(name)).map(({ type }) => type);
  const own = operatorsFor(name);
  const operators = own.length === ALL.length ? 'all' : own.map((one) => `\`${one}\``).join(', ');
  const cells = [
    `\`${name}\``,
    types.join(', '),
    property ? PROPERTY[property] : '',
    MEANING_OF_SOURCE[name],
    operators,
    error_kind,
  ];
  return `| ${cells.join(' | ')} |`;
}

/** What an answer must be: every source, operator and kind of error, as a section of the reference. Pure. */
export const assertionsSection = (): string => `## Assertions

\`config.assertions\` of a check says what an answer must be, or should be: at most 20, each
\`{source, property?, operator, value?, severity?}\`. \`severity\` is \`fail\` (the default) or \`warn\`. The page
Assertions has the rules.

\`\`\`json
{ "assertions": [
${EXAMPLE.map((one) => `  ${JSON.stringify(one)}`).join(',\n')}
] }
\`\`\`

| source | types | property | meaning | operators | error_kind |
|---|---|---|---|---|---|
${SOURCE_NAMES.map(sourceRow).join('\n')}

| operator | value | true when |
|---|---|---|
${ALL.map((name) => `| \`${name}\` | ${wantedBy(name)} | ${MEANING_OF_OPERATOR[name]} |`).join('\n')}

### Kinds of error

\`error_kind\` of a result; null on success. There may be more to come, which clients must bear.

| error_kind | meaning |
|---|---|
${Object.entries(ERRORS)
  .map(([kind, meaning]) => `| \`${kind}\` | ${meaning} |`)
  .join('\n')}
`;
