import { requirementsOf } from '#lib/alerting/cause/graph.ts';
import { runChecks } from '#research/graphs/runs.ts';
import { type Alert, alerter, COOLDOWN_MS, type Policy } from './policy.ts';

const RECHECK_MS = 5_000;

/**
 * Policy of Icinga 2, according to its code. A change of a child, including soft states, checks its direct parents now
 * if their next check is at least one retry interval away. A child is unreachable if fewer of its parents than it
 * requires are reachable and not in a hard down state. A suppressed alert is rechecked every 5 s. It is sent once the
 * check is reachable, was checked after the last recovery of a parent, and is not about to be checked.
 */
export const icinga: Policy = {
  name: 'Icinga 2',
  simulate: async (scene) => {
    const { agenda, world, truth, end } = scene;
    const sent: Alert[] = [];
    const isDown = (id: string) => runs.statuses.get(id)?.state === 'down';
    const isReachable = (id: string, seen: ReadonlySet<string> = new Set()): boolean =>
      seen.has(id) ||
      requirementsOf(world.declared.get(id)!).every(
        ({ required, members }) =>
          members.filter((one) => !isDown(one.id) && isReachable(one.id, new Set([...seen, id]))).length >= required,
      );
    const nextRun = (id: string): number => {
      const { phase_ms, interval_ms } = world.entities.get(id)!;
      return phase_ms + Math.ceil((agenda.now - phase_ms) / interval_ms) * interval_ms;
    };
    const checkParents = (id: string): void => {
      for (const { to_entity_id } of world.declared.get(id)!) {
        const parent = world.entities.get(to_entity_id)!;
        if (parent.checked === 'pull' && nextRun(to_entity_id) - agenda.now >= parent.interval_ms / 2) runs.run(parent);
      }
    };
    const recoveredSince = (id: string): boolean => {
      const ran = runs.statuses.get(id)!.ran_at;
      return world.declared.get(id)!.some((one) => (runs.statuses.get(one.to_entity_id)?.recovered_at ?? 0) > ran);
    };
    const runsSoon = (id: string): boolean =>
      nextRun(id) - agenda.now < Math.min(60_000, world.entities.get(id)!.interval_ms - 10_000);
    const recheck = (id: string): void => {
      if (!isDown(id)) return;
      if (!isReachable(id) || recoveredSince(id) || runsSoon(id))
        return void agenda.at(agenda.now + RECHECK_MS, () => recheck(id));
      send(id);
    };
    const send = (entity: string): void => {
      alerts.note(entity);
      sent.push({ at: agenda.now, entity, urgency: 'high' });
    };
    const alerts = alerter(scene, isDown, (entity) => {
      if (isReachable(entity)) send(entity);
      else agenda.at(agenda.now + RECHECK_MS, () => recheck(entity));
    });
    const runs = runChecks(
      world,
      truth,
      agenda,
      {
        failed: (entity) => checkParents(entity.id),
        changed: (entity, { state }) => {
          checkParents(entity.id);
          if (state === 'down') alerts.attempt(entity.id);
        },
      },
      end,
    );
    agenda.until(end + COOLDOWN_MS);
    return { alerts: sent };
  },
};
