import type { Random } from '#test/support/random.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';
import type { Observations } from './observations.ts';
import { WEBHOOK_SECRET } from './receivers.ts';
import type { Client } from './requests.ts';

export type OperatorWorld = { random: Random; clock: VirtualClock; seen: Observations; client: Client };

/** Returns the body of a new channel. The path of its URL is its type. */
export function newChannel(random: Random, number: number): object {
  const channel_type = random.pick(['webhook', 'slack', 'discord', 'ntfy', 'nats']);
  if (channel_type === 'nats') return { channel_type, config: { subject: `alerts.${number}` } };
  const url = `https://r${number}.test/${channel_type}`;
  const more = { webhook: { secret: WEBHOOK_SECRET }, ntfy: { token: 'tk_abc' } }[channel_type];
  return { channel_type, config: { url, ...(random.chance(0.5) && more) } };
}

/**
 * Body of a channel for all checks of an account, so that a root cause and its downstream failures share a recipient.
 */
export const accountChannel = { channel_type: 'webhook', config: { url: 'https://r0.test/webhook' } };

/** Returns the body of a daily rota whose next hand-over is some minutes after `now` (epoch ms). */
export function newRota(random: Random, now: number, channel_ids: string[]): object {
  const [starts_on, time] = new Date(now + random.int(1, 8) * 60_000 - random.int(0, 2) * 86_400_000)
    .toISOString()
    .split('T') as [string, string];
  const members = channel_ids.map((id, i) => ({ name: `person ${i}`, channel_ids: [id] }));
  return { name: 'on call', members, handover: { every: 'day', at: time.slice(0, 5) }, starts_on };
}

/** Returns random policy settings. */
export const policy = (random: Random): object => ({
  cooldown_seconds: random.pick([0, 0, 30, 300]),
  cooldown_on_recovery: random.chance(0.8),
  notify_on_recovery: random.chance(0.8),
  notify_on_degraded: random.chance(0.7),
  repeat_interval_seconds: random.pick([0, 0, 0, 60, 200]),
  late_alerts: random.chance(0.8),
  flap_threshold: random.pick([0, 0, 3, 4]),
  flap_window_seconds: random.pick([60, 240, 600]),
  hold_for_dependencies: random.chance(0.9),
});
