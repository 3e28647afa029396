import type { AccountItem } from '#lib/access/account.ts';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import { addLoads, type CheckCountItem, checkCountWrite } from '#lib/catalog/check-count.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { entityIdOf } from '#lib/catalog/entity-path.ts';
import { type CheckItem, type CheckSettings, nextCheck, replaceCheck } from '#lib/checks/check-item.ts';
import { findCellWithRoom, placeInCell } from '#lib/checks/settings/cells.ts';
import { assertOnEntity, auditedCheck } from '#lib/checks/settings/check-record.ts';
import { slugWrites } from '#lib/checks/settings/check-slugs.ts';
import { guardSettings, loadOfCheck } from '#lib/checks/settings/guard-settings.ts';
import { changedIn, changesOnlyNames, mergeCheck, parseCheck, validationContext } from '#lib/checks/settings/model.ts';
import { pingUrlWrites } from '#lib/checks/settings/ping-url.ts';
import { pastRevision, revisionItem } from '#lib/checks/settings/revisions.ts';
import { type ChangedState, changeState } from '#lib/checks/state/change-state.ts';
import { aggregate, NO_RESULTS } from '#lib/checks/state/next-state.ts';
import type { StateContext } from '#lib/checks/state/on-change.ts';
import type { TransitionCause } from '#lib/checks/state/transition.ts';
import type { Env, Ports } from '#lib/env.ts';
import { checkIdOf } from '#lib/keys.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import { isId } from '#lib/platform/ids.ts';
import type { Write } from '#lib/platform/ports.ts';
import { RECLAIM_CHECK_AFTER_MS } from '#lib/platform/table/reclaim.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { afterOtherChanges, countedWith } from './count-checks.ts';
import { scheduleChange } from './schedule-change.ts';

/** Creates a check and schedules it. Throws VALIDATION_ERROR, NOT_FOUND, CONFLICT, LIMIT_EXCEEDED. */
export async function createCheck(context: Context, body: object): Promise<CheckItem> {
  const { ports, keys, tenant } = context;
  const { entity: path, entity_id: id, ...settings } = parseCheck(body, validationContext(ports));
  await guardSettings(settings, context);
  const input: CheckSettings = { ...settings, entity_id: await entityIdOf(context, { id, path }) };
  if (!isId('ent', input.entity_id)) throw notFound(`Entity ${input.entity_id}`);
  const auditWrites = auditWriter(context, 'create', auditedCheck);
  const { check, start } = await afterOtherChanges(context, input.entity_id, () =>
    retryOnConflict(ports, async () => {
      const [[entity, account, count], cellsWithRoom] = await Promise.all([
        readEntity(context, tenant, input.entity_id),
        findCellWithRoom(context),
      ]);
      if (Object.keys(entity.checks).length >= account.check_limit_per_entity) {
        throw new AppError(
          'LIMIT_EXCEEDED',
          `The entity has the maximum of ${account.check_limit_per_entity} checks (check_limit_per_entity).`,
        );
      }
      const { cell, number, writes } = await placeInCell(context, entity, cellsWithRoom);
      const check = newCheck(context, input, cell, number);
      const load = loadOfCheck(check);
      const counted = checkCountWrite(context, count, { checks: 1, load }, account);
      const schedule = await scheduleChange(context, check);
      const put: EntityItem = {
        ...entity,
        v: check.v,
        checks: { ...entity.checks, [check.id]: 'unknown' },
        check_load: addLoads(entity.check_load, load),
      };
      const done = await commit(ports, [
        { put: check, if: 'absent' },
        { put: revisionItem(keys, check) },
        { put, if: { version: entity.v } },
        counted,
        ...(await slugWrites(context, check.id, { to: check.slug })),
        ...(check.ping ? pingUrlWrites(keys, check, check.ping.uuid) : []),
        ...writes,
        ...schedule.writes,
        ...auditWrites(undefined, check),
      ]);
      return done.ok ? { check, start: schedule.start } : RETRY;
    }),
  );
  await start();
  return check;
}

function newCheck({ ports, keys, tenant }: Context, input: CheckSettings, cell: string, number: number): CheckItem {
  const now = ports.clock.now();
  const id = checkIdOf(now, cell, number);
  return {
    ...keys.check(tenant, id),
    ...input,
    v: ports.ids.token(),
    tenant_id: tenant,
    id,
    created_at: iso(now),
    updated_at: iso(now),
    rev: 1,
    settings_at: now,
    state: 'unknown',
    state_since: iso(now),
    consecutive_failures: 0,
    ...(input.execution_mode === 'push' && { ping: { uuid: ports.ids.uuid() } }),
    alerts: {},
  };
}

type EntityAndLimits = [entity: EntityItem, account: AccountItem, count: CheckCountItem | undefined];

async function readEntity({ ports, keys }: Env, tenant: string, id: string): Promise<EntityAndLimits> {
  const [entity, account, count] = await ports.table.getMany<[EntityItem, AccountItem, CheckCountItem]>([
    keys.entity(tenant, id),
    keys.account(tenant),
    keys.checkCount(tenant),
  ]);
  if (!entity || !account) throw notFound(`Entity ${id}`);
  return [entity, account, count];
}

/** Changes the supplied settings of a check. Throws VALIDATION_ERROR, NOT_FOUND, CONFLICT, LIMIT_EXCEEDED. */
export async function updateCheck(
  context: StateContext,
  stored: CheckItem,
  patch: Record<string, unknown>,
): Promise<CheckItem> {
  await assertOnEntity(context, stored, patch.entity as string | undefined);
  return changeSettings(context, stored, (check) => mergeCheck(check, patch, validationContext(context.ports)));
}

