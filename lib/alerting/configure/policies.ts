import { isDeepStrictEqual } from 'node:util';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context, MutationContext, TenantEnv } from '#lib/access/context.ts';
import { readCheckAlerting } from '#lib/alerting/decide/check-alerting.ts';
import { effectivePolicy } from '#lib/alerting/policy/effective-policy.ts';
import { emptyPolicy, type PolicyItem } from '#lib/alerting/policy/policy.ts';
import { type EscalationStep, POLICY_NAMES, type PolicySettings } from '#lib/alerting/policy/settings.ts';
import { silenceEntryWrites } from '#lib/catalog/silence-list.ts';
import { withSilence } from '#lib/catalog/silence-settings.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { type ErrorDetail, invalid, notFound } from '#lib/platform/errors.ts';
import { assertUnchanged, refusal } from '#lib/platform/http/validation.ts';
import type { Write } from '#lib/platform/ports.ts';
import { RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { sendDeadlines } from '#lib/schedule/jobs.ts';
import type { Settings } from '#lib/settings.ts';
import { policyDeadlines, policyEscalation } from './policy-deadlines.ts';
import type { PolicyInput } from './policy-schemas.ts';
import { auditedPolicy, type PolicyOfCheck } from './views.ts';

/** Reads the policy of a check. @throws AppError NOT_FOUND if its entity was deleted */
export async function readPolicy(context: Context, check: CheckItem): Promise<PolicyOfCheck> {
  const { entity, stored, account, policy } = await readCheckAlerting(context, check, { check });
  if (!entity) throw notFound(`Check ${check.id}`);
  return { check, entity, stored: stored ?? emptyPolicy(context.keys, check), account, policy };
}

/** Changes the given settings; null restores the default of the account. */
export async function updatePolicy(
  context: Context,
  check: CheckItem,
  { check_id, channels, ...input }: PolicyInput,
): Promise<PolicyOfCheck> {
  const { ports } = context;
  assertUnchanged({ check_id: check.id }, { check_id });
  assertReminderInterval(ports.settings, input.repeat_interval_seconds);
  const auditWrites = auditWriter(context, 'update', auditedPolicy);
  return savePolicy(
    context,
    check,
    ({ stored, policy, account }) => {
      assertSameChannels(stored, channels);
      const changed = withSettings(withSilence(stored, input, ports.clock.now()), input, policy);
      if (!isDeepStrictEqual(changed.escalation, stored.escalation)) {
        assertTargetsExist(
          changed.escalation ?? [],
          { channels: [...stored.channels, ...account.channels], rotas: account.rotas },
          'of this check or the account; GET /v1/notify/channels lists them',
        );
      }
      return changed;
    },
    auditWrites,
  );
}

/** Asserts a valid reminder interval. @throws AppError VALIDATION_ERROR below the minimum probe interval */
export function assertReminderInterval({ MIN_INTERVAL_SECONDS }: Settings, seconds: number | null | undefined): void {
  if (!seconds || seconds >= MIN_INTERVAL_SECONDS) return;
  throw invalid('repeat_interval_seconds', `must be 0 or at least ${MIN_INTERVAL_SECONDS}`);
}

type Ids = readonly { id: string }[];

/**
 * Asserts that the steps name only channels and rotas in `known`. Throws VALIDATION_ERROR.
 * @param where end of the message: whose channels, and how to list them
 */
export function assertTargetsExist(
  steps: readonly EscalationStep[],
  known: { channels: Ids; rotas: Ids },
  where: string,
): void {
  const unknown = steps.flatMap(({ channel_ids, rota_ids = [] }, i): ErrorDetail[] => [
    ...missing(`escalation.${i}.channel_ids`, channel_ids, known.channels, `is not a channel ${where}`),
    ...missing(`escalation.${i}.rota_ids`, rota_ids, known.rotas, 'is not a rota; GET /v1/rotas lists them'),
  ]);
  if (unknown.length > 0) throw refusal(unknown);
}

const missing = (path: string, ids: readonly string[], known: Ids, message: string): ErrorDetail[] =>
  ids.flatMap((id, j) => (known.some((one) => one.id === id) ? [] : [{ path: `${path}.${j}`, message }]));

type SettingChanges = { [name in keyof PolicySettings]?: PolicySettings[name] | null } & { inherited?: string[] };

/** Applies changes to settings; null removes one, and an inherited value that is sent unchanged stays inherited. */
export function withSettings<Stored extends Partial<PolicySettings>>(
  stored: Stored,
  { inherited = [], ...input }: SettingChanges,
  inEffect: PolicySettings,
): Stored {
  const next: Record<string, unknown> = { ...stored };
  for (const name of POLICY_NAMES) {
    const isAsRead =
      stored[name] === undefined && inherited.includes(name) && isDeepStrictEqual(input[name], inEffect[name]);
    if (input[name] === undefined || isAsRead) continue;
    if (input[name] === null) delete next[name];
    else next[name] = input[name];
  }
  return next as Stored;
}

/** Asserts that the channels in a request are unchanged, so that a policy can be sent back as returned. */
function assertSameChannels({ check_id, channels }: PolicyItem, given: PolicyInput['channels']): void {
  const settings = ({ id, channel_type, config }: { [member in 'id' | 'channel_type' | 'config']?: unknown }) => ({
    id,
    channel_type,
    config,
  });
  if (!given || isDeepStrictEqual(given.map(settings), channels.map(settings))) return;
  const path = `/v1/checks/${check_id}/policy/channels`;
  const how = `POST ${path} adds one, PUT ${path}/{id} changes one, DELETE removes it`;
  throw invalid('channels', `cannot be changed here; ${how}`);
}

/**
 * Writes a policy and `extraWrites` in one transaction, unless the policy is unchanged. Requires the version of the
 * check, so that a concurrent deletion leaves no policy. @throws AppError NOT_FOUND if the check was deleted
 */
export function savePolicy(
  context: TenantEnv & MutationContext,
  { id, entity_id }: Pick<CheckItem, 'id' | 'entity_id'>,
  change: (before: PolicyOfCheck) => PolicyItem,
  extraWrites: (before: PolicyOfCheck, after: PolicyOfCheck) => Write[],
): Promise<PolicyOfCheck> {
  const { ports, keys, tenant } = context;
  const v = ports.ids.token();
  return retryOnConflict(ports, async () => {
    const read = await readCheckAlerting(context, { tenant_id: tenant, entity_id, id });
    const { check, entity, stored: item, account, policy, now } = read;
    if (!check || !entity) throw notFound(`Check ${id}`);
    const before = { check, entity, stored: item ?? emptyPolicy(keys, check), account, policy };
    if (item?.v === v) return before;

    const changed = change(before);
    if (isDeepStrictEqual(changed, before.stored)) return before;
    const next: PolicyItem = { ...changed, v, updated_at: iso(now) };
    const after = { ...before, stored: next, policy: effectivePolicy(next, { check, entity, account, now }) };
    const deadlines = await policyDeadlines(context, check, before.policy, after.policy);
    const escalation = policyEscalation(context, check, before.policy, after.policy);
    const writes: Write[] = [
      { put: next, if: item ? { version: item.v } : 'absent' },
      ...escalation.writes,
      ...deadlines.writes,
      ...silenceEntryWrites(context, { entity_id, check_id: id }, before.stored, next),
      ...extraWrites(before, after),
    ];
    if (!(await ports.table.transact(writes)).ok) return RETRY;
    await sendDeadlines(context, [...deadlines.deadlines, ...escalation.deadlines]);
    return after;
  });
}
