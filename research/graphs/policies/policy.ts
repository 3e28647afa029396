import type { Agenda } from '#research/graphs/agenda.ts';
import type { Truth } from '#research/graphs/truth.ts';
import type { World } from '#research/graphs/world.ts';

/** Alert about an entity that is down; `at` in ms. */
export type Alert = {
  at: number;
  entity: string;
  urgency: 'high' | 'low';
  /** Named root cause. */
  root?: string;
};

export type Scene = { world: World; truth: Truth; agenda: Agenda; end: number };

/** Sent alerts; `without`: alerts of the same run by the cooldown alone, if its probes differ from the model's. */
export type PolicyAlerts = { alerts: Alert[]; without?: Alert[] };

/** Alert policy, which runs a scene. */
export type Policy = { name: string; simulate(scene: Scene): Promise<PolicyAlerts> };

export const COOLDOWN_MS = 300_000;

/** Sends alerts of checks that are down, at most once per cooldown; a suppressed one is sent at its end. */
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
