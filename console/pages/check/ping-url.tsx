import { useState } from 'preact/hooks';
import type { CheckDetail } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { Section } from '#console/parts/page.tsx';
import { PingAddress } from '#console/parts/ping-address.tsx';
import { duration } from '#console/rules/time.ts';
import { RotatePingUrl } from './rotate-ping-url.tsx';

/** Shows the ping URL of a push check, and the time without a ping after which the check goes down. */
export function PingUrl({ check, onChange }: { check: CheckDetail; onChange: () => void }) {
  const [rotating, rotate] = useState(false);
  const why = refusal('write');
  const { alerts_after_seconds: after } = check;
  return (
    <Section
      title="Ping URL"
      actions={
        <Button small why={why} onClick={() => rotate(true)}>
          Rotate URL…
        </Button>
      }
    >
      <div class="ping-url">
        {typeof after === 'number' && (
          <p>
            {check.last_result ? 'The check goes down after' : 'After the first ping, the check goes down after'}{' '}
            <strong>{duration(after * 1000)}</strong> without a ping ({after} s).
          </p>
        )}
        <PingAddress check={check} />
      </div>
      {rotating && <RotatePingUrl check={check} onDone={onChange} onClose={() => rotate(false)} />}
    </Section>
  );
}
