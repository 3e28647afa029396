import { isDeepStrictEqual } from 'node:util';
import { begun, escalationWrite, nextStepAt } from '#lib/alerting/decide/escalation.ts';
import type { Policy } from '#lib/alerting/policy/policy.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { nextCheck, replaceCheck } from '#lib/checks/next-check.ts';
import type { Env } from '#lib/env.ts';
import { announcedState } from '#lib/health/state/announced.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { dueDeadline } from '#lib/schedule/deadlines.ts';

/**
 * The check beside a change of its policy: held to its version. Where its channels were told that it is down, new steps
 * begin to count now, and those that count already get their new times.
 */
export function policyEscalation(
  { ports, keys }: Env,
  check: CheckItem,
  old: Policy,
  next: Policy,
): { writes: Write[]; deadlines: DueDeadline[] } {
  const held: Write = { check: keys.check(check.tenant_id, check.id), if: { version: check.v } };
  if (isDeepStrictEqual(old.escalation, next.escalation)) return { writes: [held], deadlines: [] };
  const now = ports.clock.now();
  const token = ports.ids.token();
  const alerts = announcedState(check.alerts) === 'down' ? begun(check.alerts, next, 'down', now) : check.alerts;
  if (!alerts.episode?.escalation) return { writes: [held], deadlines: [] };
  const at = nextStepAt(alerts, next);
  const due = at === undefined ? undefined : Math.max(at, now);
  return {
    writes: [
      alerts === check.alerts ? held : replaceCheck(check, nextCheck(check, token, { alerts })),
      escalationWrite(keys, check, token, due),
    ],
    deadlines: due === undefined ? [] : [dueDeadline('escalation', check, due)],
  };
}
