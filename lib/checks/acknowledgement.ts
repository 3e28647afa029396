import * as z from 'zod';
import { Via } from '#lib/audit/entry.ts';
import { IdOf } from '#lib/platform/http/route.ts';
import { iso } from '#lib/platform/time.ts';
import type { Acknowledgement, CheckItem } from './check-item.ts';

export const AcknowledgementRecord = z
  .object({
    check_id: IdOf('the check'),
    transition_id: IdOf('the transition to down that started the failure'),
    by: z
      .string()
      .describe(
        'User or key that acknowledged: e-mail address, key label, or, by a link, the entered name and the channel.',
      ),
    via: Via,
    channel_id: z.string().nullable().describe('Channel that the link was sent to; null if not by link.'),
    at: z.iso.datetime().describe('Time of the acknowledgement.'),
    until: z.iso.datetime().nullable().describe('Expiry time; null if it lasts until the check recovers.'),
    note: z.string().describe('Note for other users; can be empty.'),
  })
  .meta({ id: 'Acknowledgement' });
export type AcknowledgementRecord = z.infer<typeof AcknowledgementRecord>;

/** Returns the acknowledgement in force at `now` (epoch ms); undefined without one, or if it has expired. */
export function acknowledgementAt(
  { episode }: Pick<CheckItem['alerts'], 'episode'>,
  now: number,
): Acknowledgement | undefined {
  const acknowledgement = episode?.acknowledgement;
  return acknowledgement && (acknowledgement.until ?? Number.POSITIVE_INFINITY) > now ? acknowledgement : undefined;
}

/** Returns the acknowledgement as an API record; null if none is in force. */
export function acknowledgementRecord({ id, alerts }: CheckItem, now: number): AcknowledgementRecord | null {
  const acknowledgement = acknowledgementAt(alerts, now);
  if (!acknowledgement || !alerts.episode) return null;
  const { by, via, channel_id = null, at, until, note } = acknowledgement;
  const { transition_id } = alerts.episode;
  const end = until === undefined ? null : iso(until);
  return { check_id: id, transition_id, by, via, channel_id, at: iso(at), until: end, note };
}
