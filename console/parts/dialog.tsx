import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { address } from '#console/app/router.ts';
import { Button } from './button.tsx';
import { HelpLink, type Subject } from './help-link.tsx';
import { focusField } from './typing.ts';

type DialogProps = {
  title: string;
  /** Called when the dialog closes, for any reason. The parent must then stop rendering it. */
  onClose: () => void;
  children: ComponentChildren;
  wide?: boolean;
  help?: Subject;
};

/** Modal dialog. The first field has the focus. Escape and a change of the page close it. */
export function Dialog({ title, onClose, children, wide = false, help }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before painting, so that keys typed at once go to the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement;
    element.current!.showModal();
    focusField(element.current!);
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const { path } = address.value;
  const opened = useRef(path);
  useEffect(() => {
    if (path !== opened.current) element.current?.close();
  }, [path]);
  return (
    <dialog ref={element} class={wide ? 'dialog wide' : 'dialog'} aria-labelledby={id} onClose={onClose}>
      <header>
        <h2 id={id}>{title}</h2>
        {help && <HelpLink to={help} />}
        <Button quiet small icon="close" label="Close" onClick={() => element.current?.close()} />
      </header>
      {children}
    </dialog>
  );
}
