import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PARTS } from '#test/nightly/parts.ts';
import { runCommand } from '#test/support/command.ts';

const nightly = (...args: string[]) => runCommand('test/nightly/main.ts', args);

describe('npm run test:nightly', () => {
  it.each(Object.entries(PARTS))('finds the files of the part %s', (_name, { command }) => {
    const files = command.filter((word) => word.includes('/'));
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });

  it('has the option --seed in exactly the nightly parts that are marked as seeded', () => {
    for (const { seeded, options, night } of Object.values(PARTS)) {
      if (night) expect(options?.includes('--seed ') ?? false).toBe(seeded ?? false);
    }
  });

  it('passes options to a part and exits with its code', async () => {
    expect(await nightly('years', '--only', 'decade')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Unknown plan decade'),
    });
  });

  it('lists the parts when a name is unknown', async () => {
    expect(await nightly('fualts')).toMatchObject({ code: 2, out: expect.stringContaining('did you mean faults?') });
    const { code, out } = await nightly('--help');
    expect(code).toBe(0);
    for (const name of Object.keys(PARTS)) expect(out).toMatch(new RegExp(`^[* ] ${name} `, 'm'));
  });
});
