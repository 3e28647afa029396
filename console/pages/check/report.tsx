import { useState } from 'preact/hooks';
import type { CheckDetail } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { Section } from '#console/parts/page.tsx';
import { PingAddress } from '#console/parts/ping-address.tsx';
import { duration } from '#console/rules/time.ts';
import { RotatePingUrl } from './rotate-ping-url.tsx';

/** Where the job of a push check pings, and what its silence means. */
export function Report({ check, onChange }: { check: CheckDetail; onChange: () => void }) {
  const [rotating, rotate] = useState(false);
  const why = refusal('write');
  const { alerts_after_seconds: after } = check;
  return (
    <Section
      title="How to report"
      actions={
        <Button small why={why} onClick={() => rotate(true)}>
          Another URL…
        </Button>
      }
    >
      <div class="report">
        {typeof after === 'number' && (
          <p>
            {check.last_result ? 'It is down after' : 'From the first report on, it is down after'}{' '}
            <strong>{duration(after * 1000)}</strong> without one ({after} s).
          </p>
        )}
        <PingAddress check={check} />
      </div>
      {rotating && <RotatePingUrl check={check} onDone={onChange} onClose={() => rotate(false)} />}
    </Section>
  );
}
