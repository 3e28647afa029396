import type { OpenApi } from './openapi.ts';
import { table } from './table.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document of any depth
type Json = any;

type Property = { name: string; type: string; default: string; meaning: string };

/** Returns functions that read the schemas of an OpenAPI document. */
export function propertiesIn({ components }: Pick<OpenApi, 'components'>) {
  const named = (name: string): Json => {
    const schema = components.schemas[name];
    if (!schema) throw new Error(`The schema ${name} does not exist.`);
    return schema;
  };
  /** Returns a schema, parameter or response, with the content of the component that it refers to. */
  function resolve(part: Json): Json {
    if (!part.$ref) return part;
    const [, , group, name] = part.$ref.split('/');
    return { ...(group === 'schemas' ? named(name) : components[group as keyof typeof components][name]), ...part };
  }

  /** Returns the properties of an object schema. @param prefix of each name @param only filter by name */
  function propertiesOf(schema: Json, prefix = '', only: (name: string) => boolean = () => true): Property[] {
    const { properties = {}, required = [] } = resolve(schema);
    return Object.entries<Json>(properties)
      .filter(([name]) => only(name))
      .map(([name, member]) => {
        const whole = resolve(member);
        const fallback = required.includes(name) ? 'required' : '';
        return {
          name: prefix + name,
          type: typeOf(whole),
          default: whole.default === undefined ? fallback : `\`${JSON.stringify(whole.default)}\``,
          meaning: member.description ?? whole.description ?? '',
        };
      });
  }

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

  return { propertiesOf, typeOf, named, resolve };
}

/** Returns text such as `, 1 to 100`. */
function bounds({ minimum, maximum, minLength, maxLength, maxItems }: Json): string {
  const number = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 5 });
  if (minimum !== undefined && maximum !== undefined) return `, ${number(minimum)} to ${number(maximum)}`;
  if (minimum !== undefined) return `, at least ${number(minimum)}`;
  if (maxItems !== undefined) return `, at most ${number(maxItems)}`;
  if (maxLength === undefined) return '';
  return minLength ? `, ${minLength} to ${number(maxLength)} characters` : `, at most ${number(maxLength)} characters`;
}

/** Formats request properties. A property that is neither required nor has a default is optional. */
export const requestTable = (properties: readonly Property[]): string =>
  table(
    ['property', 'type', 'default', 'meaning'],
    properties.map((one) => [`\`${one.name}\``, one.type, one.default, one.meaning]),
  );

export const responseTable = (properties: readonly Property[]): string =>
  table(
    ['property', 'type', 'meaning'],
    properties.map((one) => [`\`${one.name}\``, one.type, one.meaning]),
  );
