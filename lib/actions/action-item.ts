import * as z from 'zod';
import { invalid } from '#lib/platform/errors.ts';
import type { Item } from '#lib/platform/ports.ts';

export const HttpMethod = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** What starts a run. */
export const Trigger = z.enum(['manual', 'state_change', 'schedule']);
export type Trigger = z.infer<typeof Trigger>;

/** The state that fires an action; empty: any. */
export const TriggerState = z.enum(['down', 'degraded', 'up', '']);
type TriggerState = z.infer<typeof TriggerState>;

/** An outbound call as a tenant describes it, secrets included. 0.5 KB and its templates and headers. */
export type ActionItem = Item & {
  v: string;
  tenant_id: string;
  id: string;
  name: string;
  url: string;
  method: z.infer<typeof HttpMethod>;
  headers: Record<string, string>;
  body_template: string;
  /** In canonical form; empty: any. */
  allowed_hosts: string[];
  trigger_type: Trigger;
  check_id: string | null;
  trigger_to_state: TriggerState;
  interval_seconds: number | null;
  timeout_ms: number;
  /** It is guarded, and what it does is verified. */
  remediation: Remediation | null;
  created_at: string;
  updated_at: string;
};

/** How many actions a tenant has. */
export type ActionCountItem = Item & { v: string; count: number };

/** Under a check: an action that its transitions may fire, with what decides whether they do. About 150 bytes. */
export type BoundActionItem = Item & { action_id: string; trigger_to_state: TriggerState; created_at: string };

const DAY_SECONDS = 86_400;
/** The name of a lock: short, and fit for a key of the table. */
const LOCK_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/**
 * How an action of a check is guarded, so that it may repair by itself: when it is left out, how often it is tried, and
 * how long its effect is waited for (docs/use/remediation.md).
 */
export const Remediation = z
  .object({
    max_attempts: z.int().min(1).max(10).default(3).describe('How often it is tried in a series, 1 to 10.'),
    cooldown_seconds: z
      .int()
      .min(10)
      .max(7 * DAY_SECONDS)
      .default(600)
      .describe('At least so long from one attempt to the next, 10 to 604,800.'),
    lock: z
      .string()
      .regex(LOCK_NAME, 'must be 1 to 64 letters, digits, "_", "." or "-", and begin with a letter or digit')
      .nullable()
      .default(null)
      .describe('Of all actions with this lock one is at work at a time; null: that of the entity of its check.'),
    settle_seconds: z
      .int()
      .min(0)
      .max(3600)
      .default(10)
      .describe('After the call so long nothing is judged; the next result decides. 0 to 3,600.'),
    verify_within_seconds: z
      .int()
      .min(10)
      .max(DAY_SECONDS)
      .default(600)
      .describe('How long a pipeline that reports queued or running is waited for, 10 to 86,400.'),
    stable_seconds: z
      .int()
      .min(0)
      .max(7 * DAY_SECONDS)
      .default(600)
      .describe('A failure so soon after the recovery goes on with the series, 0 to 604,800.'),
    alert_after_remediation: z
      .boolean()
      .default(false)
      .describe(
        'Holds the alert of that change of state until the first verdict, for settle_seconds, two intervals and timeout_ms at most.',
      ),
  })
  .meta({ id: 'Remediation' });
export type Remediation = z.infer<typeof Remediation>;

/** What a guarded action cannot do without: a check whose failure starts it. Throws VALIDATION_ERROR. */
export function assertGuardable({
  remediation,
  trigger_type,
  trigger_to_state,
}: {
  remediation: Remediation | null;
  trigger_type: string;
  trigger_to_state: string;
}): void {
  if (remediation === null) return;
  if (trigger_type !== 'state_change') {
    throw invalid('remediation', 'needs the trigger_type state_change, as it is verified by the check that starts it');
  }
  if (trigger_to_state !== 'down' && trigger_to_state !== 'degraded') {
    throw invalid('trigger_to_state', 'must be down or degraded with remediation, as there is nothing else to repair');
  }
}

/** The lock of an action: its own, or that of the entity of its check. */
export const lockName = ({ lock }: Remediation, entity_id: string): string => lock ?? entity_id;
