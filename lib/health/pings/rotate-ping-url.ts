import * as z from 'zod';
import { auditing } from '#lib/access/auditing.ts';
import type { Context } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { nextCheck, replaceCheck } from '#lib/checks/next-check.ts';
import { auditedCheck } from '#lib/checks/settings/check-record.ts';
import { noPingUrl, pingUrlWrites } from '#lib/checks/settings/ping-url.ts';
import { notFound } from '#lib/platform/errors.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';

export const PingUrlRotation = z
  .object({
    keep_old_seconds: z
      .int()
      .min(0)
      .max(604_800)
      .describe('For how long the address of before works beside the new one, in seconds. Default 0: no longer.')
      .default(0),
  })
  .meta({ id: 'PingUrlRotation' });

/**
 * Gives a push check another ping URL. The one of before works for as long as is said; one that was kept from an
 * earlier rotation works no more. Throws NOT_FOUND.
 */
export async function rotatePingUrl(
  context: Context,
  stored: CheckItem,
  { keep_old_seconds }: z.output<typeof PingUrlRotation>,
): Promise<CheckItem> {
  const { ports, keys, tenant } = context;
  const note = auditing(context, 'rotate', auditedCheck);
  const uuid = ports.ids.uuid();
  return untilDone(ports, async (tries) => {
    const check = tries === 0 ? stored : await ports.table.get<CheckItem>(keys.check(tenant, stored.id));
    if (!check?.ping) throw notFound(`Check ${stored.id}`);
    const now = ports.clock.now();
    const { uuid: before, old } = check.ping;
    const until = now + keep_old_seconds * 1000;
    const kept = keep_old_seconds > 0 && { old: { uuid: before, until } };
    const next = nextCheck(check, ports.ids.token(), { ping: { uuid, ...kept }, updated_at: iso(now) });
    const done = await commit(ports, [
      replaceCheck(check, next),
      ...pingUrlWrites(keys, check, uuid),
      ...(kept ? pingUrlWrites(keys, check, before, until) : noPingUrl(keys, check, before)),
      ...(old ? noPingUrl(keys, check, old.uuid) : []),
      ...note(check, next, { keep_old_seconds: String(keep_old_seconds) }),
    ]);
    return done.ok ? next : AGAIN;
  });
}
