/** Whether the user is typing, so that keys are not shortcuts. */
export const isTyping = ({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  ctrlKey ||
  metaKey ||
  altKey ||
  (target instanceof Element && target.matches('input:not([type=checkbox]), textarea, select'));
