import type { Env } from '#lib/env.ts';
import type { Keys } from '#lib/keys.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import { HOUR_MS } from '#lib/platform/time.ts';

/** Lock of an attempt from its claim to its verdict, at most until `until` (epoch ms). About 250 bytes. */
export type LockItem = Item & { v: string; execution_id: string; action_id: string; until: number };

/** Running attempts of the account, and starts of the last hour. Times in epoch ms; under 1 KB. */
type RemediationsItem = Item & {
  v: string;
  running: { execution_id: string; until: number }[];
  begun: number[];
};

export type AttemptLimits = { lock: LockItem | undefined; remediations: RemediationsItem | undefined };

export async function readLimits({ ports, keys }: Env, tenant: string, name: string): Promise<AttemptLimits> {
  const [lock, remediations] = await ports.table.getMany<[LockItem, RemediationsItem]>([
    keys.remediationLock(tenant, name),
    keys.remediations(tenant),
  ]);
  return { lock, remediations };
}

type LimitHolder = { tenant_id: string; lock_name: string; execution_id: string; action_id: string; until: number };

/** Returns the writes that take the lock and count the attempt as running, conditional on the limits as read. */
export function takeLimits(
  keys: Keys,
  { lock, remediations }: AttemptLimits,
  by: LimitHolder,
  token: string,
  now: number,
): Write[] {
  const { tenant_id, lock_name, execution_id, action_id, until } = by;
  const put: LockItem = {
    ...keys.remediationLock(tenant_id, lock_name),
    ...{ v: token, execution_id, action_id, until },
    expires_at: Math.ceil(until / 1000),
  };
  const running = [...runningAt(remediations, now), { execution_id, until }].toSorted((a, b) => a.until - b.until);
  const begun = [...startedInLastHour(remediations, now), now];
  return [
    { put, if: lock ? { version: lock.v } : 'absent' },
    remediationsWrite(keys, tenant_id, remediations, { running, begun }, token),
  ];
}

/** Returns the writes that release the lock, if the attempt has it, and remove the attempt from the running ones. */
export function releaseLimits(
  keys: Keys,
  { lock, remediations }: AttemptLimits,
  { tenant_id, execution_id }: Pick<LimitHolder, 'tenant_id' | 'execution_id'>,
  token: string,
  now: number,
): Write[] {
  const writes: Write[] = [];
  if (lock?.execution_id === execution_id) {
    writes.push({ delete: { pk: lock.pk, sk: lock.sk }, if: { version: lock.v } });
  }
  if (remediations?.running.some((one) => one.execution_id === execution_id)) {
    const running = runningAt(remediations, now).filter((one) => one.execution_id !== execution_id);
    const begun = startedInLastHour(remediations, now);
    writes.push(remediationsWrite(keys, tenant_id, remediations, { running, begun }, token));
  }
  return writes;
}

function remediationsWrite(
  keys: Keys,
  tenant_id: string,
  before: RemediationsItem | undefined,
  next: Pick<RemediationsItem, 'running' | 'begun'>,
  v: string,
): Write {
  const latest = Math.max(0, ...next.begun, ...next.running.map(({ until }) => until));
  const expires_at = Math.ceil((latest + HOUR_MS) / 1000);
  const put: RemediationsItem = { ...keys.remediations(tenant_id), v, ...next, expires_at };
  return { put, if: before ? { version: before.v } : 'absent' };
}

const runningAt = (item: RemediationsItem | undefined, now: number) =>
  (item?.running ?? []).filter(({ until }) => until > now);
const startedInLastHour = (item: RemediationsItem | undefined, now: number) =>
  (item?.begun ?? []).filter((at) => at > now - HOUR_MS);
