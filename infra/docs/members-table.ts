import type { OpenApi } from './openapi.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, as deep as it is
type Json = any;

/** Tables of what a schema of a document holds. */
export function membersTables({ components }: Pick<OpenApi, 'components'>) {
  const named = (name: string): Json => {
    const schema = components.schemas[name];
    if (!schema) throw new Error(`There is no schema ${name}.`);
    return schema;
  };
  const resolve = (schema: Json): Json =>
    schema.$ref ? { ...named(schema.$ref.split('/').at(-1)), ...schema } : schema;

  /** The members of an object schema, one a row. @param prefix of each name; @param only those of these names */
  function rows(schema: Json, prefix = '', only?: (name: string) => boolean): string[] {
    const { properties = {}, required = [] } = resolve(schema);
    return Object.entries<Json>(properties)
      .filter(([name]) => !only || only(name))
      .map(([name, member]) => {
        const whole = resolve(member);
        const fallback =
          whole.default !== undefined
            ? `\`${JSON.stringify(whole.default)}\``
            : required.includes(name)
              ? 'required'
              : '';
        return `| \`${prefix}${name}\` | ${cell(typeOf(whole))} | ${cell(fallback)} | ${cell(member.description ?? whole.description)} |`;
      });
  }

  /** Rows under a heading. A member without a default that is not required may be left out. */
  const table = (rowsOf: string[]): string =>
    ['| member | type | default | meaning |', '|---|---|---|---|', ...rowsOf].join('\n');

  /** The same without defaults: what an answer holds is there. */
  const answerTable = (name: string, only?: (name: string) => boolean): string =>
    [ANSWER_HEAD, ...rows(named(name), '', only).map(withoutDefault)].join('\n');

  function typeOf(schema: Json): string {
    const whole = resolve(schema);
    if (whole.const !== undefined) return `\`${JSON.stringify(whole.const)}\``;
    const found = whole.enum;
    if (found) return found.map((value: unknown) => `\`${value === '' ? '""' : value}\``).join(', ');
    const options: Json[] | undefined = whole.anyOf ?? whole.oneOf;
    if (options) return [...new Set(options.map(typeOf))].join(' or ');
    if (whole.type === 'array') return `array of ${whole.items ? typeOf(whole.items) : 'anything'}${bounds(whole)}`;
    if (whole.format === 'date-time') return 'time';
    return `${[whole.type ?? 'anything'].flat().join(' or ')}${bounds(whole)}`;
  }

  return { rows, table, answerTable, named, typeOf };
}

/** `, 1 to 100` */
function bounds({ minimum, maximum, minLength, maxLength, maxItems }: Json): string {
  const number = (value: number) => value.toLocaleString('en-US');
  if (minimum !== undefined && maximum !== undefined) return `, ${number(minimum)} to ${number(maximum)}`;
  if (minimum !== undefined) return `, at least ${number(minimum)}`;
  if (maxItems !== undefined) return `, at most ${number(maxItems)}`;
  if (maxLength === undefined) return '';
  return minLength ? `, ${minLength} to ${number(maxLength)} characters` : `, at most ${number(maxLength)} characters`;
}

const cell = (text = ''): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** The heading of a table of what an answer holds. */
export const ANSWER_HEAD = '| member | type | meaning |\n|---|---|---|';

/** A row without its default. Cells hold no unescaped bar. */
export const withoutDefault = (row: string): string => {
  const cells = row.split(/(?<!\\)\|/);
  return [...cells.slice(0, 3), ...cells.slice(4)].join('|');
};
