import type { FormSchema } from './form-fields.ts';

type Named = { name: string | null; check_type: string };

const COMMON = new Set(['entity_id', 'check_type']);

/** Returns the name of a check, else its target: `shop.example.com 5432`. @param schema of its type */
export function checkLabel(check: Named, schema: FormSchema | undefined): string {
  return check.name ?? (targetOf(check, schema) || `${check.check_type} check`);
}

/** Returns the target from the required settings of the type; empty if the type requires no settings, as for push. */
export function targetOf(check: object, schema: FormSchema | undefined): string {
  const config = schema?.properties?.config;
  const own = (schema?.required ?? []).filter((name) => !COMMON.has(name));
  return [...valuesOf(check, own), ...valuesOf(memberOf(check, 'config'), config?.required ?? [])].join(' ');
}

const memberOf = (record: unknown, name: string): unknown => (record as Record<string, unknown> | undefined)?.[name];

const valuesOf = (record: unknown, names: readonly string[]): string[] =>
  names.map((name) => memberOf(record, name)).flatMap((value) => (value === undefined ? [] : [String(value)]));

type NamedChannel = { name?: string; config: Readonly<Record<string, string>> };

/** Returns a channel's name, else the host of its URL (the rest is secret), else its first setting; empty if masked. */
export function channelName({ name, config }: NamedChannel): string {
  if (name !== undefined) return name;
  const value = config.url ?? Object.values(config)[0] ?? '';
  if (/^\*+$/.test(value)) return '';
  return URL.parse(value)?.host || value;
}
