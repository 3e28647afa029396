import { isDeepStrictEqual } from 'node:util';
import type { Env } from '#lib/env.ts';
import type { Write } from '#lib/platform/ports.ts';
import { shorten } from '#lib/platform/text.ts';
import { iso } from '#lib/platform/time.ts';
import { changesOf, fitted, type Side } from './diff.ts';
import { type AuditItem, type Author, TARGET_TYPES, type TargetType, type Verb } from './entry.ts';

/** What the log shows of one kind of record; declared beside its schema. */
export type Audited<Thing> = {
  type: TargetType;
  /** What names it; `within` are the ids of what it belongs to, by which its entries are found too. */
  target(thing: Thing): { id: string; name: string; within?: readonly string[] };
  /** The members that somebody sets, secrets included; none that the service sets by itself, such as times. */
  members(thing: Thing): object;
  /** The same as whoever may only read sees them. Absent where nothing of it is secret. */
  shown?(thing: Thing): object;
};

/** Whether a change of a record changes nothing: then nothing is written, and no entry of it. */
export const isSame = <Thing>({ members }: Audited<Thing>, before: Thing, after: Thing): boolean =>
  isDeepStrictEqual(members(before), members(after));

/**
 * The entry of a change, for the transaction that makes it; none where the service does it by itself.
 * @param before undefined when it is new
 * @param after undefined when it is gone
 * @param facts what else is worth knowing, shown as new: the execution of a run. No secrets
 */
export type AuditWriter<Thing> = (
  before: Thing | undefined,
  after: Thing | undefined,
  facts?: Record<string, string>,
) => Write[];

type AuditEnv = Env<'clock' | 'ids' | 'settings'> & { tenant: string };

/**
 * After so long another entry is drawn. With the ten seconds that a write may be tried for, and nine more of a client
 * of the table, an entry would else come to stand where a reader has passed (read-log.ts).
 */
const DRAW_AGAIN_MS = 4_000;

/**
 * Makes what writes the one entry of a use case: call it once, before any try to write. Its id and time are drawn at
 * the first try and stay for the next ones, so that a try that was done and whose answer was lost counts once. Where a
 * use case has several transactions, the last one carries it.
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
    if (!drawn || now - drawn.at > DRAW_AGAIN_MS) {
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
/** The most that an entry takes as JSON, but for its two numbers of changes. */
const ENTRY_BYTES = 8 * 1024 - 64;

function sideOf<Thing>(of: Audited<Thing>, thing: Thing | undefined, facts?: Record<string, string>): Side {
  if (thing === undefined) return { real: facts, shown: facts };
  const real = { ...of.members(thing), ...facts };
  return { real, shown: of.shown ? { ...of.shown(thing), ...facts } : real };
}
