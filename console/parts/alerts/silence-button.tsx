import { useState } from 'preact/hooks';
import { showError, showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SilenceForm } from './silence-form.tsx';

type Change = { silenced: boolean; silenced_until?: string | null; silence_reason?: string };

type SilenceButtonProps = {
  id: string;
  name: string;
  /** The silenced object as a noun: `this check`. */
  noun: string;
  isSilenced: boolean;
  why: string | undefined;
  send(change: Change): Promise<unknown>;
  onChange: () => void;
};

/** Silences a check or the checks of an entity, or lifts the silence. */
export function SilenceButton({ id, name, noun, isSilenced, why, send, onChange }: SilenceButtonProps) {
  const [busy, setBusy] = useState(false);
  const [asking, ask] = useState(false);
  async function lift() {
    setBusy(true);
    try {
      await send({ silenced: false });
      showToast('The silence is lifted.');
      onChange();
    } catch (error) {
      showError(error);
    }
    setBusy(false);
  }
  return (
    <>
      <Button why={why} busy={busy} pressed={isSilenced} onClick={() => (isSilenced ? void lift() : ask(true))}>
        {isSilenced ? 'Lift silence' : 'Silence'}
      </Button>
      {asking && (
        <Dialog help="silences" title={`Silence ${name}`} onClose={() => ask(false)}>
          <SilenceForm
            name={`silence ${id}`}
            endless
            send={async ({ until, reason }) => {
              await send({ silenced: true, silenced_until: until, silence_reason: reason });
              showToast(`Alerts of ${noun} are silenced.`);
              ask(false);
              onChange();
            }}
            onCancel={() => ask(false)}
          />
        </Dialog>
      )}
    </>
  );
}
