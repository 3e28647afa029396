import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import type { Rota } from '#console/api/records.ts';
import { showError, showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { CodeBlock } from '#console/parts/copy-button.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { LinkButton } from '#console/parts/link-button.tsx';

type SubscribeProps = { rota: Rota; reload: () => void; onClose: () => void };

/** Dialog with the secret address of the calendar of a rota. */
export function Subscribe({ rota, reload, onClose }: SubscribeProps) {
  const [path, setPath] = useState(rota.calendar_path);
  const address = `${location.origin}${path}`;
  async function replace() {
    const { calendar_path } = await call<Rota>('POST', `/v1/rotas/${rota.id}/rotate-calendar`);
    setPath(calendar_path);
    showToast('The calendar has a new address.');
  }
  return (
    <Dialog
      help="calendar"
      title={`Calendar of ${rota.name}`}
      onClose={() => {
        onClose();
        if (path !== rota.calendar_path) reload();
      }}
    >
      <div class="stack">
        <p>
          Add this address to a calendar program. It shows the shifts of the last 4 weeks and the next 12 weeks, and
          follows each change of the rota.
        </p>
        <CodeBlock label="Calendar address" text={address} />
        <p class="hint">
          Anyone who knows the address can read the shifts. If you replace it, the current address stops working.
        </p>
      </div>
      <footer>
        <Button quiet onClick={() => void replace().catch(showError)}>
          Replace address
        </Button>
        <LinkButton kind="main" icon="external" href={address.replace(/^https?:/, 'webcal:')}>
          Open in calendar
        </LinkButton>
      </footer>
    </Dialog>
  );
}
