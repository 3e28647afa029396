import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readHostSettings } from '#infra/local/settings.ts';
import { startService } from '#test/support/service.ts';
import { cleanUp, newDir, start } from './host-process.ts';

/** Page size of SQLite in bytes. */
const PAGE = 4096;

afterEach(cleanUp);

describe('start of the embedded service', () => {
  it('fails with one line in a folder that another service holds', async () => {
    const dir = newDir();
    await start({ DATA_DIR: dir }).ready;
    const second = start({ DATA_DIR: dir });
    expect(await second.exited).toEqual({ code: 1, signal: null });
    expect(second.err()).toBe(
      `Another Fleetwatch is running on ${dir}. Stop it first, or start this one with another DATA_DIR and PORT.\n`,
    );
  });

  it('fails with one line that names the folder if it is a file', async () => {
    const file = join(newDir(), 'file');
    writeFileSync(file, '');
    const service = start({ DATA_DIR: file });
    expect(await service.exited).toEqual({ code: 1, signal: null });
    expect(service.err()).toMatch(/^DATA_DIR \S+file cannot be used \(.*\)\. Use a writable folder\.\n$/);
  });

  it.each([
    ['has random bytes', () => randomBytes(50_000)],
    ['is the first half of a copy', (whole: Buffer) => whole.subarray(0, whole.length / 2)],
    ['has a torn page', (whole: Buffer) => whole.fill(0xa5, 3 * PAGE, 4 * PAGE)],
  ])('fails with one line that names the database if it %s', async (_, damage) => {
    const dir = newDir();
    const first = start({ DATA_DIR: dir });
    await first.ready;
    first.child.kill('SIGTERM');
    await first.exited;
    const file = join(dir, 'fleetwatch.db');
    writeFileSync(file, damage(readFileSync(file)));
    const second = start({ DATA_DIR: dir });
    expect(await second.exited).toEqual({ code: 1, signal: null });
    expect(second.err()).toBe(
      `${file} is damaged; restore another copy. See docs/operate/backup-and-upgrade.md#restore.\n`,
    );
  });

  it('fails with one line on a port in use', async () => {
    const { url } = await start({ DATA_DIR: newDir() }).ready;
    const { port } = new URL(url);
    const second = start({ DATA_DIR: newDir(), PORT: port });
    expect(await second.exited).toEqual({ code: 1, signal: null });
    expect(second.err()).toBe(`Port ${port} on 127.0.0.1 is in use. Choose another one, as in PORT=8788 npm start.\n`);
  });

  it.each([
    ['PORT', '99999'],
    ['CHECK_EGRESS', 'some'],
    ['EGRESS_ALLOW', 'everything'],
    ['MIN_INTERVAL_SECONDS', 'x'],
    ['LOG_LEVEL', 'loud'],
    ['ALLOWED_ORIGINS', 'https://app.example.com/'],
    ['ALLOWED_ORIGINS', 'app.example.com'],
    ['CHECK_EGRES', 'public'],
  ])('names %s in one sentence when it is invalid', async (name, value) => {
    const service = start({ DATA_DIR: newDir(), [name]: value });
    expect(await service.exited).toEqual({ code: 1, signal: null });
    expect(service.err()).toContain(name);
    expect(service.err().trim().split('\n')).toHaveLength(1);
  });

  it('explains an invalid setting and suggests the name of a misspelled one', async () => {
    for (const [env, message] of [
      [{ PORT: 'abc' }, 'Settings are wrong. PORT: must be a number. See docs/operate/settings.md.'],
      [
        { CHECK_EGRES: 'public', EGRESS_ALLOWED: '10.0.0.0/8' },
        'Settings are wrong. CHECK_EGRES is not known; did you mean CHECK_EGRESS?; EGRESS_ALLOWED is not known; ' +
          'did you mean EGRESS_ALLOW? See docs/operate/settings.md.',
      ],
    ] as const) {
      expect(() => readHostSettings(env)).toThrow(message);
    }
  });

  it('fails with one line on an unknown flag', async () => {
    const service = start({ DATA_DIR: newDir() }, ['--dmeo']);
    expect(await service.exited).toEqual({ code: 1, signal: null });
    expect(service.err()).toBe('--dmeo is unknown; did you mean --demo?\n');
  });

  it('does not keep the database open when it cannot start', async () => {
    const dir = newDir();
    const first = await startService({ dir });
    await expect(startService({ dir })).rejects.toThrow('Another Fleetwatch');
    await first.stop();
    expect(existsSync(join(dir, 'fleetwatch.db-wal'))).toBe(false);
  });
});
