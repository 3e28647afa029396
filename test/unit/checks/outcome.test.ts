import { expect, it } from 'vitest';
import { failed } from '#lib/checks/outcome.ts';

it('an outcome holds a long message cut between two characters, so that no answer has half of one', () => {
  const { error_message } = failed('body', `${'x'.repeat(498)}💾💾`, 5);
  expect(error_message).toBe(`${'x'.repeat(498)}…`);
});
