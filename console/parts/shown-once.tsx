import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import { CodeBlock } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';

type ShownOnceProps = {
  title: string;
  texts: Readonly<Record<string, string>>;
  children?: ComponentChildren;
  onClose: () => void;
};

/** Shows a secret that the API returns only once. */
export const ShownOnce = ({ title, texts, children, onClose }: ShownOnceProps) => (
  <Dialog title={title} wide onClose={onClose}>
    <div class="stack">
      <p>
        <strong>Copy it now. It is shown only once.</strong> {children}
      </p>
      {Object.entries(texts).map(([label, text]) => (
        <CodeBlock key={label} label={label} text={text} />
      ))}
    </div>
    <footer>
      <Button onClick={onClose}>Done</Button>
    </footer>
  </Dialog>
);
