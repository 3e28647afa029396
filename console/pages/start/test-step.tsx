import { useState } from 'preact/hooks';
import { type ApiFailure, asFailure, call } from '#console/api/call.ts';
import type { Delivery } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { Failure } from '#console/parts/states.tsx';
import { Calls } from './calls.tsx';

/** Step that sends a test alert and shows the delivery. @param check id of the check to open afterwards */
export function TestStep({ check, channel }: { check: string; channel: string }) {
  const [delivery, setDelivery] = useState<Delivery | undefined>(undefined);
  const [failure, setFailure] = useState<Pick<ApiFailure, 'message'> | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const command = { method: 'POST', path: `/v1/notify/channels/${channel}/test` } as const;
  async function test() {
    setBusy(true);
    setFailure(undefined);
    try {
      setDelivery(await call<Delivery>(command.method, command.path));
    } catch (error) {
      setDelivery(undefined);
      setFailure(asFailure(error));
    } finally {
      setBusy(false);
    }
  }
  const arrived = delivery?.status === 'sent';
  return (
    <div class="step-body">
      <div class="stack">
        <p class="row-actions">
          <Button
            {...(!arrived && { kind: 'main' as const })}
            busy={busy}
            why={refusal('respond')}
            onClick={() => void test()}
          >
            {delivery ? 'Send again' : 'Send test alert'}
          </Button>
          <a class={arrived ? 'button main' : 'button'} href={`#/checks/${check}`}>
            {arrived ? 'Done: open the check' : 'Open the check'}
          </a>
        </p>
        <div role="status">
          {arrived && <p>Accepted by {delivery.channel_type}. The alert should be visible there.</p>}
        </div>
        {failure && <Failure failure={failure} />}
        {delivery && !arrived && <Failure failure={{ message: `Delivery failed: ${delivery.error}` }} />}
        {delivery && !arrived && (
          <p>
            <a href="#/alerts/channels">Change the channel</a>, then test it there.
          </p>
        )}
      </div>
      <Calls of={[command]} />
    </div>
  );
}
