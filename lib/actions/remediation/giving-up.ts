import type { ActionItem } from '#lib/actions/action-item.ts';
import { type AlertItem, alertItem } from '#lib/alerting/decide/alert-item.ts';
import { begun, escalationChange, nextStepNow } from '#lib/alerting/decide/escalation.ts';
import { toldMeanwhile } from '#lib/alerting/decide/repair.ts';
import { decide } from '#lib/alerting/decide/rules.ts';
import { decidedOn, type Situation } from '#lib/alerting/decide/situation.ts';
import { channelsThatApply } from '#lib/alerting/policy/effective-policy.ts';
import { policyAsRead } from '#lib/alerting/policy/policy.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { nextCheck, replaceCheck } from '#lib/checks/next-check.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import type { Env } from '#lib/env.ts';
import { withAnnounced } from '#lib/health/alerting/remembered.ts';
import { announcementOf } from '#lib/health/state/announced.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import type { DeadlineEntry } from '#lib/schedule/deadlines.ts';
import { policyNow } from './policy-now.ts';
import { isWell } from './read-case.ts';
import type { SeriesItem } from './series.ts';

/** What is written and sent; or they hold it back until then (epoch ms). */
type GivingUp = { writes: Write[]; deadlines: DueDeadline[] } | { again: number };

type GivenUp = {
  action: ActionItem;
  check: CheckItem;
  transition: TransitionItem;
  series: SeriesItem;
  /** The deadline of an alert of the check that is held. */
  hold: DeadlineEntry | undefined;
};

/**
 * People are told once a series that it did not help: what was tried, how often, and what came of it. The rules of
 * alerting decide whether anybody is. With it the next step of an escalation is due, or its steps begin to count where
 * it is the first alert of the failure. Undefined where people were told, or the check is well by now.
 */
export async function givingUp(
  env: Env,
  { action, check, transition, series, hold }: GivenUp,
  token: string,
  now: number,
): Promise<GivingUp | undefined> {
  const found = series.told || isWell(action, check) ? undefined : await policyNow(env, check);
  if (!found) return undefined;
  const { keys } = env;
  const { policy, stored } = found;
  const { tenant_id, id: check_id, entity_id, state } = check;
  const announces = announcementOf(state, policy);
  const channels = channelsThatApply(policy, announces, check.alerts);
  const situation: Situation = {
    ...decidedOn(check, check.alerts, policy, channels, now),
    ...{ kind: 'remediation_failed', cause: null, from: state, to: state },
  };
  const { decision, until } = decide(situation);
  if (decision !== 'planned') return until === undefined ? { writes: [], deadlines: [] } : { again: until };
  const item: AlertItem = alertItem(keys, {
    ...{ tenant_id, check_id, entity_id, transition, announces, channels, at: now, n: series.attempts },
    kind: 'remediation_failed',
    ...(transition.incident && { incident_id: transition.incident.id }),
    expires_at: transition.expires_at,
    decided_on: situation,
    remediation: {
      action_id: action.id,
      action_name: action.name,
      attempts: series.attempts,
      verdict: series.last?.verdict ?? 'unverified',
    },
  });
  const told = withAnnounced(check.alerts, [{ id: item.id, announces }]);
  const after = begun(told, policy, announces, now);
  const escalation =
    after === told
      ? nextStepNow(keys, check, token, policy, now)
      : escalationChange(keys, check, token, { before: told, after, policy });
  return {
    writes: [
      { put: item, if: 'absent' },
      replaceCheck(check, nextCheck(check, token, { alerts: after })),
      policyAsRead(keys, check, stored),
      ...toldMeanwhile(keys, check, hold, item, token),
      ...escalation.writes,
    ],
    deadlines: escalation.deadlines,
  };
}
