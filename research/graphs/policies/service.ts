import { type AlertItem, isAlert } from '#lib/alerting/decide/alert-item.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import { TRANSITIONS } from '#lib/keys.ts';
import { timeOf } from '#lib/platform/ids.ts';
import type { Item } from '#lib/platform/ports.ts';
import { failsAt } from '#research/graphs/truth.ts';
import { TIMEOUT_MS } from '#research/graphs/world.ts';
import { type VirtualService, virtualService } from '#test/faults/virtual-service.ts';
import { type Fleet, makeFleet } from './fleet.ts';
import { type Alert, COOLDOWN_MS, type Policy, type Scene } from './policy.ts';

/** Policy of the real service: its functions in virtual time, with failing targets of the scene, and one channel. */
export const service: Policy = {
  name: 'service, real code',
  simulate: async (scene) => {
    const running = await virtualService('00:00', {}, 'one', true);
    try {
      const fleet = await makeFleet(running, scene.world, scene.truth);
      const began = running.now();
      for (const { at, does } of eventsOf(scene, running, fleet)) {
        await running.pass(began + at - running.now());
        await does();
      }
      await running.pass(began + scene.end - running.now());
      return { alerts: alertsIn(running, fleet, began), without: withoutRules(running, fleet, began) };
    } finally {
      running.close();
    }
  },
};

/** Returns the events of a scene in order: targets start and stop failing, and jobs report while they work. */
export function eventsOf({ world, truth, end }: Scene, running: VirtualService, { pushing }: Fleet) {
  const turns = [...truth].flatMap(([id, spans]) => {
    const { checked, fails_in_ms } = world.entities.get(id)!;
    const host = running.host(`${id}.test`);
    const fails = () => host.does(fails_in_ms < TIMEOUT_MS ? 'refuses' : 'hangs');
    if (checked !== 'pull') return [];
    return spans.flatMap(([from, to]) => [
      { at: from, does: fails },
      { at: to, does: () => host.does('answers') },
    ]);
  });
  const pushes = [...pushing].flatMap(([id, check]) => {
    const { phase_ms, interval_ms } = world.entities.get(id)!;
    const push = () => running.call('POST', `/v1/checks/${check}/heartbeat`);
    const times = Array.from(
      { length: Math.ceil((end - phase_ms) / interval_ms) },
      (_, n) => phase_ms + n * interval_ms,
    );
    return times.flatMap((at) => (failsAt(truth, id, at) ? [] : [{ at, does: push }]));
  });
  return [...turns, ...pushes].toSorted((a, b) => a.at - b.at);
}

const inOrder = <T extends { at: number }>(list: T[]): T[] => list.toSorted((a, b) => a.at - b.at);

/** Returns the decided alerts about entities that are down. */
function alertsIn(running: VirtualService, { names }: Fleet, began: number): Alert[] {
  const alerts = running.items().filter((item): item is AlertItem => isAlert<Item>(item as AlertItem));
  return inOrder(
    alerts
      .filter(({ reports_state }) => reports_state === 'down')
      .map(({ id, entity_id, urgency, root }) => ({
        ...{ at: timeOf(id) - began, entity: names.get(entity_id)!, urgency },
        ...(root && { root: names.get(root.entity_id)! }),
      })),
  );
}

/** Returns the alerts of the same changes with the cooldown as the only rule. */
function withoutRules(running: VirtualService, { names }: Fleet, began: number): Alert[] {
  const changes = running.items().filter((item): item is TransitionItem => item.sk.startsWith(TRANSITIONS));
  const byCheck = Map.groupBy(changes, ({ check_id }) => check_id);
  const alerts = [...byCheck.values()].flatMap((own) => {
    const sent: Alert[] = [];
    const ordered = inOrder(own.map((change) => ({ ...change, at: Date.parse(change.timestamp) - began })));
    for (const [i, { at, check_to_state, entity_id }] of ordered.entries()) {
      if (check_to_state !== 'down') continue;
      const free = Math.max(at, (sent.at(-1)?.at ?? Number.NEGATIVE_INFINITY) + COOLDOWN_MS);
      const over = ordered[i + 1]?.at ?? Number.POSITIVE_INFINITY;
      if (free < over) sent.push({ at: free, entity: names.get(entity_id)!, urgency: 'high' });
    }
    return sent;
  });
  return inOrder(alerts);
}
