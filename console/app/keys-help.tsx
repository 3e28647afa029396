import { Dialog } from '#console/parts/dialog.tsx';

const KEYS = [
  ['/', 'search on this page, or jump'],
  ['⌘ K, Ctrl K', 'jump to an entity, a check, a page or a command'],
  ['j, k', 'next and previous row'],
  ['Enter', 'open the row'],
  ['x', 'select the row'],
  ['Esc', 'clear the selection, close a dialog'],
  ['?', 'keyboard shortcuts'],
] as const;

export const KeysHelp = ({ onClose }: { onClose: () => void }) => (
  <Dialog help="start" title="Keyboard shortcuts" onClose={onClose}>
    <dl class="keys">
      {KEYS.map(([key, what]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
);
