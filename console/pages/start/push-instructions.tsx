import type { Check } from '#console/api/records.ts';
import { PingAddress } from '#console/parts/ping-address.tsx';

/** Shows how a job pings a push check that has received no ping. */
export const PushInstructions = ({ check }: { check: Check }) => (
  <div class="stack report">
    <p>Waiting for the first ping. After it, a missed heartbeat is a failure. Send a ping from your job:</p>
    <PingAddress check={check} />
  </div>
);
