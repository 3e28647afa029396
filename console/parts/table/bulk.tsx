import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { type Failed, runInBatches } from '#console/rules/bulk-requests.ts';
import { count } from '#console/rules/words.ts';
import type { Selection } from './selection.ts';

export type BulkAction = {
  /** What the button says. */
  name: string;
  /** Why one may not. */
  why?: string | undefined;
  kind?: 'danger';
  /** What is lost, where something is: it is asked before. */
  loses?: string;
  /** Does it to one. */
  work: (key: string) => Promise<unknown>;
};

/** Something that has to be known first: what it draws asks for it, and then begins. */
export type ConfirmedAction = Pick<BulkAction, 'name' | 'why'> & {
  ask: (begin: (work: BulkAction['work']) => void, close: () => void) => ComponentChildren;
};

type BulkBarProps = {
  selection: Selection;
  /** `['check', 'checks']` */
  noun: readonly [string, string];
  /** What one is called, for the list of those that failed. */
  nameOf: (key: string) => string;
  actions: readonly (BulkAction | ConfirmedAction)[];
  /** Called when all were tried. */
  onDone: () => void;
};

type Running = { action: BulkAction; total: number; done: number; failed?: readonly Failed<string>[] };

/** What can be done to all marked rows at once: it says how far it is, and what failed, which stays marked. */
export function BulkBar({ selection, noun, nameOf, actions, onDone }: BulkBarProps) {
  const [running, setRunning] = useState<Running | undefined>(undefined);
  const [asked, ask] = useState<BulkAction | undefined>(undefined);
  const [asking, setAsking] = useState<ConfirmedAction | undefined>(undefined);
  const words = (n: number) => count(n, ...noun);

  async function run(action: BulkAction) {
    ask(undefined);
    const keys = [...selection.keys];
    setRunning({ action, total: keys.length, done: 0 });
    const failed = await runInBatches(keys, action.work, (done) => setRunning({ action, total: keys.length, done }));
    selection.set(failed.map(({ item }) => item));
    if (failed.length > 0) setRunning({ action, total: keys.length, done: keys.length, failed });
    else {
      setRunning(undefined);
      showToast(`${action.name}: ${words(keys.length)}.`);
    }
    onDone();
  }

  function begin(action: BulkAction | ConfirmedAction) {
    if ('ask' in action) setAsking(action);
    else if (action.loses) ask(action);
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
      {asking?.ask(
        (work) => {
          setAsking(undefined);
          void run({ ...asking, work });
        },
        () => setAsking(undefined),
      )}
      {asked && (
        <Dialog title={`${asked.name}: ${words(selection.keys.size)}?`} onClose={() => ask(undefined)}>
          <p>{asked.loses}</p>
          <footer>
            <Button onClick={() => ask(undefined)}>Keep</Button>
            <Button kind="danger" onClick={() => void run(asked)}>
              {asked.name}
            </Button>
          </footer>
        </Dialog>
      )}
      {running?.failed && (
        <Dialog title={`${running.failed.length} of ${running.total} failed`} onClose={() => setRunning(undefined)}>
          <p>{running.action.name}: these are still selected, so that you can try again.</p>
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
