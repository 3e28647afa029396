import { useState } from 'preact/hooks';
import { type ApiFailure, asFailure, call } from '#console/api/call.ts';
import type { TestedChannel } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { DeliveryOutcome } from '#console/parts/alerts/delivery-list.tsx';
import { Button } from '#console/parts/button.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { Failure } from '#console/parts/states.tsx';

type TestProps = {
  name: string;
  path: string;
  onDone: () => void;
};

export function ChannelTest({ name, path, onDone }: TestProps) {
  const [busy, setBusy] = useState(false);
  const [tested, show] = useState<TestedChannel | ApiFailure | undefined>(undefined);
  async function test() {
    setBusy(true);
    show(await call<TestedChannel>('POST', `${path}/test`).catch(asFailure));
    setBusy(false);
    onDone();
  }
  return (
    <>
      <Button small why={refusal('respond')} busy={busy} onClick={() => void test()}>
        {busy ? 'Sending' : 'Send test'}
      </Button>
      {tested && (
        <Dialog help="channel_test" title={`Test of ${name}`} onClose={() => show(undefined)}>
          {'preview' in tested ? (
            <>
              <div>
                <DeliveryOutcome delivery={tested} />
              </div>
              {tested.preview && <Preview {...tested.preview} />}
            </>
          ) : (
            <Failure failure={tested} />
          )}
        </Dialog>
      )}
    </>
  );
}

const Preview = ({ title, body }: NonNullable<TestedChannel['preview']>) => (
  <figure class="code message">
    <figcaption>Preview of an alert</figcaption>
    <pre dir="auto">
      <strong>{title}</strong>
      {'\n'}
      {body}
    </pre>
  </figure>
);
