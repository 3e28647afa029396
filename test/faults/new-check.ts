import type { EntityItem } from '#lib/catalog/entity.ts';
import type { Random } from '#test/support/random.ts';
import { hostOf } from './places.ts';
import { RECORD } from './targets.ts';

/**
 * Retry intervals in seconds; 0: no retries. All are shorter than every interval of a probed check, and the last retry
 * is often in progress when the next slot is due.
 */
export const RETRIES = [0, 3, 7, 9];

/** Returns the body of a new check of an entity. */
export function newCheck(random: Random, entity: Pick<EntityItem, 'id' | 'slug'>, number: number): object {
  const common = {
    entity_id: entity.id,
    failure_threshold: random.int(1, 3),
    recovery_threshold: random.pick([1, 1, 2, 3]),
  };
  if (random.chance(0.4)) {
    if (random.chance(0.4)) return { ...common, check_type: 'push', config: cronJob(random) };
    const interval_seconds = random.pick([10, 20, 30, 60]);
    const grace = random.pick([undefined, interval_seconds, Math.ceil(interval_seconds / 2), 45, 5]);
    const config = grace === undefined ? {} : { grace_seconds: grace };
    return { ...common, check_type: 'push', interval_seconds, config };
  }
  // Most share an interval, so that they share packs.
  const interval_seconds = random.pick([10, 10, 10, 15, 20, 30, 30, 60]);
  const timeout_ms = random.pick([1000, 5000]);
  const retry_interval_seconds = random.pick(RETRIES);
  const probed = target(random, entity, number);
  const config = {
    ...probed.config,
    ...(random.chance(0.4) && { assertions: [SLOW, ...(probed.target_url ? [ANY_BODY] : [])] }),
  };
  return { ...common, ...probed, config, interval_seconds, retry_interval_seconds, timeout_ms };
}

/** Assertion for hosts that drag. */
const SLOW = { source: 'latency_ms', operator: 'less_than', value: 1_000, severity: 'warn' };

/** Assertion with an expression that any response meets. */
const ANY_BODY = { source: 'body', operator: 'matches', value: '^' };

/** Schedules. Most are due only in some hours, in which the clocks of Europe/Berlin can change. */
const SCHEDULES = [
  '* * * * *',
  '*/2 * * * *',
  '0-59/2 1-3 * * *',
  '10-59/3 0-2 * * *',
  '15 2,3 * * *',
  '*:0/2:30',
  '*-*-* 01..03:0/3 Europe/Berlin',
];

function cronJob(random: Random): object {
  const first = random.pick([undefined, undefined, 30, 150]);
  const longest = random.pick([undefined, 15, 40]);
  return {
    schedule: random.pick(SCHEDULES),
    timezone: random.pick(['Europe/Berlin', 'Europe/Berlin', 'UTC']),
    grace_seconds: random.pick([5, 20, 45, 90]),
    ...(first !== undefined && { expect_first_within_seconds: first }),
    ...(longest !== undefined && { max_run_seconds: longest }),
  };
}

type Target = { check_type: string; target_url?: string; config?: object };

/** Returns the target of a check; each has its own host. */
function target(random: Random, entity: Pick<EntityItem, 'slug'>, number: number): Target {
  const host = hostOf(`t${number}`, entity);
  const check_type = random.pick(['http', 'http', 'tcp', 'tls', 'dns', 'dns']);
  if (check_type === 'http') return { check_type, target_url: `http://${host}/` };
  if (check_type === 'tcp') return { check_type, config: { host, port: 5432 } };
  if (check_type === 'tls') return { check_type, config: { host, min_days_remaining: random.pick([0, 14]) } };
  const resolver = random.chance(0.5) ? { resolver: `10.0.${number >> 8}.${number & 255}` } : {};
  return { check_type, config: { hostname: host, record_type: 'A', expected_value: RECORD, ...resolver } };
}
