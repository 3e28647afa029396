import * as z from 'zod';
import { invalid } from '#lib/platform/errors.ts';

const DAY_SECONDS = 86_400;
/** The name of a lock: short, and fit for a key of the table. */
const LOCK_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/**
 * How an action of a check is guarded, so that it may repair by itself: when it is left out, how often it is tried, and
 * how long its effect is waited for (docs/CONTRACT.md#remediation).
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
export function mustBeGuardable({
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
