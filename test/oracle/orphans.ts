import type { ExecutionItem, RunPointer } from '#lib/actions/execution.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { cellOf } from '#lib/keys.ts';
import type { EntryItem } from '#lib/schedule/entries.ts';
import { awaitsFirst } from './deadlines.ts';
import { checkIdOf, checksIn, type Inside } from './inside.ts';

const isPulled = ({ enabled, execution_mode, interval_seconds }: CheckItem, interval: number): boolean =>
  enabled && execution_mode === 'pull' && interval_seconds === interval;

/** Promise: deletions leave nothing that is still processed, and existing items have all that they need. */
export function checkOrphans({ seen, keys }: Inside): string[] {
  const wrong: string[] = [];
  const items = [...seen.table.values()];
  const checks = checksIn(seen);
  const ids = new Set(checks.map((check) => check.id));
  const entities = items.filter((item): item is EntityItem => item.pk.includes('#ENTITIES#'));
  const entries = new Map(
    items.filter((item) => item.pk.startsWith('SCHEDULE#')).map((item) => [item.sk, item as EntryItem]),
  );

  const actions = new Set(items.map(({ sk }) => sk).filter((sk) => sk.startsWith('act_')));
  const pages = new Set(items.map(({ sk }) => sk).filter((sk) => sk.startsWith('pag_')));
  const executions = new Set(items.flatMap((item) => (item.sk === 'EXECUTION' ? [(item as ExecutionItem).id] : [])));

  for (const item of items) {
    if (item.sk === 'EXECUTION' && !actions.has((item as ExecutionItem).action_id))
      wrong.push(`${item.pk} outlived its action`);
    if (item.pk.includes('#RUNS#') && !executions.has((item as RunPointer).execution_id))
      wrong.push(`${item.pk} ${item.sk} outlived its run`);
    if (item.sk.startsWith('LOG#') && !executions.has(item.pk.split('#').at(-1)!))
      wrong.push(`${item.pk} ${item.sk} outlived its run`);
    if (item.sk.startsWith('ACTION#') && !actions.has(item.sk.slice('ACTION#'.length)))
      wrong.push(`${item.pk} ${item.sk} outlived its action`);
    if (/^(POLICY|REV#|LAST#|SLUG#)/.test(item.sk) && !ids.has(checkIdOf(item)))
      wrong.push(`${item.pk} ${item.sk} outlived its check`);
    if (item.pk.includes('#CHECKSLUGS#') && !ids.has((item as unknown as { check_id: string }).check_id))
      wrong.push(`slug ${item.sk} outlived its check`);
    if (item.pk.includes('#CHANNELS#') && !ids.has((item as unknown as { check_id: string }).check_id))
      wrong.push(`channel ${item.sk} outlived its check`);
  }
  for (const entry of entries.values()) {
    const isWanted =
      entry.kind === 'probe'
        ? checks.some((check) => cellOf(check.id) === entry.cell && isPulled(check, entry.interval_seconds))
        : entry.kind === 'rollup'
          ? checks.some((check) => cellOf(check.id) === entry.cell)
          : ids.has(entry.id) || actions.has(entry.id) || pages.has(entry.id);
    if (!isWanted) wrong.push(`entry ${entry.sk} outlived its ${entry.kind === 'probe' ? 'check' : 'owner'}`);
  }
  for (const check of checks) {
    const entity = entities.find(({ id }) => id === check.entity_id);
    if (!entity) wrong.push(`${check.id} outlived its entity`);
    else if (entity.checks[check.id] !== check.state)
      wrong.push(`check ${check.id} is ${check.state}, but its entity has ${entity.checks[check.id]}`);
    const isMonitored = check.enabled && (check.last_received !== undefined || awaitsFirst(check));
    if (entries.has(keys.entry('missed_heartbeat', check.tenant_id, check.id).sk) !== isMonitored)
      wrong.push(`check ${check.id} has ${isMonitored ? 'no' : 'an unnecessary'} heartbeat deadline`);
  }
  for (const { id, checks: held } of entities) {
    for (const check of Object.keys(held))
      if (!ids.has(check)) wrong.push(`entity ${id} still contains check ${check}`);
  }
  // If a reclaim message becomes a dead letter, its items stay, and an alarm is raised.
  const gaveUp = seen.faults['dead letter housekeeping'] !== undefined;
  return gaveUp ? wrong.filter((text) => !/ outlived its (action|run|check)$/.test(text)) : wrong;
}
