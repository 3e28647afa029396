/** Whether a key is not a shortcut, because the user types in a field or holds Ctrl, Meta or Alt. */
export const isTyping = ({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  ctrlKey ||
  metaKey ||
  altKey ||
  (target instanceof Element && target.matches('input:not([type=checkbox]), textarea, select'));

const FIELD = ':is(input, select, textarea):not(:disabled)';

/** Focuses the first enabled field in an element. */
export const focusField = (inside: Element): void => inside.querySelector<HTMLElement>(FIELD)?.focus();
