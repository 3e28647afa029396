import type { DueAlertDeadline } from '#lib/alerting/deadlines/timed-alert.ts';
import type { Deadline } from '#lib/alerting/decide/notes.ts';
import type { Policy } from '#lib/alerting/policy/policy.ts';
import { POLICY_DEFAULTS } from '#lib/alerting/policy/settings.ts';

import type { CheckItem, Flapping, NotifiedAlert } from '#lib/checks/check-item.ts';
import { keyTable } from '#lib/keys.ts';
import { iso } from '#lib/platform/time.ts';

export const NOW = Date.parse('2026-11-21T12:00:00.000Z');
export const MINUTE = 60_000;

const keys = keyTable({ BUCKETS: 1, SHARDS: 1 });

/** Differences from a check that is up, whose last notified state is up, with one channel and without a cooldown. */
export type Given = {
  state?: CheckItem['state'];
  /** Start of the state (epoch ms). */
  since?: number;
  /** Last notified state. */
  announced?: NotifiedAlert['reports_state'];
  enabled?: boolean;
  /** Time of the last alert that started a cooldown for all alerts (epoch ms). */
  planned?: number;
  /** Time of the last alert that started a cooldown for warnings (epoch ms). */
  warned?: number;
  flapping?: Flapping;
  policy?: Partial<Policy>;
  note?: Deadline['note'];
};

/** Returns an alert deadline that is due at NOW, with its check and policy. */
export function dueAlert(given: Given): DueAlertDeadline & { check: CheckItem } {
  const { state = 'up', since = NOW - MINUTE, announced = 'up', enabled = true, planned = 0, note } = given;
  const { warned = 0, flapping } = given;
  const check: CheckItem = {
    ...keys.check('acc_a', 'chk_a'),
    v: 'c1',
    tenant_id: 'acc_a',
    entity_id: 'ent_a',
    id: 'chk_a',
    check_type: 'push',
    execution_mode: 'push',
    name: 'backup',
    interval_seconds: 60,
    timeout_ms: 5000,
    failure_threshold: 1,
    recovery_threshold: 1,
    enabled,
    config: {},
    created_at: iso(0),
    updated_at: iso(0),
    rev: 1,
    settings_at: 0,
    state,
    state_since: iso(since),
    consecutive_failures: 0,
    alerts: {
      last_planned_at: planned,
      last_warned_at: warned,
      ...(flapping && { flapping, changed_at: [since] }),
      announced: { baseline: announced, latest: [] },
    },
  };
  const channel = { id: 'chn_a', channel_type: 'slack', config: {}, created_at: iso(0), scope: 'check' as const };
  const defaults = { ...POLICY_DEFAULTS, silenced: false, cooldown_seconds: 0, channels: [channel] };
  return {
    check,
    policy: { ...defaults, ...given.policy },
    entry: { deadline: NOW, ...(note && { note }) },
    now: NOW,
  };
}
