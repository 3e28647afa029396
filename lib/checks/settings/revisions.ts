import type { TenantEnv } from '#lib/access/context.ts';
import { historyExpiry } from '#lib/access/retention.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { type PushConfig, zoneOf } from '#lib/checks/types/push.ts';
import { cellOf, type Keys, REVISIONS, under } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';
import { itemsOf } from '#lib/platform/table/pages.ts';
import { type IntervalSchedule, intervalScheduleOf } from '#lib/schedule/slots.ts';

/** Settings revision: interval schedule and thresholds of slots since `from` (epoch ms); 250 bytes plus schedule. */
export type RevisionItem = Item & {
  rev: number;
  from: number;
  enabled: boolean;
  rhythm: IntervalSchedule;
  /** Schedule of a push check: its slots are the due times and do not follow the interval. */
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
  const { schedule: text }: PushConfig = config;
  return execution_mode === 'push' && text !== undefined ? { schedule: { text, zone: zoneOf(config) } } : {};
}

/** Returns the revision that ends at `now` (epoch ms), when the settings change; it expires after the retention. */
export const pastRevision = (keys: Keys, check: CheckItem, now: number, retentionDays: number): RevisionItem => ({
  ...revisionItem(keys, check),
  expires_at: historyExpiry(now, retentionDays),
});

const PAGE = 25;

/**
 * Returns the settings revisions of a check in force at or after `from` (epoch ms), in order of time. A revision that
 * starts after the next one, because of a fast clock, gets the start of the next one and so applies to no time.
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
