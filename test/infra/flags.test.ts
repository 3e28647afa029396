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

describe('parseFlags', () => {
  it('accepts known options', () => {
    expect(parseFlags(['a', '--demo', '--retention-days=7'], OPTIONS, true)).toMatchObject({
      options: { demo: true, 'retention-days': '7' },
      words: ['a'],
    });
  });

  it.each([
    ['--dmeo', '--dmeo is unknown; did you mean --demo?'],
    ['--retention_days=7', '--retention_days is unknown; did you mean --retention-days?'],
    ['--verbose', '--verbose is unknown; use --demo, --retention-days.'],
    ['-d', '-d is unknown; use --demo, --retention-days.'],
    ['demo', '"demo" is unknown; did you mean --demo?'],
  ])('rejects %s', (arg, message) => expect(refusal(arg)).toBe(message));
});