/** Writes changed settings; writes nothing if none changed. @param edit returns the new settings of the stored check */
export async function changeSettings(
  context: StateContext,
  stored: CheckItem,
  edit: (check: CheckItem) => CheckSettings,
): Promise<CheckItem> {
  const { ports, keys } = context;
  const auditWrites = auditWriter(context, 'update', auditedCheck);
  return afterOtherChanges(context, stored.entity_id, () =>
    retryOnConflict(ports, async (tries) => {
      const check = tries === 0 ? stored : await ports.table.get<CheckItem>(keys.check(context.tenant, stored.id));
      if (!check) throw notFound(`Check ${stored.id}`);
      const input = edit(check);
      const changed = changedIn(check, input);
      if (changed.length === 0) return check;
      const removed = changed.filter((name) => input[name] === undefined);
      // An unchanged host is guarded at each probe instead, so that a check with a refused host can be disabled.
      await guardSettings(input, context, changed);
      const next = changesOnlyNames(changed)
        ? withNames(ports, check, input, removed)
        : await withRevision(context, check, input, removed);
      if (!next) throw notFound(`Check ${stored.id}`);
      const slug = await slugWrites(context, check.id, { from: check.slug, to: input.slug });
      const writes = [replaceCheck(check, next.check), ...slug, ...next.writes];
      const done = await commit(ports, [...writes, ...auditWrites(check, next.check)]);
      if (!done.ok) return RETRY;
      await next.start();
      return next.check;
    }),
  );
}

type NextCheck = { check: CheckItem; writes: Write[]; start: () => Promise<void> };

function withNames(ports: Ports, check: CheckItem, input: CheckSettings, removed: (keyof CheckSettings)[]): NextCheck {
  const next = nextCheck(check, ports.ids.token(), { ...input, updated_at: iso(ports.clock.now()) }, removed);
  return { check: next, writes: [], start: async () => {} };
}

async function withRevision(
  context: StateContext,
  check: CheckItem,
  input: CheckSettings,
  removed: (keyof CheckSettings)[],
): Promise<NextCheck | undefined> {
  const { ports, keys } = context;
  const now = ports.clock.now();
  const change = check.enabled && !input.enabled ? await toUnknown(context, check, 'check_disabled') : undefined;
  if (change === 'entity gone') return undefined;
  const next = nextCheck(
    check,
    change?.entity.v ?? ports.ids.token(),
    {
      ...input,
      updated_at: iso(now),
      rev: check.rev + 1,
      settings_at: now,
      ...(input.enabled !== check.enabled && NO_RESULTS),
      ...change?.check,
    },
    [...removed, 'missed_at', ...(input.enabled === check.enabled ? [] : (['streaks_since', 'runs'] as const))],
  );
  const revisions = [pastRevision(keys, check, now, context.caller.retention_days), revisionItem(keys, next)];
  const schedule = await scheduleChange(context, next, check);
  const writes = await countedWith(context, check, next, [
    ...revisions.map((put) => ({ put })),
    ...schedule.writes,
    ...(change?.writes ?? []),
  ]);
  if (!writes) return undefined;
  return { check: next, writes, start: schedule.start };
}

/** Deletes a check. It is hidden at once; its remaining items are reclaimed in the background. */
export async function deleteCheck(context: StateContext, stored: CheckItem): Promise<void> {
  const { ports, keys, tenant } = context;
  const { entity_id, id } = stored;
  const auditWrites = auditWriter(context, 'delete', auditedCheck);
  // Sent first, because a crash after the deletion would lose it; its handler drops it if the check still exists.
  const body = { tenant_id: tenant, entity_id, check_id: id };
  await ports.queues.send('housekeeping', [
    { body, not_before: ports.clock.now() + RECLAIM_CHECK_AFTER_MS, group: tenant },
  ]);
  await afterOtherChanges(context, entity_id, () =>
    retryOnConflict(ports, async (tries) => {
      const check = tries === 0 ? stored : await ports.table.get<CheckItem>(keys.check(tenant, id));
      if (!check) return undefined;
      const change = await toUnknown(context, check, 'check_deleted');
      if (change === 'entity gone') return undefined;
      const writes = await countedWith(context, check, undefined, [
        { delete: keys.check(tenant, id), if: { version: check.v } },
        { delete: keys.entry('missed_heartbeat', tenant, id) },
        ...(change?.writes ?? (await withoutCheck(context, check))),
      ]);
      if (!writes) return undefined;
      const done = await commit(ports, [...writes, ...auditWrites(check, undefined)]);
      return done.ok ? undefined : RETRY;
    }),
  );
}

/** Returns the change to unknown for a check that is disabled or deleted; undefined if it is already unknown. */
async function toUnknown(
  context: StateContext,
  check: CheckItem,
  cause: Extract<TransitionCause, 'check_disabled' | 'check_deleted'>,
): Promise<ChangedState | 'entity gone' | undefined> {
  const { ports, keys } = context;
  if (check.state === 'unknown') return undefined;
  const read = await context.onChange.read(context, check);
  if (!read) return 'entity gone';
  const { retention_days } = context.caller;
  const now = ports.clock.now();
  const change = { check, to: 'unknown', cause, error_message: '', now, retention_days } as const;
  return changeState(keys, ports.ids.token(), read, change);
}

async function withoutCheck({ ports, keys, tenant }: Context, check: CheckItem): Promise<Write[]> {
  const entity = await ports.table.get<EntityItem>(keys.entity(tenant, check.entity_id));
  if (!entity) return [];
  const { [check.id]: _removed, ...checks } = entity.checks;
  const next: EntityItem = { ...entity, v: ports.ids.token(), checks, state: aggregate(checks) };
  return [{ put: next, if: { version: entity.v } }];
}
