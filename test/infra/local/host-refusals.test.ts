import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readHostSettings } from '#infra/local/settings.ts';
import { startService } from '#test/support/service.ts';
import { cleanUp, newDir, start } from './host-process.ts';

afterEach(cleanUp);

describe('the embedded service', () => {
  it('is refused on a folder that another one holds, in one sentence', async () => {
    const dir = newDir();
    await start({ DATA_DIR: dir }).ready;
    const second = start({ DATA_DIR: dir });
    expect(await second.exited).toEqual({ code: 1, signal: null });
    expect(second.err()).toBe(
      `Another Fleetwatch is running on ${dir}. Stop it first, or start this one with another DATA_DIR and PORT.\n`,
    );
  });

  it('is refused where its folder is a file, in one sentence that names it', async () => {
    const file = join(newDir(), 'file');
    writeFileSync(file, '');
    const service = start({ DATA_DIR: file });
    expect(await service.exited).toEqual({ code: 1, signal: null });
    expect(service.err()).toMatch(/^DATA_DIR \S+file cannot be used \(.*\)\. Name a folder that can be written\.\n$/);
  });

  it('is refused on a port in use, in one sentence', async () => {
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
  ])('names %s when it is wrong, in one sentence', async (name, value) => {
    const service = start({ DATA_DIR: newDir(), [name]: value });
    expect(await service.exited).toEqual({ code: 1, signal: null });
    expect(service.err()).toContain(name);
    expect(service.err().trim().split('\n')).toHaveLength(1);
  });

  it('says in plain words what a setting must be, and which one a misspelt one may be', async () => {
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

  it('is refused with a flag that is not known, in one sentence', async () => {
    const service = start({ DATA_DIR: newDir() }, ['--dmeo']);
    expect(await service.exited).toEqual({ code: 1, signal: null });
    expect(service.err()).toBe('--dmeo is unknown; did you mean --demo?\n');
  });

  it('leaves nothing behind when it cannot start', async () => {
    const dir = newDir();
    const first = await startService({ dir });
    await expect(startService({ dir })).rejects.toThrow('Another Fleetwatch');
    await first.stop();
    expect(existsSync(join(dir, 'fleetwatch.db-wal'))).toBe(false);
  });
});
