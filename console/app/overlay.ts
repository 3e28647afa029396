import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isTyping } from '#console/parts/typing.ts';

export const overlay = signal<'palette' | 'keys' | undefined>(undefined);

const visibleSearchField = (): HTMLElement | undefined =>
  [...document.querySelectorAll<HTMLElement>('main input[type=search]')].find((field) => field.checkVisibility());

export function useShortcuts(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isJump = event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey);
      if (document.querySelector('dialog[open]') || (!isJump && isTyping(event))) return;
      const field = event.key === '/' ? visibleSearchField() : undefined;
      if (field) field.focus();
      else if (isJump || event.key === '/') overlay.value = 'palette';
      else if (event.key === '?') overlay.value = 'keys';
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('keydown', onKey);
      overlay.value = undefined;
    };
  }, []);
}
