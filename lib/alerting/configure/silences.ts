import * as z from 'zod';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import { type AccountSilence, readAlerting } from '#lib/alerting/policy/account-alerting.ts';
import { type SuppressionExtent, suppressionDenial } from '#lib/alerting/policy/suppression-access.ts';
import type { Audited } from '#lib/audit/write.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { type SilenceEntry, silencedBy } from '#lib/catalog/silence-list.ts';
import { assertSilenceEnd, SilenceReason } from '#lib/catalog/silence-settings.ts';
import { entityPage } from '#lib/catalog/store.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { CheckSelector, type Selector, selects } from '#lib/checks/selector.ts';
import { checksOf } from '#lib/checks/settings/store.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { CreatedAt, IdOf } from '#lib/platform/http/route.ts';
import { Instant } from '#lib/platform/instant.ts';
import { pick } from '#lib/platform/plain-data.ts';
import { iso } from '#lib/platform/time.ts';
import { changeAlerting } from './change-alerting.ts';

const MAX_SILENCES = 100;

const DESCRIPTIONS = {
  applies_to: 'Silenced checks: those that match every property; null: all.',
  until: 'End, at most 30 days from now.',
  reason: 'Reason, human-readable.',
};

export const NewSilence = z
  .object({
    applies_to: CheckSelector.nullable().describe(DESCRIPTIONS.applies_to),
    until: Instant.describe(DESCRIPTIONS.until),
    reason: SilenceReason.describe(DESCRIPTIONS.reason).default(''),
  })
  .meta({ id: 'NewSilence' });
type NewSilence = z.output<typeof NewSilence>;

const AccountSilenceRecord = z.object({
  id: IdOf('the silence'),
  applies_to: CheckSelector.nullable().describe(DESCRIPTIONS.applies_to),
  until: z.iso.datetime().describe(DESCRIPTIONS.until),
  reason: z.string().describe(DESCRIPTIONS.reason),
  created_at: CreatedAt,
  created_by: z.string().describe('Author: e-mail address of a user, label of a key without a user, or `alert link`.'),
});

export const MadeSilence = AccountSilenceRecord.extend({
  notice: z.string().nullable().describe('Warning that no check matches applies_to yet; else null.'),
}).meta({ id: 'MadeSilence' });

export const SilenceRecord = AccountSilenceRecord.extend({
  scope: z
    .enum(['account', 'entity', 'check'])
    .describe(
      'account: created with POST /v1/notify/silences. entity: `silenced` of the entity. check: `silenced` of the policy of the check.',
    ),
  id: z.string().nullable().describe('Id of a silence of the account; null for an entity or a check.'),
  entity_id: z.string().nullable().describe('Silenced entity, or entity of the silenced check; else null.'),
  check_id: z.string().nullable().describe('Silenced check; else null.'),
  applies_to: CheckSelector.nullable().describe('Scope account: silenced checks; null: all. Other scopes: null.'),
  until: z.iso.datetime().nullable().describe('End; null if it lasts until a user removes it.'),
  created_at: z.iso.datetime().describe('Time of the last change of the silence.'),
}).meta({ id: 'Silence' });
type SilenceRecord = z.infer<typeof SilenceRecord>;

export const silenceView = (silence: AccountSilence): z.infer<typeof AccountSilenceRecord> =>
  pick(AccountSilenceRecord, { ...silence, until: iso(silence.until) });

const auditedSilence: Audited<AccountSilence> = {
  type: 'silence',
  target: ({ id, reason }) => ({ id, name: reason || 'silence' }),
  properties: ({ applies_to, until, reason }) => ({ applies_to, until: iso(until), reason }),
};

type AccountSilenceEntry = SilenceEntry & Pick<AccountSilence, 'applies_to'>;

/** Reads the active silences: account silences (newest first), then silences of entities, then of checks. */
export const silenceList =
  (context: Context): Reader<SilenceRecord> =>
  async (after, limit) => {
    const { ports, keys, tenant } = context;
    const query = { partition: keys.silences(tenant), descending: true, limit, after };
    const { items, next } = await ports.table.query<SilenceEntry | AccountSilenceEntry>(query);
    const now = ports.clock.now();
    const active = items.filter(({ until }) => until === undefined || until > now);
    const subjects = await ports.table.getMany(
      active.map(({ pk, sk, check_id, entity_id }) =>
        check_id ? keys.check(tenant, check_id) : entity_id ? keys.entity(tenant, entity_id) : { pk, sk },
      ),
    );
    const found = active.flatMap((entry, i) => (subjects[i] ? [{ at: entry.sk, value: listedView(entry) }] : []));
    return { found, next };
  };

const listedView = (entry: SilenceEntry | AccountSilenceEntry): SilenceRecord => ({
  scope: entry.scope,
  id: entry.id ?? null,
  entity_id: entry.entity_id ?? null,
  check_id: entry.check_id ?? null,
  applies_to: 'applies_to' in entry ? entry.applies_to : null,
  until: entry.until === undefined ? null : iso(entry.until),
  reason: entry.reason,
  created_at: entry.created_at,
  created_by: entry.created_by,
});

