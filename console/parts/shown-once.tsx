import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import { CodeBlock } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';

type ShownOnceProps = {
  title: string;
  /** Texts to take away, by what they are. */
  texts: Readonly<Record<string, string>>;
  /** What to do with it. */
  children?: ComponentChildren;
  onClose: () => void;
};

/** A secret that the API tells once: it is in this window alone, and gone with it. */
export const ShownOnce = ({ title, texts, children, onClose }: ShownOnceProps) => (
  <Dialog title={title} wide onClose={onClose}>
    <div class="stack">
      <p>
        <strong>Copy it now. It is shown this once.</strong> {children}
      </p>
      {Object.entries(texts).map(([label, text]) => (
        <CodeBlock key={label} label={label} text={text} />
      ))}
    </div>
    <footer>
      <Button onClick={onClose}>I have copied it</Button>
    </footer>
  </Dialog>
);
