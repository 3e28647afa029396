import * as z from 'zod';
import { derivedId } from '#lib/platform/ids.ts';

export const DeliveryKind = z.enum([
  'state_change',
  'repeat',
  'catch_up',
  'escalation',
  'impact',
  'acknowledged',
  'closed',
  'remediation_failed',
  'test',
]);
export type DeliveryKind = z.infer<typeof DeliveryKind>;

/**
 * The id of the n-th delivery of an alert to a channel. It follows from the transition, so that planning the same
 * alert again names the same delivery, and a receiver that has seen the id can drop the repeat.
 * @param at_ms epoch ms of the alert: deliveries sort by it
 * @param n 0 but for repeats and catch-ups of the same transition, which count up
 */
export const deliveryIdOf = (
  transition_id: string,
  at_ms: number,
  kind: DeliveryKind,
  n: number,
  channel_id: string,
): string => derivedId('dlv', at_ms, transition_id, kind, n, channel_id);