/** Finds an active silence of the account. @throws AppError NOT_FOUND also after its end */
export async function requireSilence(context: Context, id: string): Promise<AccountSilence> {
  const { silences } = await readAlerting(context, context.tenant);
  const silence = silences.find((one) => one.id === id && one.until > context.ports.clock.now());
  if (!silence) throw notFound(`Silence ${id}`);
  return silence;
}

/** Asserts that the caller may suppress alerts to this extent. @throws AppError FORBIDDEN or READ_ONLY */
export function assertMaySuppress({ caller }: Context, extent: SuppressionExtent): void {
  const denial = suppressionDenial(caller, extent);
  if (denial) throw new AppError(denial.code, denial.message);
}

/**
 * Silences selected checks. Throws VALIDATION_ERROR for an end out of range, LIMIT_EXCEEDED beyond 100, FORBIDDEN if
 * the silence covers all checks or lasts more than a day, and the caller has no `write`.
 */
export async function addSilence(context: Context, { applies_to, until, reason }: NewSilence): Promise<AccountSilence> {
  const { ports, keys, tenant } = context;
  const now = ports.clock.now();
  assertSilenceEnd('until', until, now);
  assertMaySuppress(context, { covers_all: applies_to === null, lasts_ms: until - now });
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
    created_by: silencedBy(context),
  };
  const { pk: _pk, sk: _sk, v: _v, ...listed } = silence;
  const entry: AccountSilenceEntry = { ...keys.silence(tenant, id), scope: 'account', ...listed };
  const auditWrites = auditWriter(context, 'create', auditedSilence);
  await changeAlerting(context, ({ silences }) => {
    if (silences.filter((one) => one.until > now).length >= MAX_SILENCES) {
      throw new AppError('LIMIT_EXCEEDED', `An account has at most ${MAX_SILENCES} silences. End one first.`);
    }
    return { writes: [{ put: silence, if: 'absent' }, { put: entry }, ...auditWrites(undefined, silence)] };
  });
  return silence;
}

/** Ends a silence early and rechecks the suppressed alerts. */
export async function endSilence(context: Context, silence: AccountSilence): Promise<void> {
  const { keys, tenant } = context;
  const auditWrites = auditWriter(context, 'end', auditedSilence);
  await changeAlerting(context, ({ silences }) => {
    if (!silences.some(({ id }) => id === silence.id)) throw notFound(`Silence ${silence.id}`);
    const gone = { delete: keys.accountSilence(tenant, silence.id), if: { version: silence.v } };
    const unlisted = { delete: keys.silence(tenant, silence.id) };
    return { writes: [gone, unlisted, ...auditWrites(silence, undefined)], rechecks: true };
  });
}

const ENTITIES_AT_ONCE = 40;
const MAX_ENTITIES = 2_000;

const NO_MATCH = 'No check matches this selection yet. It applies to checks that are added later.';

/** Returns a warning if a selection matches no check yet; null if it matches, or if the search reaches its limit. */
export async function noticeOf(context: Context, selector: Selector | null): Promise<string | null> {
  if (selector === null) return null;
  if (selector.check_ids || selector.entity_ids) return (await matchesNamed(context, selector)) ? null : NO_MATCH;
  let searched = 0;
  let from: string | undefined;
  do {
    const { items, next } = await entityPage(context, { after: from }, ENTITIES_AT_ONCE);
    if (await matchesAny(context, items, selector)) return null;
    searched += items.length;
    from = next;
  } while (from !== undefined && searched < MAX_ENTITIES);
  return from === undefined ? NO_MATCH : null;
}

/** Whether a selection by ids of checks or entities matches a check. */
async function matchesNamed(context: Context, selector: Selector): Promise<boolean> {
  const { ports, keys, tenant } = context;
  const { check_ids, entity_ids } = selector;
  const checks = await ports.table.getMany<CheckItem>((check_ids ?? []).map((id) => keys.check(tenant, id)));
  const ids = check_ids ? checks.flatMap((check) => check?.entity_id ?? []) : (entity_ids ?? []);
  const entities = await ports.table.getMany<EntityItem>([...new Set(ids)].map((id) => keys.entity(tenant, id)));
  return matchesAny(
    context,
    entities.filter((entity) => entity !== undefined),
    selector,
  );
}

async function matchesAny(context: Context, entities: EntityItem[], selector: Selector): Promise<boolean> {
  const { labels: _unknown, check_ids: _own, ...ofEntity } = selector;
  const matching = entities.filter((entity) => selects(ofEntity, { check: { id: '' }, entity }));
  const byId = new Map(matching.map((entity) => [entity.id, entity]));
  const checks = await checksOf(context, matching);
  return checks.some((check) => selects(selector, { check, entity: byId.get(check.entity_id)! }));
}
