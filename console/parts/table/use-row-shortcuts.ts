import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { isTyping } from '#console/parts/typing.ts';
import type { Selection } from './selection.ts';

/** Adds row shortcuts: j and k move the focus, x selects or deselects the focused row, Escape clears the selection. */
export function useRowShortcuts(
  body: RefObject<HTMLElement | null>,
  {
    count,
    keyAt,
    selection,
  }: { count: number; keyAt: (index: number) => string | undefined; selection?: Selection | undefined },
): void {
  const latest = useRef({ count, keyAt, selection });
  latest.current = { count, keyAt, selection };

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const element = body.current;
      if (!element || isTyping(event) || document.querySelector('dialog[open]')) return;
      const { count, keyAt, selection } = latest.current;
      const at = indexOf(document.activeElement?.closest('[data-row]'), element);
      if (event.key === 'j' || event.key === 'k') {
        event.preventDefault();
        const next = at === undefined ? firstInSight(element) : at + (event.key === 'j' ? 1 : -1);
        focusRow(element, Math.max(0, Math.min(count - 1, next)));
      } else if (event.key === 'x' && at !== undefined && selection) {
        const key = keyAt(at);
        if (key !== undefined) selection.toggle(key);
      } else if (event.key === 'Escape' && selection && selection.keys.size > 0) selection.clear();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [body]);
}

function indexOf(row: Element | null | undefined, body: HTMLElement): number | undefined {
  return row instanceof HTMLElement && body.contains(row) ? Number(row.dataset.row) : undefined;
}

function firstInSight(body: HTMLElement): number {
  const rows = [...body.querySelectorAll<HTMLElement>('[data-row]')];
  const seen = rows.find((row) => row.getBoundingClientRect().top >= 0) ?? rows[0];
  return Number(seen?.dataset.row ?? 0);
}

/** Focuses a row. Some rows above and below the visible ones are rendered too, so the next row exists. */
function focusRow(body: HTMLElement, index: number): void {
  const row = body.querySelector<HTMLElement>(`[data-row="${index}"]`);
  const target = row?.querySelector<HTMLElement>('a, button') ?? row;
  target?.focus();
  row?.scrollIntoView({ block: 'nearest' });
}
