import { Dialog } from '#console/parts/dialog.tsx';

const KEYS = [
  ['/', 'search on this page, or jump'],
  ['⌘ K, Ctrl K', 'jump to an entity, a check or a page'],
  ['j, k', 'next and previous line of a list'],
  ['Enter', 'open it'],
  ['x', 'select it'],
  ['Esc', 'clear the selection, close what is open'],
  ['?', 'these keys'],
] as const;

export const KeysHelp = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Keys" onClose={onClose}>
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
