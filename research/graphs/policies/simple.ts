import { runChecks } from '#research/graphs/runs.ts';
import { type Alert, alerter, type Policy, type Scene } from './policy.ts';

/** Creates a policy that alerts about each entity that goes down, unless `isSuppressed` suppresses the alert. */
const plain = (
  name: string,
  isSuppressed: (scene: Scene, entity: string, isDown: (id: string) => boolean) => boolean,
): Policy => ({
  name,
  simulate: async (scene) => {
    const { agenda, world, truth, end } = scene;
    const sent: Alert[] = [];
    const isDown = (id: string) => runs.statuses.get(id)?.state === 'down';
    const alerts = alerter(scene, isDown, (entity) => {
      if (isSuppressed(scene, entity, isDown)) return;
      alerts.note(entity);
      sent.push({ at: agenda.now, entity, urgency: 'high' });
    });
    const runs = runChecks(
      world,
      truth,
      agenda,
      { changed: (entity, { state }) => state === 'down' && alerts.attempt(entity.id) },
      end,
    );
    agenda.until(end);
    return { alerts: sent };
  },
});

export const none = plain('none', () => false);

export const parentDown = plain('parent already down', ({ world }, entity, isDown) =>
  world.declared.get(entity)!.some(({ to_entity_id }) => isDown(to_entity_id)),
);

/** Creates a policy that sends each alert after a delay. While a dependency is down, it waits five minutes more. */
export const groupWait = (wait_ms: number): Policy => ({
  name: `group wait ${wait_ms / 1000} s`,
  simulate: async ({ agenda, world, truth, end }) => {
    const sent: Alert[] = [];
    const isDown = (id: string) => runs.statuses.get(id)?.state === 'down';
    const flush = (entity: string): void => {
      if (!isDown(entity)) return;
      const isInhibited = world.declared.get(entity)!.some(({ to_entity_id }) => isDown(to_entity_id));
      if (isInhibited) return void agenda.at(agenda.now + 300_000, () => flush(entity));
      sent.push({ at: agenda.now, entity, urgency: 'high' });
    };
    const runs = runChecks(
      world,
      truth,
      agenda,
      {
        changed: (entity, { state }) => {
          if (state === 'down') agenda.at(agenda.now + wait_ms, () => flush(entity.id));
        },
      },
      end,
    );
    agenda.until(end);
    return { alerts: sent };
  },
});
