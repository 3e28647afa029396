import { useState } from 'preact/hooks';
import { showError, showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SilenceForm } from './silence-form.tsx';

/** What is sent of a silence. */
type Change = { silenced: boolean; silenced_until?: string | null; silence_reason?: string };

type SilenceButtonProps = {
  /** Names what is typed. */
  id: string;
  /** What people call it. */
  name: string;
  /** Of what no alert goes out: `this check`. */
  noun: string;
  isSilenced: boolean;
  why: string | undefined;
  send(change: Change): Promise<unknown>;
  /** It was sent. */
  onChange: () => void;
};

/** Silences a check, or all checks of an entity, until a time or until it is lifted; or lifts that. */
export function SilenceButton({ id, name, noun, isSilenced, why, send, onChange }: SilenceButtonProps) {
  const [busy, setBusy] = useState(false);
  const [asking, ask] = useState(false);
  async function lift() {
    setBusy(true);
    try {
      await send({ silenced: false });
      showToast('Alerts go out again.');
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
        <Dialog title={`Silence ${name}`} onClose={() => ask(false)}>
          <SilenceForm
            name={`silence ${id}`}
            endless
            send={async ({ until, reason }) => {
              await send({ silenced: true, silenced_until: until, silence_reason: reason });
              showToast(`No alert of ${noun} goes out until the silence ends.`);
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
