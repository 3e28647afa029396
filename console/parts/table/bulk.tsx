import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { type Failed, runConcurrently } from '#console/rules/bulk-requests.ts';
import { count } from '#console/rules/words.ts';
import type { Selection } from './selection.ts';

export type BulkAction = {
  name: string;
  why?: string | undefined;
  kind?: 'danger';
  /** Consequence, shown in a confirmation; without it the action runs at once. */
  consequence?: string;
  work: (key: string) => Promise<unknown>;
};

/** Action with its own dialog, which starts the work. */
export type ConfirmedAction = Pick<BulkAction, 'name' | 'why'> & {
  ask: (begin: (work: BulkAction['work']) => void, close: () => void) => ComponentChildren;
};

type BulkBarProps = {
  selection: Selection;
  /** `['check', 'checks']` */
  noun: readonly [string, string];
  nameOf: (key: string) => string;
  actions: readonly (BulkAction | ConfirmedAction)[];
  onDone: () => void;
};

type Running = { action: BulkAction; total: number; done: number; failed?: readonly Failed<string>[] };

/** Bar of actions for the selected rows. It shows progress and failures; failed rows stay selected. */
export function BulkBar({ selection, noun, nameOf, actions, onDone }: BulkBarProps) {
  const [running, setRunning] = useState<Running | undefined>(undefined);
  const [confirming, confirm] = useState<BulkAction | undefined>(undefined);
  const [dialog, setDialog] = useState<ConfirmedAction | undefined>(undefined);
  const words = (n: number) => count(n, ...noun);

  async function run(action: BulkAction) {
    confirm(undefined);
    const keys = [...selection.keys];
    setRunning({ action, total: keys.length, done: 0 });
    const failed = await runConcurrently(keys, action.work, (done) => setRunning({ action, total: keys.length, done }));
    selection.set(failed.map(({ item }) => item));
    if (failed.length > 0) setRunning({ action, total: keys.length, done: keys.length, failed });
    else {
      setRunning(undefined);
      showToast(`${action.name}: ${words(keys.length)}.`);
    }
    onDone();
  }

  function begin(action: BulkAction | ConfirmedAction) {
    if ('ask' in action) setDialog(action);
    else if (action.consequence) confirm(action);
    else void run(action);
  }

  if (selection.keys.size === 0 && !running) return null;
  const busy = running !== undefined && !running.failed;
  return (
    <section class="bulk" aria-label="Selected">
      <strong>{words(selection.keys.size)} selected</strong>
      {actions.map((action) => (
        <Button
          key={action.name}
          small
          why={action.why}
          busy={busy}
          {...('kind' in action && action.kind && { kind: action.kind })}
          onClick={() => begin(action)}
        >
          {action.name}
        </Button>
      ))}
      <Button small quiet busy={busy} onClick={selection.clear}>
        Clear
      </Button>
      {busy && (
        <progress aria-label={running.action.name} max={running.total} value={running.done}>
          {running.done} of {running.total}
        </progress>
      )}
      {dialog?.ask(
        (work) => {
          setDialog(undefined);
          void run({ ...dialog, work });
        },
        () => setDialog(undefined),
      )}
      {confirming && (
        <Dialog title={`${confirming.name}: ${words(selection.keys.size)}?`} onClose={() => confirm(undefined)}>
          <p>{confirming.consequence}</p>
          <footer>
            <Button onClick={() => confirm(undefined)}>Cancel</Button>
            <Button kind="danger" onClick={() => void run(confirming)}>
              {confirming.name}
            </Button>
          </footer>
        </Dialog>
      )}
      {running?.failed && (
        <Dialog title={`${running.failed.length} of ${running.total} failed`} onClose={() => setRunning(undefined)}>
          <p>{running.action.name}: these are still selected, so you can retry.</p>
          <ul>
            {running.failed.map(({ item, why }) => (
              <li key={item}>
                <strong>{nameOf(item)}</strong>: {why}
              </li>
            ))}
          </ul>
        </Dialog>
      )}
    </section>
  );
}
