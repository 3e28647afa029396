import type { FeedItem, TransitionItem } from '#lib/checks/state/transition.ts';
import type { Env } from '#lib/env.ts';
import { after, stamp } from '#lib/keys.ts';

/** A storm: so many checks within this time (ms) before a failure, or after it. */
const STORM_MS = 60_000;
/** Most transitions of each part of the feed that are looked at. */
const MOST = 20;

/** How many checks of the account went down within a minute of a time (epoch ms), the one of that time included. */
export async function wentDownAbout({ ports, keys }: Env, tenant: string, at: number): Promise<number> {
  const pages = await Promise.all(
    keys.buckets.map((bucket) =>
      ports.table.query<FeedItem>({
        partition: keys.feed(tenant, bucket),
        from: stamp(at - STORM_MS),
        to: after(stamp(at + STORM_MS)),
        limit: MOST,
      }),
    ),
  );
  const entries = pages.flatMap(({ items }) => items);
  const transitions = await ports.table.getMany<TransitionItem>(
    entries.map(({ check_id, transition_sk: sk }) => ({ pk: keys.ofCheck(tenant, check_id), sk })),
  );
  const down = transitions.flatMap((one) => (one?.check_to_state === 'down' ? [one.check_id] : []));
  return new Set(down).size;
}
