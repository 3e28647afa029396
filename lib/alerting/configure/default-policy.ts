import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import type { AlertingHead } from '#lib/alerting/policy/account-alerting.ts';
import { effectiveSettings, inheritedOf } from '#lib/alerting/policy/effective-policy.ts';
import { type PolicySettings as Settings, settingChanges } from '#lib/alerting/policy/settings.ts';
import type { Audited } from '#lib/audit/write.ts';
import { pick } from '#lib/platform/plain-data.ts';
import { changeAlerting } from './change-alerting.ts';
import { assertReminderInterval, assertTargetsExist, withSettings } from './policies.ts';
import { Inherited, PolicySettings } from './policy-schemas.ts';

/** Changes of the default policy; omitted settings keep their value. */
export const DefaultPolicyBody = z
  .object({ ...settingChanges, inherited: Inherited })
  .meta({ id: 'DefaultPolicySettings' });

export const DefaultPolicyRecord = z
  .object({
    ...PolicySettings.shape,
    inherited: z
      .array(z.string())
      .describe('Settings that the account does not set; the defaults of the service apply.'),
  })
  .meta({ id: 'DefaultPolicy' });
type DefaultPolicyRecord = z.infer<typeof DefaultPolicyRecord>;

const recordOf = (policy: Partial<Settings>): DefaultPolicyRecord =>
  pick(DefaultPolicyRecord, { ...effectiveSettings(undefined, { policy }), inherited: inheritedOf(policy) });

const audited = (tenant: string): Audited<Partial<Settings>> => ({
  type: 'policy',
  target: () => ({ id: tenant, name: 'default policy' }),
  properties: (policy) => effectiveSettings(undefined, { policy }),
});

export async function readDefaultPolicy({ ports, keys, tenant }: Context): Promise<DefaultPolicyRecord> {
  const head = await ports.table.get<AlertingHead>(keys.alertingHead(tenant));
  return recordOf(head?.policy ?? {});
}

/** Changes the given settings; null restores the default of the service. */
export async function changeDefaultPolicy(
  context: Context,
  input: z.output<typeof DefaultPolicyBody>,
): Promise<DefaultPolicyRecord> {
  assertReminderInterval(context.ports.settings, input.repeat_interval_seconds);
  const auditWrites = auditWriter(context, 'update', audited(context.tenant));
  let result: Partial<Settings> = {};
  await changeAlerting(context, ({ channels, rotas }, head) => {
    const before = head?.policy ?? {};
    result = withSettings(before, input, effectiveSettings(undefined, { policy: before }));
    if (isDeepStrictEqual(before, result)) return undefined;
    if (!isDeepStrictEqual(before.escalation, result.escalation)) {
      assertTargetsExist(
        result.escalation ?? [],
        { channels, rotas },
        'of the account; GET /v1/notify/channels lists them, with scope account',
      );
    }
    return { writes: auditWrites(before, result), policy: result, rechecks: true };
  });
  return recordOf(result);
}
