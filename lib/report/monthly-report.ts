import { type AccountItem, isDisabled, type UserItem } from '#lib/access/account.ts';
import { deliverMessage } from '#lib/alerting/notify/fan-out.ts';
import { entityPage } from '#lib/catalog/store.ts';
import type { MonthFigures, MonthlyReport } from '#lib/channels/alert.ts';
import type { Env } from '#lib/env.ts';
import { type EntityBucket, floorRatio, listBuckets, startOf } from '#lib/history/rollups/buckets.ts';
import { entityHistories } from '#lib/history/rollups/read-history.ts';
import { incidentList } from '#lib/incidents/list-incidents.ts';
import type { ReportMessage } from '#lib/messages.ts';
import { derivedId } from '#lib/platform/ids.ts';
import { commit } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { type DeadlineEntry, deadlineEntry, nextReportAt } from '#lib/schedule/entries.ts';
import { linksAddress } from '#lib/settings.ts';

/** Maximum number of entities that a report lists as those with the worst uptime. */
const MAX_WORST = 10;
const ENTITIES_AT_ONCE = 100;
const INCIDENTS_AT_ONCE = 500;

/**
 * Creates the mail of a user about the month before `at`, and schedules the next. Repeatable: the id of the delivery
 * is derived, so that each month is sent once. After an outage of the service, the mail of each missed month is sent.
 */
export async function sendReport(env: Env, { tenant_id, recipient_id, at }: ReportMessage): Promise<void> {
  const { ports, keys } = env;
  const key = keys.entry('report', tenant_id, recipient_id);
  const [entry, user, account] = await ports.table.getMany<[DeadlineEntry, UserItem, AccountItem]>([
    key,
    keys.user(tenant_id, recipient_id),
    keys.account(tenant_id),
  ]);
  // An early message is dropped: another one follows when the entry is due.
  if (entry?.deadline !== at || at > ports.clock.now()) return;
  if (!user?.monthly_report || !account) {
    await commit(ports, [{ delete: key, if: { version: entry.v } }]);
    return;
  }
  if (!isDisabled(account)) await deliverReport(env, account, user, at);
  const owner = { tenant_id, entity_id: recipient_id, id: recipient_id };
  const next = deadlineEntry(keys, 'report', owner, ports.ids.token(), nextReportAt(at));
  // A conflict means that the user has just changed the setting, or that a duplicate of this message was handled.
  await commit(ports, [{ put: next, if: { version: entry.v } }]);
}

async function deliverReport(env: Env, account: AccountItem, user: UserItem, at: number): Promise<void> {
  const { tenant_id, id, email, created_at } = user;
  const channel = { id, channel_type: 'email', config: { to: email }, created_at };
  const report = await readReport(env, account, at);
  await deliverMessage(env, {
    ...{ tenant_id, id: derivedId('dlv', at, 'report', id), kind: 'monthly_report', created_at: iso(at) },
    ...{ channel_id: id, channel_type: channel.channel_type, channel, report },
  });
}

async function readReport(env: Env, account: AccountItem, at: number): Promise<MonthlyReport> {
  const to = startOf('month', at);
  const from = startOf('month', to - 1);
  const earlier = startOf('month', from - 1);
  const histories = await readMonths(env, account, { from: earlier, to });
  const month = iso(from).slice(0, 7);
  const inMonth = (start: number) =>
    histories.flatMap(({ name, buckets }) =>
      buckets.flatMap((bucket) => (bucket.from.slice(0, 7) === iso(start).slice(0, 7) ? { name, ...bucket } : [])),
    );
  const current = inMonth(from);
  const known = current.flatMap(({ name, uptime, seconds }) =>
    uptime === null ? [] : [{ name, uptime, down_seconds: seconds.down }],
  );
  return {
    account: account.name,
    month,
    current: figuresOf(current, await countIncidents(env, account, from, to)),
    before: figuresOf(inMonth(earlier), await countIncidents(env, account, earlier, from)),
    without_data: histories.length - known.length,
    worst: known
      .filter(({ down_seconds }) => down_seconds > 0)
      .toSorted((a, b) => a.uptime - b.uptime || b.down_seconds - a.down_seconds)
      .slice(0, MAX_WORST),
    url: `${linksAddress(env.ports.settings)}/#/report`,
  };
}

/** Reads the months of each entity in a range. Months that are no longer kept are absent. */
async function readMonths(
  env: Env,
  { id, rollup_days: rollupDays, retention_days }: AccountItem,
  range: { from: number; to: number },
) {
  const scope = { ...env, tenant: id, caller: { retention_days } };
  const list = listBuckets({ bucket: 'month', ...range }, { now: env.ports.clock.now(), rollupDays });
  const found: { name: string; buckets: EntityBucket[] }[] = [];
  let after: string | undefined;
  do {
    const { items, next } = await entityPage(scope, { after }, ENTITIES_AT_ONCE);
    const histories = 'wrong' in list ? [] : await entityHistories(scope, items, 'month', list);
    found.push(...items.map(({ name }, i) => ({ name, buckets: histories[i]?.buckets ?? [] })));
    after = next;
  } while (after !== undefined);
  return found;
}

/** Returns the figures over all entities, each weighted by its known time. Sums in whole milliseconds. */
function figuresOf(buckets: readonly EntityBucket[], incidents: number): MonthFigures {
  const sum = (of: (seconds: EntityBucket['seconds']) => number) =>
    buckets.reduce((total, { seconds }) => total + Math.round(of(seconds) * 1000), 0);
  const down = sum((seconds) => seconds.down);
  const available = sum(({ up, degraded }) => up + degraded);
  const known = available + down;
  const coverage = floorRatio(known, known + sum(({ unknown, gap }) => unknown + gap));
  return { uptime: floorRatio(available, known), coverage, down_seconds: down / 1000, incidents };
}

/** Counts the incidents that were opened in a range (epoch ms). */
async function countIncidents(env: Env, { id: tenant }: AccountItem, since: number, until: number): Promise<number> {
  const read = incidentList({ ...env, tenant }, { since, until });
  let count = 0;
  let after: string | undefined;
  do {
    const { found, next } = await read(after, INCIDENTS_AT_ONCE);
    count += found.length;
    after = next;
  } while (after !== undefined);
  return count;
}
