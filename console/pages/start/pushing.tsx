import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { live } from '#console/app/live.ts';
import { tellFailure } from '#console/app/notices.tsx';
import { refusal } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { Calls } from './calls.tsx';
import type { Check } from './records.ts';

/** A push check that has yet to hear something: how a job reports to it, and a first report from here. */
export function Pushing({ check }: { check: Check }) {
  const [busy, setBusy] = useState(false);
  const command = { method: 'POST', path: `/v1/checks/${check.id}/heartbeat` } as const;
  async function send() {
    setBusy(true);
    try {
      await call(command.method, command.path);
      await live.refresh();
    } catch (error) {
      tellFailure(error);
    } finally {
      setBusy(false);
    }
  }
  return (
    <div class="stack">
      <p>It waits for its first sign of life. From then on silence counts as failure. Your job sends one so:</p>
      <Calls of={[command]} />
      <p>
        <Button small busy={busy} why={refusal('push')} onClick={() => void send()}>
          Send one from here
        </Button>
      </p>
    </div>
  );
}
