import { isDeepStrictEqual } from 'node:util';
import type { Env } from '#lib/env.ts';
import type { Write } from '#lib/platform/ports.ts';
import { shorten } from '#lib/platform/text.ts';
import { iso } from '#lib/platform/time.ts';
import { changesOf, fitted, type Side } from './diff.ts';
import { type AuditItem, type Author, TARGET_TYPES, type TargetType, type Verb } from './entry.ts';

/** Audited part of one type of record; declared next to its schema. */
export type Audited<Thing> = {
  type: TargetType;
  /** Id and name of the record. `within`: its slug and ids of its parents; the filter `target` also matches these. */
  target(thing: Thing): { id: string; name: string; within?: readonly string[] };
  /** Properties that a caller sets, secrets included; without those that the service sets, such as times. */
  properties(thing: Thing): object;
  /** The properties as a read-only caller sees them. Can be absent if none of them is secret. */
  shown?(thing: Thing): object;
};

/** Whether a change has no effect: then nothing is written, not even an entry. */
export const isSame = <Thing>({ properties }: Audited<Thing>, before: Thing, after: Thing): boolean =>
  isDeepStrictEqual(properties(before), properties(after));

/**
 * Returns the entry of a change for its transaction; none for a change by the service itself. `before` undefined: new.
 * `after` undefined: deleted. `facts`: further values to show as new, such as the id of an execution. No secrets.
 */
export type AuditWriter<Thing> = (
  before: Thing | undefined,
  after: Thing | undefined,
  facts?: Record<string, string>,
) => Write[];

type AuditEnv = Env<'clock' | 'ids' | 'settings'> & { tenant: string };

/** Age (ms) after which an unwritten entry gets a new time and id, so that no reader has passed it (read-log.ts). */
const MAX_ENTRY_AGE_MS = 4_000;

/**
 * Returns the writer of an entry. Create one writer before the first attempt and call it in each attempt, so that
 * attempts write the same entry.
 */
export function auditWriterFor<Thing>(
  env: AuditEnv,
  author: Author,
  verb: Verb,
  of: Audited<Thing>,
): AuditWriter<Thing> {
  const { ports, keys, tenant } = env;
  let drawn: { at: number; id: string; v: string } | undefined;
  return (before, after, facts) => {
    const now = ports.clock.now();
    if (!drawn || now - drawn.at > MAX_ENTRY_AGE_MS) {
      drawn = { at: now, id: ports.ids.id('aud'), v: ports.ids.token() };
    }
    const { at, id, v } = drawn;
    const { within = [], ...named } = of.target((after ?? before)!);
    const head = {
      ...keys.auditEntry(tenant, at, id),
      v,
      expires_at: Math.ceil(at / 1000) + ports.settings.AUDIT_DAYS * DAY_SECONDS,
      id,
      at: iso(at),
      kind: TARGET_TYPES[of.type],
      action: `${of.type}.${verb}`,
      ...author,
      target: { type: of.type, id: named.id, name: shorten(named.name, MAX_NAME_LENGTH) },
      within,
    };
    const changes = changesOf(sideOf(of, before), sideOf(of, after, facts));
    const put: AuditItem = { ...head, ...fitted(changes, ENTRY_BYTES - Buffer.byteLength(JSON.stringify(head))) };
    return [{ put, if: 'absent' }];
  };
}

const DAY_SECONDS = 86_400;
const MAX_NAME_LENGTH = 200;
/** Maximum size of an entry as JSON, less 64 bytes for the names and syntax of `changes` and `more_changes`. */
const ENTRY_BYTES = 8 * 1024 - 64;

function sideOf<Thing>(of: Audited<Thing>, thing: Thing | undefined, facts?: Record<string, string>): Side {
  if (thing === undefined) return { real: facts, shown: facts };
  const real = { ...of.properties(thing), ...facts };
  return { real, shown: of.shown ? { ...of.shown(thing), ...facts } : real };
}
