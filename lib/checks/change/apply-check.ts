import { isDeepStrictEqual } from 'node:util';
import type { Context } from '#lib/access/context.ts';
import { entityIdOf } from '#lib/catalog/entity-path.ts';
import type { CheckItem, CheckSettings } from '#lib/checks/check-item.ts';
import { findCheckBySlug } from '#lib/checks/settings/check-slugs.ts';
import { parseCheck, validationContext } from '#lib/checks/settings/model.ts';
import type { StateContext } from '#lib/checks/state/on-change.ts';
import { AppError, invalid, notFound } from '#lib/platform/errors.ts';
import { RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { changeSettings, createCheck } from './change-check.ts';

/** `isNew`: there was none with the slug. */
type Applied = { check: CheckItem; isNew: boolean };

/**
 * Makes the check that has a slug what a request says: all of its settings, where what is not supplied has its default.
 * One that is the same already is not written. Its state, policy and history stay. Of two that make it at once, one
 * makes it and the other finds it. Throws VALIDATION_ERROR, also for another type or entity, NOT_FOUND, LIMIT_EXCEEDED.
 */
export async function applyCheck(
  context: StateContext,
  slug: string,
  body: { check_type: string; slug?: string | undefined },
): Promise<Applied> {
  if (body.slug !== undefined && body.slug !== slug) {
    throw invalid('slug', `is ${slug} in the path; PUT /v1/checks/{id} gives a check another one`);
  }
  const stated = { ...body, slug };
  return retryOnConflict(context.ports, async () => {
    const found = await findCheckBySlug(context, slug);
    try {
      return found
        ? { check: await replaceSettings(context, found, stated), isNew: false }
        : { check: await createCheck(context, stated), isNew: true };
    } catch (error) {
      // Somebody made, renamed or deleted it meanwhile: what was refused was refused for that.
      const isOther = async () => (await findCheckBySlug(context, slug))?.id !== found?.id;
      if (error instanceof AppError && error.status < 500 && (await isOther())) return RETRY;
      throw error;
    }
  });
}

async function replaceSettings(context: StateContext, found: CheckItem, stated: object): Promise<CheckItem> {
  const { id, slug, check_type } = found;
  const { entity: path, entity_id, ...settings } = parseStated(context, found, stated);
  const which = `check ${id}, which has this slug`;
  if (settings.check_type !== check_type) throw invalid('check_type', `cannot be changed; ${which}, is ${check_type}`);
  if ((await entityIdOf(context, { id: entity_id, path })) !== found.entity_id) {
    const member = path === undefined ? 'entity_id' : 'entity';
    throw invalid(member, `cannot be changed; ${which}, is on entity ${found.entity_id}`);
  }
  return changeSettings(context, found, (check): CheckSettings => {
    if (check.slug !== slug) throw notFound(`Check ${slug}`);
    return { ...settings, entity_id: check.entity_id };
  });
}

/** What follows from a config that is the same is what followed from it then: no schedule changes by itself. */
function parseStated({ ports }: Context, found: CheckItem, stated: object): ReturnType<typeof parseCheck> {
  const judging = validationContext(ports);
  const settings = parseCheck(stated, judging, found);
  return isDeepStrictEqual(settings.config, found.config)
    ? parseCheck(stated, { ...judging, now: found.settings_at }, found)
    : settings;
}
