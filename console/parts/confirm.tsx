import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type ApiFailure, asFailure } from '#console/api/call.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './states.tsx';

type ConfirmProps = {
  title: string;
  /** What is lost, in words: `Its 3 checks and their history go with it.` */
  children: ComponentChildren;
  /** What the button says: `Delete web shop`. */
  action: string;
  /** Does it; when it throws, the reason is shown, and one may try again. */
  run: () => Promise<unknown>;
  onClose: () => void;
};

/** Asks before something is taken away for good, and names what is lost. */
export function Confirm({ title, children, action, run, onClose }: ConfirmProps) {
  const [busy, setBusy] = useState(false);
  const [failure, fail] = useState<ApiFailure | undefined>(undefined);
  async function confirmed() {
    setBusy(true);
    try {
      await run();
      onClose();
    } catch (error) {
      fail(asFailure(error));
      setBusy(false);
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <div>{children}</div>
      {failure && <Failure failure={failure} />}
      <footer>
        <Button onClick={onClose}>Keep</Button>
        <Button kind="danger" busy={busy} onClick={() => void confirmed()}>
          {action}
        </Button>
      </footer>
    </Dialog>
  );
}
