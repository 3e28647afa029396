import type { TenantEnv } from '#lib/access/context.ts';
import type { Env } from '#lib/env.ts';
import { chunks } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';
import { pagesOf } from '#lib/platform/table/pages.ts';
import { dueDeadline } from '#lib/schedule/entries.ts';
import { sendDeadlines } from '#lib/schedule/jobs.ts';

type HeldPointer = Item & { entity_id: string; check_id: string };

const AT_ONCE = 500;

/** Rechecks every alert held under a root cause, after its recovery or a failed delivery about it. Idempotent. */
export async function recheckHeldUnder(env: Env, tenant_id: string, root: string): Promise<void> {
  const { ports, keys } = env;
  for await (const pointers of pagesOf<HeldPointer>(ports.table, { partition: keys.heldUnder(tenant_id, root) })) {
    for (const some of chunks(pointers, AT_ONCE)) {
      const at = ports.clock.now();
      await sendDeadlines(
        env,
        some.map(({ entity_id, check_id: id }) => ({
          ...dueDeadline('hold', { tenant_id, entity_id, id }, at),
          woken: true,
        })),
      );
    }
  }
}

const MAX_COUNTED = 1000;
/** Returns the ids of entities whose alerts are held under a root cause, up to 1,000. */
export async function entitiesFailingWith({ ports, keys, tenant }: TenantEnv, root: string): Promise<string[]> {
  const partition = keys.heldUnder(tenant, root);
  const { items } = await ports.table.query<Item & { entity_id: string }>({
    partition,
    limit: MAX_COUNTED,
    eventual: true,
  });
  return [...new Set(items.map(({ entity_id }) => entity_id))];
}
