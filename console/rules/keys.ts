import type { KeyRecord } from '#lib/access/api-key.ts';
import { type Command, curlOf } from './curl.ts';
import { list } from './words.ts';

export const KEY_PERMISSIONS = {
  all: 'all your permissions',
  read: 'read only, without secrets',
  some: 'selected scopes',
} as const;

/** Short descriptions of the scopes (docs/use/users-and-keys.md#keys-for-jobs-and-agents). */
export const SCOPE_MEANINGS: Readonly<Record<string, string>> = {
  read: 'read, without secrets',
  respond: 'run actions and checks, test channels; read',
  write: 'make changes; read, with secrets',
  push: 'send results, heartbeats and pipeline reports',
  mcp: 'use MCP at /v1/mcp',
  audit: 'read the whole audit log (admins)',
  metrics: 'read metrics for Prometheus',
};

export const restrictableFields = (may: string, scopes: readonly string[]) => ({
  checks: may === KEY_PERMISSIONS.some && scopes.length === 1 && scopes[0] === 'push',
  skills: may === KEY_PERMISSIONS.some && scopes.includes('mcp'),
});

type Typed = Readonly<Record<string, unknown>>;

/** Builds the request body of a new key, without fields that its choices exclude. */
export function keyRequest({ may, scopes, check_ids, entity_ids, skills, ...rest }: Typed): Record<string, unknown> {
  if (may === KEY_PERMISSIONS.read) return { ...rest, is_read_only: true };
  if (may !== KEY_PERMISSIONS.some) return rest;
  const chosen = Array.isArray(scopes) ? scopes : [];
  const restrictable = restrictableFields(KEY_PERMISSIONS.some, chosen);
  // An empty list is sent, so that the API reports it.
  const restrictions = {
    ...(restrictable.checks && { check_ids, entity_ids }),
    ...(restrictable.skills && { skills }),
  };
  return { ...rest, scopes: chosen, ...restrictions };
}

type Rights = Pick<KeyRecord, 'is_read_only' | 'scopes'>;
type Restrictions = Pick<KeyRecord, 'check_ids' | 'entity_ids' | 'skills'>;

/** Returns the permissions of a key: `read, mcp`. */
export const permissionText = ({ is_read_only, scopes }: Rights): string =>
  is_read_only ? 'read only' : (scopes?.join(', ') ?? 'all permissions of the owner');

/** Returns the restrictions of a key: `checks of Web shop and skill runbook`; empty without any. */
export function restrictionText(
  { check_ids, entity_ids, skills }: Restrictions,
  nameOf: (id: string) => string,
): string {
  const pushed = [...(entity_ids ?? []).map((id) => `checks of ${nameOf(id)}`), ...(check_ids ?? []).map(nameOf)];
  return list([...pushed, ...(skills ?? []).map((slug) => `skill ${slug}`)]);
}

const READS = new Set(['read', 'respond', 'write']);
const TOOLS: Command = { method: 'POST', path: '/v1/mcp', body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } };

/** Returns an example request that the key is allowed to make. */
export function firstCall({ scopes, check_ids, skills }: Pick<KeyRecord, 'scopes' | 'check_ids' | 'skills'>): Command {
  if (skills) return TOOLS;
  if (!scopes || scopes.some((scope) => READS.has(scope))) return { method: 'GET', path: '/v1/me' };
  if (scopes.includes('mcp')) return TOOLS;
  if (scopes.includes('metrics')) return { method: 'GET', path: '/metrics' };
  if (scopes.includes('audit')) return { method: 'GET', path: '/v1/audit' };
  return { method: 'POST', path: `/v1/checks/${check_ids?.[0] ?? 'CHECK_ID'}/heartbeat` };
}

export const firstCommand = (key: Parameters<typeof firstCall>[0] & { key: string }, origin: string): string =>
  `export FLEETWATCH_KEY=${key.key}\n${curlOf(firstCall(key), origin)}`;

/** Time in seconds for which a rotated key stays valid, by label. */
export const OVERLAPS: Readonly<Record<string, number>> = {
  'not at all': 0,
  'an hour': 3600,
  'a day': 86_400,
  '7 days': 604_800,
};

/** Returns the seconds of a label; undefined for an unknown one, which the API then reports. */
export const overlapSeconds = (label: unknown): number | undefined => OVERLAPS[String(label)];
