import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

type MenuProps = {
  label: string;
  icon?: IconName;
  children: ComponentChildren;
};

/** Menu that a button opens. Escape, a click elsewhere, and a choice close it. */
export function Menu({ label, icon = 'more', children }: MenuProps) {
  const element = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const elsewhere = (event: Event) => {
      const details = element.current;
      if (details?.open && !details.contains(event.target as Node)) details.open = false;
    };
    addEventListener('pointerdown', elsewhere);
    addEventListener('focusin', elsewhere);
    return () => {
      removeEventListener('pointerdown', elsewhere);
      removeEventListener('focusin', elsewhere);
    };
  }, []);
  function close() {
    if (!element.current?.open) return;
    element.current.open = false;
    element.current.querySelector('summary')?.focus();
  }
  return (
    <details
      ref={element}
      class="menu"
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
      }}
    >
      <summary class="button quiet" aria-label={label} title={label}>
        <Icon name={icon} />
      </summary>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: clicks come from the buttons and links in it */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: see above */}
      <div class="menu-items" onClick={close}>
        {children}
      </div>
    </details>
  );
}
