import type { AccountItem } from '#lib/access/account.ts';
import { CopiedToKeys } from '#lib/access/api-key.ts';
import type { Context, Origin } from '#lib/access/context.ts';
import { UNRESTRICTED } from '#lib/access/restriction.ts';
import { createEntity } from '#lib/catalog/change-entity.ts';
import type { EntityPointer } from '#lib/catalog/store.ts';
import { createCheck } from '#lib/checks/change/change-check.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { findCheckBySlug, SlugTaken } from '#lib/checks/settings/check-slugs.ts';
import type { Env } from '#lib/env.ts';
import { AppError } from '#lib/platform/errors.ts';
import { pick } from '#lib/platform/plain-data.ts';
import { RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import type { PingKeyPointer } from './ping-keys.ts';

/** Settings of a check created by a ping. Grace is a day and an hour, because it counts from the last heartbeat. */
const SETTINGS = { interval_seconds: 86_400, failure_threshold: 1, config: { grace_seconds: 90_000 } };

type Wanted = { key: PingKeyPointer; account: AccountItem; slug: string; blueprint: string; origin: Origin };

/**
 * Creates the missing push check of a ping, and its entity of the key's blueprint if missing. Of concurrent calls, one
 * creates the check (`is_new`). Throws LIMIT_EXCEEDED, or CONFLICT if the blueprint requires a field without a default.
 */
export async function provisionCheck(env: Env, wanted: Wanted): Promise<{ check: CheckItem; is_new: boolean }> {
  const { slug } = wanted;
  const context = contextOf(env, wanted);
  try {
    const entity_id = await entityOf(context, wanted);
    const body = { entity_id, check_type: 'push', name: slug, slug, ...SETTINGS };
    return await retryOnConflict(env.ports, async () => {
      try {
        return { check: await createCheck(context, body), is_new: true };
      } catch (error) {
        if (!(error instanceof SlugTaken)) throw error;
        const check = await findCheckBySlug(context, slug);
        return check ? { check, is_new: false } : RETRY;
      }
    });
  } catch (error) {
    throw asConflict(error);
  }
}

async function entityOf(context: Context, { blueprint, slug }: Wanted): Promise<string> {
  const { ports, keys, tenant } = context;
  return retryOnConflict(ports, async () => {
    const present = await ports.table.get<EntityPointer>(keys.entitySlug(tenant, blueprint, slug));
    if (present) return present.entity_id;
    try {
      return (await createEntity(context, blueprint, { slug, name: slug, fields: {} })).id;
    } catch (error) {
      if (error instanceof AppError && error.code === 'CONFLICT') return RETRY;
      throw error;
    }
  });
}

/** Converts a validation error, such as a missing field of the blueprint, to CONFLICT, because the ping is valid. */
const asConflict = (error: unknown): unknown =>
  error instanceof AppError && error.code === 'VALIDATION_ERROR'
    ? new AppError('CONFLICT', error.message, { cause: error })
    : error;

const contextOf = (env: Env, { key, account, origin }: Wanted): Context => ({
  ...env,
  tenant: key.tenant_id,
  origin,
  caller: {
    tenant_id: key.tenant_id,
    user_id: '',
    user_email: '',
    key_id: key.id,
    key_label: key.label,
    role: 'member',
    scopes: null,
    is_read_only: false,
    ...UNRESTRICTED,
    valid_until: null,
    ...pick(CopiedToKeys, account),
  },
});
