import type { Context } from '#lib/access/context.ts';
import { entityIdOf } from '#lib/catalog/entity-path.ts';
import type { CheckItem, CheckSettings } from '#lib/checks/check-item.ts';
import { findCheckBySlug } from '#lib/checks/settings/check-slugs.ts';
import { parseCheck, validationContext } from '#lib/checks/settings/model.ts';
import type { StateContext } from '#lib/checks/state/on-change.ts';
import { AppError, invalid, notFound } from '#lib/platform/errors.ts';
import { RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { changeSettings, createCheck } from './change-check.ts';

type Applied = { check: CheckItem; isNew: boolean };

/**
 * Creates or replaces the check with a slug. Omitted settings get their defaults; state, policy and history stay. Only
 * one of concurrent requests creates it. Throws VALIDATION_ERROR, NOT_FOUND, LIMIT_EXCEEDED.
 */
export async function applyCheck(
  context: StateContext,
  slug: string,
  body: { check_type: string; slug?: string | undefined },
): Promise<Applied> {
  if (body.slug !== undefined && body.slug !== slug) {
    throw invalid('slug', `is ${slug} in the path; to change a slug, use PUT /v1/checks/{id}`);
  }
  const requested = { ...body, slug };
  return retryOnConflict(context.ports, async () => {
    const found = await findCheckBySlug(context, slug);
    try {
      return found
        ? { check: await replaceSettings(context, found, requested), isNew: false }
        : { check: await createCheck(context, requested), isNew: true };
    } catch (error) {
      // If the check was created, renamed or deleted concurrently, that can have caused the error.
      const isOther = async () => (await findCheckBySlug(context, slug))?.id !== found?.id;
      if (error instanceof AppError && error.status < 500 && (await isOther())) return RETRY;
      throw error;
    }
  });
}

async function replaceSettings(context: StateContext, found: CheckItem, requested: object): Promise<CheckItem> {
  const { id, slug, check_type } = found;
  const { entity: path, entity_id, ...settings } = parseRequested(context, found, requested);
  const which = `check ${id} with this slug`;
  if (settings.check_type !== check_type) throw invalid('check_type', `cannot be changed; ${which} is ${check_type}`);
  if ((await entityIdOf(context, { id: entity_id, path })) !== found.entity_id) {
    const property = path === undefined ? 'entity_id' : 'entity';
    throw invalid(property, `cannot be changed; ${which} is on entity ${found.entity_id}`);
  }
  return changeSettings(context, found, (check): CheckSettings => {
    if (check.slug !== slug) throw notFound(`Check ${slug}`);
    return { ...settings, entity_id: check.entity_id };
  });
}

/** Parses the request. An interval that was derived from an unchanged schedule stays: it depends on the time. */
function parseRequested(
  { ports }: Context,
  found: CheckItem,
  requested: { interval_seconds?: unknown },
): ReturnType<typeof parseCheck> {
  const settings = parseCheck(requested, validationContext(ports), found);
  const { schedule, timezone } = settings.config;
  const keepsInterval =
    requested.interval_seconds === undefined &&
    schedule !== undefined &&
    schedule === found.config.schedule &&
    timezone === found.config.timezone;
  return keepsInterval ? { ...settings, interval_seconds: found.interval_seconds } : settings;
}
