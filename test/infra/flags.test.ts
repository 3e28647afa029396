import { describe, expect, it } from 'vitest';
import { parseFlags } from '#infra/flags.ts';

const OPTIONS = { demo: { type: 'boolean' }, 'retention-days': { type: 'string' } } as const;
const refusal = (...args: string[]) => {
  try {
    return parseFlags(args, OPTIONS, false);
  } catch (error) {
    return (error as Error).message;
  }
};

describe('a command line', () => {
  it('is taken with what is known', () => {
    expect(parseFlags(['a', '--demo', '--retention-days=7'], OPTIONS, true)).toMatchObject({
      options: { demo: true, 'retention-days': '7' },
      words: ['a'],
    });
  });

  it.each([
    ['--dmeo', '--dmeo is not known; did you mean --demo?'],
    ['--retention_days=7', '--retention_days is not known; did you mean --retention-days?'],
    ['--verbose', '--verbose is not known; there are --demo, --retention-days.'],
    ['-d', '-d is not known; there are --demo, --retention-days.'],
    ['demo', '"demo" is not known; did you mean --demo?'],
  ])('is refused with %s', (arg, message) => expect(refusal(arg)).toBe(message));
});
