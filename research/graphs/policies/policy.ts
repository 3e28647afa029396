import type { Agenda } from '#research/graphs/agenda.ts';
import type { Truth } from '#research/graphs/truth.ts';
import type { World } from '#research/graphs/world.ts';

/** An alert that an entity is down; `at` in ms. */
export type Alert = {
  at: number;
  entity: string;
  urgency: 'high' | 'low';
  /** The cause that it names. */
  root?: string;
};

export type Scene = { world: World; truth: Truth; agenda: Agenda; end: number };

/** What was sent; `without`: what no rule at all would have sent, where the runs are others than in the model. */
export type Lived = { alerts: Alert[]; without?: Alert[] };

/** A way to alert: lives through a scene. */
export type Policy = { name: string; live(scene: Scene): Promise<Lived> };

export const COOLDOWN_MS = 300_000;

/** Sends alerts of checks that are down, each at most once in a cooldown; one that is held back goes out at its end. */
export function alerter({ agenda }: Scene, isDown: (entity: string) => boolean, send: (entity: string) => void) {
  const last = new Map<string, number>();
  const attempt = (entity: string): void => {
    if (!isDown(entity)) return;
    const free = (last.get(entity) ?? Number.NEGATIVE_INFINITY) + COOLDOWN_MS;
    if (agenda.now < free) return void agenda.at(free, () => attempt(entity));
    send(entity);
  };
  return { attempt, note: (entity: string) => last.set(entity, agenda.now) };
}
