import { describe, expect, it } from 'vitest';
import { makeLog } from '#lib/platform/log.ts';

function testLog(level?: Parameters<typeof makeLog>[0]) {
  const written: string[] = [];
  const log = makeLog(
    level,
    (line) => written.push(line),
    () => Date.parse('2026-11-21T05:16:40.123Z'),
  );
  return { log, written };
}

describe('makeLog', () => {
  it('writes one JSON object per line, with level, time and message first', () => {
    const { log, written } = testLog();
    log.info('a result was recorded', { check_id: 'chk_1', level: 'mine', text: 'two\nlines' });
    expect(written).toEqual([
      '{"level":"info","time":"2026-11-21T05:16:40.123Z","message":"a result was recorded","check_id":"chk_1","text":"two\\nlines"}\n',
    ]);
  });

  it('shows name, message, stack and cause of an error at any depth', () => {
    const { log, written } = testLog();
    log.error('it failed', { error: new TypeError('bad', { cause: new Error('deeper') }), list: [new Error('third')] });
    expect(JSON.parse(written[0]!)).toMatchObject({
      error: {
        name: 'TypeError',
        message: 'bad',
        stack: expect.stringContaining('log.test.ts'),
        cause: { message: 'deeper' },
      },
      list: [{ message: 'third' }],
    });
  });

  it('redacts fields that are named like secrets', () => {
    const { log, written } = testLog();
    log.warn('x', { headers: { Authorization: 'Bearer fw_abc' }, config: { token: 'abc', secret: 'def' } });
    expect(written[0]).not.toMatch(/abc|def/);
  });

  it('writes nothing below its level', () => {
    const { log, written } = testLog('error');
    log.info('no');
    log.warn('no');
    log.error('yes');
    expect(written).toHaveLength(1);
    const silent = testLog('silent');
    silent.log.error('no');
    expect(silent.written).toEqual([]);
  });
});
