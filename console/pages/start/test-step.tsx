import { useState } from 'preact/hooks';
import { type ApiFailure, asFailure, call } from '#console/api/call.ts';
import type { Check, Delivery } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { Failure } from '#console/parts/states.tsx';
import { Calls } from './calls.tsx';

/** Sends a test alert to the channel, and tells what became of it. */
export function TestStep({ check, channel }: { check: Check; channel: string }) {
  const [delivery, setDelivery] = useState<Delivery | undefined>(undefined);
  const [failure, fail] = useState<Pick<ApiFailure, 'message'> | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const command = { method: 'POST', path: `/v1/checks/${check.id}/policy/channels/${channel}/test` } as const;
  async function test() {
    setBusy(true);
    fail(undefined);
    try {
      setDelivery(await call<Delivery>(command.method, command.path));
    } catch (error) {
      setDelivery(undefined);
      fail(asFailure(error));
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
            {delivery ? 'Send another' : 'Send a test alert'}
          </Button>
          <a class={arrived ? 'button main' : 'button'} href={`#/checks/${check.id}`}>
            {arrived ? 'Done: to the check' : 'To the check'}
          </a>
        </p>
        <div role="status">
          {arrived && <p>It was taken by {delivery.channel_type}. Look there: the alert should be in sight.</p>}
        </div>
        {failure && <Failure failure={failure} />}
        {delivery && !arrived && <Failure failure={{ message: `It did not arrive: ${delivery.error}` }} />}
        {delivery && !arrived && (
          <p>
            <a href={`#/checks/${check.id}`}>Change the channel on the page of the check</a>, and test it there.
          </p>
        )}
      </div>
      <Calls of={[command]} />
    </div>
  );
}
