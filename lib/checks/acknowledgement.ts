import * as z from 'zod';
import { Via } from '#lib/audit/entry.ts';
import { IdOf } from '#lib/platform/http/route.ts';
import { iso } from '#lib/platform/time.ts';
import type { Acknowledgement, CheckItem } from './check-item.ts';

export const AcknowledgementRecord = z
  .object({
    check_id: IdOf('the check'),
    transition_id: IdOf('the transition to down that the failure began with'),
    by: z.string().describe('Who: an e-mail address, the label of a key, or the channel whose link was followed.'),
    via: Via,
    channel_id: z.string().nullable().describe('Of a link: the channel that it was sent to; else null.'),
    at: z.iso.datetime().describe('When it was acknowledged.'),
    until: z.iso.datetime().nullable().describe('When it ends by itself; null: when the check recovers.'),
    note: z.string().describe('For people; may be empty.'),
  })
  .meta({ id: 'Acknowledgement' });
export type AcknowledgementRecord = z.infer<typeof AcknowledgementRecord>;

/** The acknowledgement that holds at `now` (epoch ms); undefined where none does, or its time is over. */
export function acknowledgementAt(
  { episode }: Pick<CheckItem['alerts'], 'episode'>,
  now: number,
): Acknowledgement | undefined {
  const acknowledgement = episode?.acknowledgement;
  return acknowledgement && (acknowledgement.until ?? Number.POSITIVE_INFINITY) > now ? acknowledgement : undefined;
}

/** The same as it is shown; null where none holds. */
export function acknowledgementRecord({ id, alerts }: CheckItem, now: number): AcknowledgementRecord | null {
  const acknowledgement = acknowledgementAt(alerts, now);
  if (!acknowledgement || !alerts.episode) return null;
  const { by, via, channel_id = null, at, until, note } = acknowledgement;
  const { transition_id } = alerts.episode;
  const end = until === undefined ? null : iso(until);
  return { check_id: id, transition_id, by, via, channel_id, at: iso(at), until: end, note };
}
