import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type ApiFailure, asFailure } from '#console/api/call.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './states.tsx';

type ConfirmProps = {
  title: string;
  children: ComponentChildren;
  action: string;
  /** Runs the action. An error is shown, and the user can retry. */
  run: () => Promise<unknown>;
  onClose: () => void;
};

/** Asks for confirmation before something is deleted, and names the consequences. */
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
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger" busy={busy} onClick={() => void confirmed()}>
          {action}
        </Button>
      </footer>
    </Dialog>
  );
}
