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

/** World with its failures. Virtual time passes in `agenda`; `end` (ms) is the last time at which checks run. */
export type Scene = { world: World; truth: Truth; agenda: Agenda; end: number };

/** Sent alerts. `without`: own baseline with only the cooldown, if the policy probes at other times than the model. */
export type PolicyAlerts = { alerts: Alert[]; without?: Alert[] };

/** Alert policy. `simulate` runs a scene under it. */
export type Policy = { name: string; simulate(scene: Scene): Promise<PolicyAlerts> };

export const COOLDOWN_MS = 300_000;

/**
 * Creates a limiter of alerts by the cooldown. `attempt` calls `send` if an entity is down and no alert about it was
 * noted in the cooldown; otherwise it tries again at the end of the cooldown. `note` records an alert that was sent.
 */
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
