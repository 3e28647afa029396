import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { labelOf } from '#console/api/check-names.ts';
import type { Check } from '#console/api/records.ts';
import { tellFailure } from '#console/app/notices.tsx';
import { refusal } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { ShownOnce } from '#console/parts/shown-once.tsx';
import { firstCommand } from '#console/rules/keys.ts';
import type { IssuedKey } from '#lib/access/api-key.ts';
import { Calls } from './calls.tsx';

/**
 * A push check that has yet to hear something: how a job reports to it, and a key that may do this alone. Reports take
 * a key; a session is none.
 */
export function Pushing({ check }: { check: Check }) {
  const [issued, show] = useState<IssuedKey | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  async function make() {
    setBusy(true);
    try {
      const wanted = { label: labelOf(check), scopes: ['push'], check_ids: [check.id] };
      show(await call<IssuedKey>('POST', '/v1/auth/keys', wanted));
    } catch (error) {
      tellFailure(error);
    } finally {
      setBusy(false);
    }
  }
  return (
    <div class="stack">
      <p>It waits for its first sign of life. From then on silence counts as failure. Your job sends one so:</p>
      <Calls of={[{ method: 'POST', path: `/v1/checks/${check.id}/heartbeat` }]} />
      <p>
        <Button small busy={busy} why={refusal('own')} onClick={() => void make()}>
          Make a key for the job
        </Button>{' '}
        <span class="hint">It may report to this check, and nothing else.</span>
      </p>
      {issued && (
        <ShownOnce
          title={`A key for ${issued.label}`}
          texts={{ Key: issued.key, 'A sign of life': firstCommand(issued, location.origin) }}
          onClose={() => show(undefined)}
        />
      )}
    </div>
  );
}
