import { actOnDeadline, type Due, situationOf, type TimedDecision } from '#lib/alerting/deadlines/timed-alert.ts';
import { nextStepAt, stepTaken } from '#lib/alerting/decide/escalation.ts';
import { isUntold } from '#lib/alerting/decide/recipients.ts';
import { decide } from '#lib/alerting/decide/rules.ts';
import { channelsOfStep } from '#lib/alerting/policy/effective-policy.ts';
import type { Policy } from '#lib/alerting/policy/policy.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Deadline } from '#lib/schedule/entries.ts';

/** Calls whom the next step of an escalation names. */
export const escalate = (env: Env, deadline: DueDeadline): Promise<DueDeadline[]> =>
  actOnDeadline(env, deadline, 'escalation', decideEscalation);

/** While something else than an acknowledgement holds a step back, it is looked at after so long (ms) at most. */
const LOOK_AGAIN_MS = 300_000;

/**
 * Pure: each step once a failure, by the rules that repeats pass too; no cooldown holds it back, and it starts none
 * (docs/CONTRACT.md#escalation). A step that has nobody left to call is passed over.
 */
export function decideEscalation(due: Due): TimedDecision {
  const { check, policy, entry, now } = due;
  const step = check?.alerts.episode?.escalation?.steps ?? 0;
  const at = check && nextStepAt(check.alerts, policy);
  if (!check || at === undefined) return {};
  // Its policy has changed since.
  if (now < at && !entry.note?.at_once) return { next: { deadline: at } };
  const channels = channelsOfStep(policy, step);
  // While nobody was told of the failure, nobody else is called.
  const situation = { ...situationOf(due, 'escalation'), channels: isUntold(due.hold) ? 0 : channels.length };
  const { decision, reason, until } = decide(situation);
  if (decision !== 'planned' && reason !== 'no_channels') return { next: lookAgain(reason, until, now) };

  const alerts = stepTaken(check.alerts, channels);
  if (reason === 'no_channels')
    return { alerts, next: policy.escalation[step + 1] && { deadline: now, note: { at_once: true } } };
  return {
    alerts,
    alert: { situation, announces: 'down', cooldown: null, channels, step },
    next: after(alerts, policy, now),
  };
}

/** Whoever takes an acknowledgement back has the step looked at. */
function lookAgain(reason: string | null, until: number | undefined, now: number): Deadline | undefined {
  if (reason === 'acknowledged') return until === undefined ? undefined : { deadline: until };
  const latest = now + LOOK_AGAIN_MS;
  return { deadline: until !== undefined && until > now ? Math.min(until, latest) : latest };
}

/** The next step at its time; behind one that came late it keeps its distance, so that not all are called at once. */
function after(alerts: CheckItem['alerts'], policy: Policy, now: number): Deadline | undefined {
  const at = nextStepAt(alerts, policy);
  if (at === undefined) return undefined;
  const steps = alerts.episode?.escalation?.steps ?? 0;
  const [taken, next] = [policy.escalation[steps - 1], policy.escalation[steps]];
  const distance = ((next?.after_seconds ?? 0) - (taken?.after_seconds ?? 0)) * 1000;
  return { deadline: Math.max(at, now + distance) };
}
