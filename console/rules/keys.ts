import type { KeyRecord } from '#lib/access/api-key.ts';
import { type Command, curlOf } from './curl.ts';
import { list } from './words.ts';

/** What a new key may, as it is chosen. */
export const MAY = { all: 'all that you may', read: 'read only, without secrets', some: 'some things' } as const;

/** What each scope opens, in a few words (docs/use/people-and-keys.md#keys-for-jobs-and-agents). */
export const SCOPE_MEANINGS: Readonly<Record<string, string>> = {
  read: 'reads, without secrets',
  respond: 'runs actions and checks, tests channels; reads',
  write: 'changes; reads, with secrets',
  push: 'results, heartbeats, pipelines',
  mcp: 'agents, at /v1/mcp',
  audit: 'all of the audit log, for admins',
};

/** What a key can be held to, given its scopes. */
export const restrictableFields = (may: string, scopes: readonly string[]) => ({
  checks: may === MAY.some && scopes.length === 1 && scopes[0] === 'push',
  skills: may === MAY.some && scopes.includes('mcp'),
});

type Typed = Readonly<Record<string, unknown>>;

/** What was typed of a new key, as the API takes it: what its choices rule out is left out. */
export function keyRequest({ may, scopes, check_ids, entity_ids, skills, ...rest }: Typed): Record<string, unknown> {
  if (may === MAY.read) return { ...rest, is_read_only: true };
  if (may !== MAY.some) return rest;
  const chosen = Array.isArray(scopes) ? scopes : [];
  const can = restrictableFields(MAY.some, chosen);
  // None is sent as it is: the API says that one is missing.
  const held = { ...(can.checks && { check_ids, entity_ids }), ...(can.skills && { skills }) };
  return { ...rest, scopes: chosen, ...held };
}

type Rights = Pick<KeyRecord, 'is_read_only' | 'scopes'>;
type Held = Pick<KeyRecord, 'check_ids' | 'entity_ids' | 'skills'>;

/** What a key may: `read, mcp`. */
export const mayWords = ({ is_read_only, scopes }: Rights): string =>
  is_read_only ? 'read only' : (scopes?.join(', ') ?? 'all of its owner');

/** What it is held to: `checks of Web shop and skill runbook`; empty where it is to nothing. @param nameOf an id */
export function restrictionText({ check_ids, entity_ids, skills }: Held, nameOf: (id: string) => string): string {
  const pushed = [...(entity_ids ?? []).map((id) => `checks of ${nameOf(id)}`), ...(check_ids ?? []).map(nameOf)];
  return list([...pushed, ...(skills ?? []).map((slug) => `skill ${slug}`)]);
}

const READS = new Set(['read', 'respond', 'write']);
const TOOLS: Command = { method: 'POST', path: '/v1/mcp', body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } };

/** A first call with a key: one that it may make. */
export function firstCall({ scopes, check_ids, skills }: Pick<KeyRecord, 'scopes' | 'check_ids' | 'skills'>): Command {
  if (skills) return TOOLS;
  if (!scopes || scopes.some((scope) => READS.has(scope))) return { method: 'GET', path: '/v1/me' };
  if (scopes.includes('mcp')) return TOOLS;
  if (scopes.includes('audit')) return { method: 'GET', path: '/v1/audit' };
  return { method: 'POST', path: `/v1/checks/${check_ids?.[0] ?? 'CHECK_ID'}/heartbeat` };
}

/** The same for a shell, with the key. */
export const firstCommand = (key: Parameters<typeof firstCall>[0] & { key: string }, origin: string): string =>
  `export FLEETWATCH_KEY=${key.key}\n${curlOf(firstCall(key), origin)}`;

/** How long a rotated key lives on, in seconds, by what people call it. */
export const OVERLAPS: Readonly<Record<string, number>> = {
  'no longer': 0,
  'an hour': 3600,
  'a day': 86_400,
  '7 days': 604_800,
};

/** The seconds of one of them; what is none of them is left to the API. */
export const overlapSeconds = (called: unknown): number | undefined => OVERLAPS[String(called)];
