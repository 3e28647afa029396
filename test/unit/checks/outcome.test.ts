import { expect, it } from 'vitest';
import { failed } from '#lib/checks/outcome.ts';

it('cuts a long message between two characters, so that no response has half a character', () => {
  const { error_message } = failed('body', `${'x'.repeat(498)}💾💾`, 5);
  expect(error_message).toBe(`${'x'.repeat(498)}…`);
});
