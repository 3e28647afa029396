import * as z from 'zod';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context, MutationContext, TenantEnv } from '#lib/access/context.ts';
import { type AlertItem, alertItem } from '#lib/alerting/decide/alert-item.ts';
import { readCheckAlerting } from '#lib/alerting/decide/check-alerting.ts';
import { escalationWrite, nextStepAt } from '#lib/alerting/decide/escalation.ts';
import type { Deadline } from '#lib/alerting/decide/notes.ts';
import { reportedStateOf, withAcknowledgement } from '#lib/alerting/decide/notified-state.ts';
import { followUpTargets } from '#lib/alerting/decide/recipients.ts';
import { decisionInputOf, type RuleInput } from '#lib/alerting/decide/rule-input.ts';
import { decide } from '#lib/alerting/decide/rules.ts';
import { lastTransition } from '#lib/alerting/decide/transition.ts';
import type { Policy } from '#lib/alerting/policy/policy.ts';
import type { Audited } from '#lib/audit/write.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { assertSilenceEnd } from '#lib/catalog/silence-settings.ts';
import { type AcknowledgementRecord, acknowledgementAt, acknowledgementRecord } from '#lib/checks/acknowledgement.ts';
import { type Acknowledgement, type CheckItem, nextCheck, replaceCheck } from '#lib/checks/check-item.ts';
import { checkTarget } from '#lib/checks/types/registry.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import { Instant } from '#lib/platform/instant.ts';
import type { Write } from '#lib/platform/ports.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { line } from '#lib/platform/text.ts';
import { iso } from '#lib/platform/time.ts';
import { dueDeadline } from '#lib/schedule/entries.ts';
import { sendDeadlines } from '#lib/schedule/jobs.ts';
import { rootAcknowledgeWrites, rootUnacknowledgeWrites } from './root-acknowledged.ts';

type Acknowledged = {
  check: CheckItem;
  entity: Pick<EntityItem, 'dependents' | 'incident'>;
  policy: Policy;
  hold: Deadline | undefined;
  acknowledgement: Acknowledgement;
  now: number;
};

/** Returns the alert about an acknowledgement for the recipients of the failure; undefined if no alert is due. */
async function acknowledgedAlert(
  env: TenantEnv,
  { check, entity, policy, hold, acknowledgement, now }: Acknowledged,
): Promise<AlertItem | undefined> {
  const reports_state = reportedStateOf(check.state, policy);
  // A degraded check counts as up if its policy no longer alerts on degraded.
  if (reports_state === 'up') return undefined;
  const channels = followUpTargets(hold, policy, reports_state, check.alerts);
  const input: RuleInput = {
    ...decisionInputOf(check.alerts, policy, channels, now),
    ...{ kind: 'acknowledged', cause: null, from: check.state, to: check.state },
  };
  if (decide(input).decision !== 'planned') return undefined;
  const { tenant_id, entity_id, id: check_id } = check;
  const transition = await lastTransition(env, tenant_id, check_id);
  if (!transition) return undefined;
  return alertItem(env.keys, {
    ...{ tenant_id, entity_id, check_id, reports_state, channels, transition, acknowledgement },
    ...{ kind: 'acknowledged', urgency: 'low', at: now, n: now, decided_on: input },
    ...(entity.incident && { incident_id: entity.incident.id }),
    ...(entity.dependents > 0 && { shares_incident: true }),
    expires_at: transition.expires_at,
  });
}

export const AcknowledgeBody = z
  .object({
    until: Instant.nullable()
      .describe('Latest end of the acknowledgement, at most 30 days from now. It ends earlier if the check recovers.')
      .exactOptional(),
    note: line(0, 500).describe('Human-readable note.').default(''),
  })
  .meta({ id: 'Acknowledge' });

/** Scope of an actor: a caller or an alert link. */
type ActorScope = TenantEnv & MutationContext;
/** `until`: epoch ms. */
type Wanted = Pick<Acknowledgement, 'by' | 'via' | 'channel_id' | 'note'> & { until?: number | undefined };

const audited: Audited<CheckItem> = {
  type: 'check',
  target: checkTarget,
  properties: ({ alerts: { episode } }) => {
    const { by, until, note } = episode?.acknowledgement ?? {};
    return { acknowledged_by: by, acknowledged_until: until === undefined ? undefined : iso(until), note };
  },
};

/** Acknowledges as a caller. @throws as `acknowledge` */
export const acknowledgeAs = (
  context: Context,
  check: Pick<CheckItem, 'id' | 'entity_id'>,
  { until, note }: { until?: number | null | undefined; note: string },
): Promise<AcknowledgementRecord> => {
  const { caller, origin } = context;
  const by = caller.user_email || caller.key_label || 'an API key';
  return acknowledge(context, check, { by, via: origin.via, note, until: until ?? undefined });
};

