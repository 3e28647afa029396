import { OPERATORS, type Operator, operatorsOf } from '#lib/checks/assertions/operators.ts';
import { operatorsFor, SOURCE_NAMES, type SourceName, sourceOf } from '#lib/checks/assertions/sources.ts';
import { checkTypes } from '#lib/checks/types/registry.ts';
import { MEANING_OF_OPERATOR, MEANING_OF_SOURCE } from './assertion-meanings.ts';
import { table } from './table.ts';

const PROPERTY = { path: 'a path: `$.items[0].id`', header: 'name of the header' };

const VALUES: Readonly<Record<(typeof OPERATORS)[Operator]['group'], string>> = {
  equality: 'one value',
  text: 'text, up to 4,096 characters',
  order: 'number',
  presence: 'none',
};

const valueTypeOf = (operator: Operator): string => {
  if (operator === 'one_of' || operator === 'not_one_of') return 'list of 1 to 50 values';
  if (operator === 'matches' || operator === 'not_matches') return 'RE2 expression, up to 256 characters';
  return VALUES[OPERATORS[operator].group];
};

const ALL = operatorsOf(['equality', 'text', 'order', 'presence']);

function sourceRow(name: SourceName): string[] {
  const { property, error_kind } = sourceOf(name);
  const types = [...checkTypes.values()].filter(({ sources }) => sources.includes(name)).map(({ type }) => type);
  const own = operatorsFor(name);
  const operators = own.length === ALL.length ? 'all' : own.map((one) => `\`${one}\``).join(', ');
  return [
    `\`${name}\``,
    types.join(', '),
    property ? PROPERTY[property] : '',
    MEANING_OF_SOURCE[name],
    operators,
    name === 'days_left' ? `${error_kind}; for domain checks: expiry` : error_kind,
  ];
}

export const assertionTables = {
  'assertion-sources': table(
    ['source', 'types', 'property', 'meaning', 'operators', 'error_kind'],
    SOURCE_NAMES.map(sourceRow),
  ),
  'assertion-operators': table(
    ['operator', 'value', 'true when'],
    ALL.map((name) => [`\`${name}\``, valueTypeOf(name), MEANING_OF_OPERATOR[name]]),
  ),
};
