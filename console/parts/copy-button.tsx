import { useEffect, useState } from 'preact/hooks';
import { showWarning } from '#console/app/toasts.tsx';
import { Button } from './button.tsx';

const SHOWN_MS = 2000;

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  async function copy() {
    // Browsers offer the clipboard only over TLS and on localhost, and can deny it.
    const failed = await navigator.clipboard?.writeText(text).catch(() => true);
    if (navigator.clipboard && !failed) setCopied(true);
    else showWarning('The browser denied access to the clipboard. Select the text and copy it manually.');
  }
  return (
    <Button small quiet icon={copied ? 'done' : 'copy'} onClick={() => void copy()}>
      {copied ? 'Copied' : label}
    </Button>
  );
}

/** Text to copy: a command, a key, a document. */
export const CodeBlock = ({ text, label }: { text: string; label: string }) => (
  <figure class="code">
    <figcaption>
      {label}
      <CopyButton text={text} />
    </figcaption>
    {/* It scrolls sideways, so the keyboard must reach it. */}
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  </figure>
);
