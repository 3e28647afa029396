import type { Check } from '#console/api/records.ts';
import { PingAddress } from '#console/parts/ping-address.tsx';

/** A push check that has yet to hear something: how its job pings it. */
export const Pushing = ({ check }: { check: Check }) => (
  <div class="stack report">
    <p>It waits for its first ping. From then on silence counts as failure. Your job pings it so:</p>
    <PingAddress check={check} />
  </div>
);