/**
 * Acknowledges a failure, unless it is acknowledged, and notifies the recipients. Reminders and escalation steps stop
 * until `until` or the recovery.
 * @throws AppError CONFLICT without a failure, VALIDATION_ERROR for an end in the past or over 30 days ahead, NOT_FOUND
 */
export async function acknowledge(
  scope: ActorScope,
  { id, entity_id }: Pick<CheckItem, 'id' | 'entity_id'>,
  { until, ...wanted }: Wanted,
  extraWrites: readonly Write[] = [],
): Promise<AcknowledgementRecord> {
  const { ports, keys } = scope;
  if (until !== undefined) assertSilenceEnd('until', until, ports.clock.now());
  const auditWrites = auditWriter(scope, 'acknowledge', audited);
  const v = ports.ids.token();
  return retryOnConflict(ports, async () => {
    const now = ports.clock.now();
    const { check, entity, policy, policyUnchanged, hold } = await readFailing(scope, id, entity_id);
    const present = acknowledgementRecord(check, now);
    if (present) return present;

    const { by, via, channel_id } = wanted;
    const acknowledgement: Acknowledgement = {
      ...{ by, via, at: now, note: wanted.note },
      ...(channel_id !== undefined && { channel_id }),
      ...(until !== undefined && { until }),
    };
    const alerts = withAcknowledgement(check.alerts, acknowledgement);
    const after = nextCheck(check, v, { alerts });
    const alert = await acknowledgedAlert(scope, { check, entity, policy, hold, acknowledgement, now });
    const due = nextStepAt(alerts, policy) === undefined ? undefined : until;
    const writes: Write[] = [
      replaceCheck(check, after),
      policyUnchanged,
      ...(alert ? [{ put: alert, if: 'absent' as const }] : []),
      ...(alerts.episode?.escalation ? [escalationWrite(keys, check, v, due)] : []),
      ...(await rootAcknowledgeWrites(scope, entity, acknowledgement, v)),
      ...auditWrites(check, after),
      ...extraWrites,
    ];
    if (!(await commit(ports, writes)).ok) return RETRY;
    if (due !== undefined) await sendDeadlines(scope, [dueDeadline('escalation', check, due)]);
    return acknowledgementRecord(after, now)!;
  });
}

/** Removes an acknowledgement, if any: reminders and escalation resume, possibly with a step due now. */
export async function unacknowledge(
  scope: ActorScope,
  { id, entity_id }: Pick<CheckItem, 'id' | 'entity_id'>,
): Promise<void> {
  const { ports, keys } = scope;
  const auditWrites = auditWriter(scope, 'unacknowledge', audited);
  const v = ports.ids.token();
  await retryOnConflict(ports, async () => {
    const now = ports.clock.now();
    const { check, entity, policy, policyUnchanged } = await readCheck(scope, id, entity_id);
    if (check.v === v || !acknowledgementAt(check.alerts, now)) return undefined;
    const alerts = withAcknowledgement(check.alerts, undefined);
    const after = nextCheck(check, v, { alerts });
    const planned = nextStepAt(alerts, policy);
    const due = planned === undefined ? undefined : Math.max(planned, now);
    const writes: Write[] = [
      replaceCheck(check, after),
      policyUnchanged,
      ...(alerts.episode?.escalation ? [escalationWrite(keys, check, v, due)] : []),
      ...(await rootUnacknowledgeWrites(scope, entity, v)),
      ...auditWrites(check, after),
    ];
    if (!(await commit(ports, writes)).ok) return RETRY;
    if (due !== undefined) await sendDeadlines(scope, [dueDeadline('escalation', check, due)]);
    return undefined;
  });
}

/** Reads a check with its policy and its held alert. @throws AppError NOT_FOUND */
async function readCheck(scope: TenantEnv, id: string, entity_id: string) {
  const owner = { tenant_id: scope.tenant, entity_id, id };
  const { check, entity, policy, policyUnchanged, deadlines } = await readCheckAlerting(scope, owner, {
    deadlines: ['hold'],
  });
  if (!check || !entity) throw notFound(`Check ${id}`);
  return { check, entity, policy, policyUnchanged, hold: deadlines.hold };
}

/** Reads a check with a failure. @throws AppError CONFLICT */
async function readFailing(scope: TenantEnv, id: string, entity_id: string): ReturnType<typeof readCheck> {
  const read = await readCheck(scope, id, entity_id);
  if (read.check.alerts.episode) return read;
  const { state, state_since } = read.check;
  const stateText = state === 'unknown' ? 'has no state' : `has been ${state} since ${state_since}`;
  throw new AppError('CONFLICT', `Check ${id} ${stateText}: only a failing check can be acknowledged.`);
}
