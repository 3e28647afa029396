import { useEffect, useState } from 'preact/hooks';
import { showWarning } from '#console/app/toasts.tsx';
import { Button } from './button.tsx';

const SHOWN_MS = 2000;

/** Copies a text, and says that it did. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  async function copy() {
    // Browsers have it over TLS and at localhost alone, and may say no.
    const failed = await navigator.clipboard?.writeText(text).catch(() => true);
    if (navigator.clipboard && !failed) setCopied(true);
    else showWarning('This browser does not let the page copy here. Select the text and copy it by hand.');
  }
  return (
    <Button small quiet icon={copied ? 'done' : 'copy'} onClick={() => void copy()}>
      {copied ? 'Copied' : label}
    </Button>
  );
}

/** Text to take away: a command, a key, a document. */
export const CodeBlock = ({ text, label }: { text: string; label: string }) => (
  <figure class="code">
    <figcaption>
      {label}
      <CopyButton text={text} />
    </figcaption>
    {/* It scrolls sideways: the keyboard has to reach it. */}
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  </figure>
);
