import type { MemberSchema } from './form-fields.ts';

type Named = { name: string | null; check_type: string };

/** What every type has, and what says nothing of the target. */
const COMMON = new Set(['entity_id', 'check_type']);

/**
 * What people call a check: its name, else its target, which is what its type requires: `shop.example.com 5432`.
 * @param schema of its type
 */
export function checkLabel(check: Named, schema: MemberSchema | undefined): string {
  return check.name ?? (targetOf(check, schema) || `${check.check_type} check`);
}

/** What it looks at; empty where its type requires nothing, as a push check. */
export function targetOf(check: object, schema: MemberSchema | undefined): string {
  const config = schema?.properties?.config;
  const own = (schema?.required ?? []).filter((name) => !COMMON.has(name));
  return [...valuesOf(check, own), ...valuesOf(memberOf(check, 'config'), config?.required ?? [])].join(' ');
}

const memberOf = (record: unknown, name: string): unknown => (record as Record<string, unknown> | undefined)?.[name];

const valuesOf = (record: unknown, names: readonly string[]): string[] =>
  names.map((name) => memberOf(record, name)).flatMap((value) => (value === undefined ? [] : [String(value)]));

/**
 * What people call a channel beside its type: the host it posts to, or its one setting. Never more of an address, as
 * what is behind the host is mostly the secret.
 */
export function channelName({ config }: { config: Readonly<Record<string, string>> }): string {
  const value = config.url ?? Object.values(config)[0] ?? '';
  if (/^\*+$/.test(value)) return '';
  return URL.parse(value)?.host || value;
}
