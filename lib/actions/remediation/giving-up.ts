import type { ActionItem } from '#lib/actions/action-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { nextCheck, replaceCheck } from '#lib/checks/next-check.ts';
import { defaultPolicy, type PolicyItem } from '#lib/checks/policy-item.ts';
import type { Env } from '#lib/env.ts';
import { type AlertItem, alertItem } from '#lib/health/alerting/alert-item.ts';
import { decide } from '#lib/health/alerting/decide.ts';
import { decidedOn, type Situation } from '#lib/health/alerting/situation.ts';
import { announce, announcementOf } from '#lib/health/state/announced.ts';
import type { TransitionItem } from '#lib/health/state/transition-item.ts';
import type { Write } from '#lib/platform/ports.ts';
import { isWell } from './read-case.ts';
import type { SeriesItem } from './series.ts';

type GivenUp = { action: ActionItem; check: CheckItem; transition: TransitionItem; series: SeriesItem };

/**
 * People are told once a series that it did not help: what was tried, how often, and what came of it. Undefined where
 * they were, or the check is well by now. The rules of alerting decide whether anybody is told.
 */
export async function givingUp(
  { ports, keys }: Env,
  { action, check, transition, series }: GivenUp,
  token: string,
  now: number,
): Promise<{ writes: Write[] } | undefined> {
  if (series.told || isWell(action, check)) return undefined;
  const { tenant_id, id: check_id, entity_id, state } = check;
  const key = keys.policy(tenant_id, check_id);
  const stored = await ports.table.get<PolicyItem>(key);
  const policy = stored ?? defaultPolicy(keys, check);
  const situation: Situation = {
    ...decidedOn(check, check.alerts, policy, policy.channels, now),
    ...{ kind: 'remediation_failed', cause: null, from: state, to: state },
  };
  if (decide(situation).decision !== 'planned') return { writes: [] };
  const announces = announcementOf(state, policy);
  const item: AlertItem = alertItem(keys, {
    ...{ tenant_id, check_id, entity_id, transition, at: now, n: series.attempts, channels: policy.channels },
    kind: 'remediation_failed',
    announces,
    expires_at: transition.expires_at,
    decided_on: situation,
    remediation: {
      action_id: action.id,
      action_name: action.name,
      attempts: series.attempts,
      verdict: series.last?.verdict ?? 'unverified',
    },
  });
  const told = { ...check.alerts, announced: announce(check.alerts, { id: item.id, announces }) };
  return {
    writes: [
      { put: item, if: 'absent' },
      replaceCheck(check, nextCheck(check, token, { alerts: told })),
      { check: key, if: stored ? { version: stored.v } : 'absent' },
    ],
  };
}
