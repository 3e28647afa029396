import * as z from 'zod';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import { type AccountSilence, readAlerting } from '#lib/alerting/policy/account-alerting.ts';
import { CheckSelector, type Selector, selects } from '#lib/alerting/policy/selector.ts';
import type { Audited } from '#lib/audit/write.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { assertSilenceEnd, SilenceReason } from '#lib/catalog/silence-settings.ts';
import { entitiesById } from '#lib/catalog/store.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checksOf } from '#lib/checks/settings/store.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import { CreatedAt, IdOf } from '#lib/platform/http/route.ts';
import { Instant } from '#lib/platform/instant.ts';
import { pick } from '#lib/platform/plain-data.ts';
import { iso } from '#lib/platform/time.ts';
import { changeAlerting } from './change-alerting.ts';

const MAX_SILENCES = 100;

const MEANINGS = {
  applies_to: 'The checks whose alerts are held back: those that fit every member. null: all of them.',
  until: 'When it ends, at most 30 days from now.',
  reason: 'Why, for people.',
};

export const NewSilence = z
  .object({
    applies_to: CheckSelector.nullable().describe(MEANINGS.applies_to),
    until: Instant.describe(MEANINGS.until),
    reason: SilenceReason.describe(MEANINGS.reason).default(''),
  })
  .meta({ id: 'NewSilence' });
type NewSilence = z.output<typeof NewSilence>;

export const SilenceRecord = z
  .object({
    id: IdOf('the silence'),
    applies_to: CheckSelector.nullable().describe(MEANINGS.applies_to),
    until: z.iso.datetime().describe(MEANINGS.until),
    reason: z.string().describe(MEANINGS.reason),
    created_at: CreatedAt,
    created_by: z.string().describe('E-mail address of the user who made it; empty for a key of nobody.'),
  })
  .meta({ id: 'Silence' });
type SilenceRecord = z.infer<typeof SilenceRecord>;

export const MadeSilence = SilenceRecord.extend({
  notice: z.string().nullable().describe('Said where no check fits applies_to at present; else null.'),
}).meta({ id: 'MadeSilence' });

export const silenceView = (silence: AccountSilence): SilenceRecord =>
  pick(SilenceRecord, { ...silence, until: iso(silence.until) });

const auditedSilence: Audited<AccountSilence> = {
  type: 'silence',
  target: ({ id, reason }) => ({ id, name: reason || 'silence' }),
  members: ({ applies_to, until, reason }) => ({ applies_to, until: iso(until), reason }),
};

/** The silences of the account that hold now, oldest first. */
export async function silencesNow(context: Context): Promise<AccountSilence[]> {
  const now = context.ports.clock.now();
  const { silences } = await readAlerting(context, context.tenant);
  return silences.filter(({ until }) => until > now);
}

/** @throws AppError NOT_FOUND also for one that is over */
export async function requireSilence(context: Context, id: string): Promise<AccountSilence> {
  const silence = (await silencesNow(context)).find((one) => one.id === id);
  if (!silence) throw notFound(`Silence ${id}`);
  return silence;
}

/**
 * Holds back the alerts of a selection of checks until a time. What it held back is told at its end, if it still holds.
 * @throws AppError VALIDATION_ERROR for an end that is not ahead, LIMIT_EXCEEDED beyond 100 that hold
 */
export async function addSilence(context: Context, { applies_to, until, reason }: NewSilence): Promise<AccountSilence> {
  const { ports, keys, tenant, caller } = context;
  const now = ports.clock.now();
  assertSilenceEnd('until', until, now);
  const id = ports.ids.id('sil');
  const silence: AccountSilence = {
    ...keys.accountSilence(tenant, id),
    v: ports.ids.token(),
    expires_at: Math.ceil(until / 1000),
    id,
    applies_to,
    until,
    reason,
    created_at: iso(now),
    created_by: caller.user_email,
  };
  const note = auditWriter(context, 'create', auditedSilence);
  await changeAlerting(context, ({ silences }) => {
    if (silences.filter((one) => one.until > now).length >= MAX_SILENCES) {
      throw new AppError('LIMIT_EXCEEDED', `An account has at most ${MAX_SILENCES} silences. End one first.`);
    }
    return { writes: [{ put: silence, if: 'absent' }, ...note(undefined, silence)] };
  });
  return silence;
}

/** Ends a silence before its time: what it held back is looked at at once. */
export async function endSilence(context: Context, silence: AccountSilence): Promise<void> {
  const { keys, tenant } = context;
  const note = auditWriter(context, 'end', auditedSilence);
  await changeAlerting(context, ({ silences }) => {
    if (!silences.some(({ id }) => id === silence.id)) throw notFound(`Silence ${silence.id}`);
    const gone = { delete: keys.accountSilence(tenant, silence.id), if: { version: silence.v } };
    return { writes: [gone, ...note(silence, undefined)], wakes: true };
  });
}

/** So many entities are looked at together, and at most. */
const ENTITIES_AT_ONCE = 40;
const MAX_ENTITIES = 2_000;

const NOTHING_FITS = 'No check fits this selection at present. It counts from the moment that one does.';

/**
 * What whoever states a selection is to know: that it fits no check yet, which is no error, as the checks may come
 * later. Null where one fits, or where there are too many to look at.
 */
export async function noticeOf(context: Context, selector: Selector | null): Promise<string | null> {
  if (selector === null) return null;
  if (selector.check_ids || selector.entity_ids) return (await someNamedFits(context, selector)) ? null : NOTHING_FITS;
  let looked = 0;
  let from: string | undefined;
  do {
    const { items, next } = await entitiesById(context, { after: from }, ENTITIES_AT_ONCE);
    if (await someFits(context, items, selector)) return null;
    looked += items.length;
    from = next;
  } while (from !== undefined && looked < MAX_ENTITIES);
  return from === undefined ? NOTHING_FITS : null;
}

/** The same of checks that are named, or whose entities are. */
async function someNamedFits(context: Context, selector: Selector): Promise<boolean> {
  const { ports, keys, tenant } = context;
  const { check_ids, entity_ids } = selector;
  const checks = await ports.table.getMany<CheckItem>((check_ids ?? []).map((id) => keys.check(tenant, id)));
  const ids = check_ids ? checks.flatMap((check) => check?.entity_id ?? []) : (entity_ids ?? []);
  const entities = await ports.table.getMany<EntityItem>([...new Set(ids)].map((id) => keys.entity(tenant, id)));
  return someFits(
    context,
    entities.filter((entity) => entity !== undefined),
    selector,
  );
}

async function someFits(context: Context, entities: EntityItem[], selector: Selector): Promise<boolean> {
  const { labels: _unknown, check_ids: _own, ...ofEntity } = selector;
  const fitting = entities.filter((entity) => selects(ofEntity, { check: { id: '' }, entity }));
  const byId = new Map(fitting.map((entity) => [entity.id, entity]));
  const checks = await checksOf(context, fitting);
  return checks.some((check) => selects(selector, { check, entity: byId.get(check.entity_id)! }));
}
