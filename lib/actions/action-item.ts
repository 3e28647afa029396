import * as z from 'zod';
import { invalid } from '#lib/platform/errors.ts';
import type { Item } from '#lib/platform/ports.ts';

export const HttpMethod = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

export const Trigger = z.enum(['manual', 'state_change', 'schedule']);
export type Trigger = z.infer<typeof Trigger>;

/** Target state that fires an action; empty: any. */
export const TriggerState = z.enum(['down', 'degraded', 'up', '']);
type TriggerState = z.infer<typeof TriggerState>;

/** Action of a tenant, with secrets: 0.5 KB plus templates and headers. */
export type ActionItem = Item & {
  v: string;
  tenant_id: string;
  id: string;
  name: string;
  url: string;
  method: z.infer<typeof HttpMethod>;
  headers: Record<string, string>;
  body_template: string;
  allowed_hosts: string[];
  trigger_type: Trigger;
  check_id: string | null;
  trigger_to_state: TriggerState;
  interval_seconds: number | null;
  timeout_ms: number;
  /** Guards and verification; null: neither. */
  remediation: Remediation | null;
  created_at: string;
  updated_at: string;
};

/** Pointer under a check to an action that its transitions may fire. About 150 bytes. */
export type BoundActionItem = Item & { action_id: string; trigger_to_state: TriggerState; created_at: string };

const DAY_SECONDS = 86_400;
/** Name of a lock, valid in a table key. */
const LOCK_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

const GUARDS = { 'x-group': 'Guards of the remediation' };

/** Guards and verification of an action that remediates a check (docs/use/remediation.md). */
export const Remediation = z
  .object({
    max_attempts: z
      .int()
      .min(1)
      .max(10)
      .default(3)
      .describe('Maximum number of attempts in a series. Default: 3.')
      .meta({ title: 'Attempts' }),
    cooldown_seconds: z
      .int()
      .min(10)
      .max(7 * DAY_SECONDS)
      .default(600)
      .describe('Minimum time between attempts. Default: 10 minutes.')
      .meta({ title: 'Time between attempts' }),
    lock: z
      .string()
      .regex(LOCK_NAME, 'must be 1 to 64 letters, digits, "_", "." or "-", and begin with a letter or digit')
      .nullable()
      .default(null)
      .describe(
        "Lock shared by actions: one attempt at a time holds it. Null uses a lock of the check's entity. Default: null.",
      )
      .meta(GUARDS),
    settle_seconds: z
      .int()
      .min(0)
      .max(3600)
      .default(10)
      .describe(
        'Time for which results are ignored after the request or pipeline ends; the next result decides. Default: 10 seconds.',
      )
      .meta({ title: 'Settle time' }),
    verify_within_seconds: z
      .int()
      .min(10)
      .max(DAY_SECONDS)
      .default(600)
      .describe('Maximum wait for a pipeline that reports queued or running. Default: 10 minutes.')
      .meta({ ...GUARDS, title: 'Longest pipeline run' }),
    stable_seconds: z
      .int()
      .min(0)
      .max(7 * DAY_SECONDS)
      .default(600)
      .describe('Time after recovery during which a new failure continues the series. Default: 10 minutes.')
      .meta({ ...GUARDS, title: 'Stable time' }),
    alert_after_remediation: z
      .boolean()
      .default(false)
      .describe(
        'Whether to hold the alert until the first verdict, at most for the settle time, two intervals and the timeout. Default: false.',
      )
      .meta(GUARDS),
  })
  .meta({ id: 'Remediation' });
export type Remediation = z.infer<typeof Remediation>;

/** Throws VALIDATION_ERROR if an action with remediation is not fired by a check that goes down or degraded. */
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
    throw invalid(
      'remediation',
      'requires the trigger_type state_change, because the check that fires the action also verifies it',
    );
  }
  if (trigger_to_state !== 'down' && trigger_to_state !== 'degraded') {
    throw invalid(
      'trigger_to_state',
      'must be down or degraded with remediation, because other states need no remediation',
    );
  }
}

export const lockName = ({ lock }: Remediation, entity_id: string): string => lock ?? entity_id;
