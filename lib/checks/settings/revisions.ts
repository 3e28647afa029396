import type { TenantEnv } from '#lib/access/context.ts';
import { historyExpiry } from '#lib/access/retention.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { type PushConfig, zoneOf } from '#lib/checks/types/push.ts';
import { cellOf, type Keys, REVISIONS, under } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';
import { itemsOf } from '#lib/platform/table/pages.ts';
import { type IntervalSchedule, intervalScheduleOf } from '#lib/schedule/slots.ts';

/**
 * From when (epoch ms) which rhythm and thresholds held for a check: what was due in the past, and how many failures
 * it took. Written with each settings revision, and with the next one its expiry; about 250 bytes, and the schedule.
 */
export type RevisionItem = Item & {
  rev: number;
  from: number;
  enabled: boolean;
  rhythm: IntervalSchedule;
  /** Of a push check with a schedule: its due times are its slots, and not those of the rhythm. */
  schedule?: { text: string; zone: string };
} & Pick<CheckItem, 'failure_threshold' | 'recovery_threshold'>;

export const revisionItem = (keys: Keys, check: CheckItem): RevisionItem => ({
  ...keys.revision(check.tenant_id, check.id, check.rev),
  rev: check.rev,
  from: check.settings_at,
  enabled: check.enabled,
  rhythm: intervalScheduleOf(cellOf(check.id), check.interval_seconds),
  ...scheduleOf(check),
  failure_threshold: check.failure_threshold,
  recovery_threshold: check.recovery_threshold,
});

function scheduleOf({ execution_mode, config }: CheckItem): Pick<RevisionItem, 'schedule'> {
  // Stored settings have passed the schema of their type.
  const { schedule: text }: PushConfig = config;
  return execution_mode === 'push' && text !== undefined ? { schedule: { text, zone: zoneOf(config) } } : {};
}

/** The same, of a check whose settings change at `now` (epoch ms): it goes when no time in which it held is shown. */
export const pastRevision = (keys: Keys, check: CheckItem, now: number, retentionDays: number): RevisionItem => ({
  ...revisionItem(keys, check),
  expires_at: historyExpiry(now, retentionDays),
});

/** A check has few revisions; most often one of them, the first read, is all it takes. */
const PAGE = 25;

/**
 * The settings revisions of a check that were in force at `from` (epoch ms) or after it, in the order of time. One that
 * was written while our clock ran ahead, as the next one shows, held from that one's beginning on: for no time at all.
 */
export async function revisionsSince(
  { ports, keys, tenant }: TenantEnv,
  check: Pick<CheckItem, 'id'>,
  from: number,
): Promise<RevisionItem[]> {
  const newestFirst: RevisionItem[] = [];
  const revisions = itemsOf<RevisionItem>(ports.table, {
    partition: keys.ofCheck(tenant, check.id),
    ...under(REVISIONS),
    descending: true,
    limit: PAGE,
  });
  let next = Number.POSITIVE_INFINITY;
  for await (const revision of revisions) {
    next = Math.min(next, revision.from);
    newestFirst.push({ ...revision, from: next });
    if (revision.from <= from) break;
  }
  return newestFirst.reverse();
}
