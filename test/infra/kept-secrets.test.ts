import { describe, expect, it } from 'vitest';
import { flowSecrets } from '#lib/identity/oidc/request.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { makeIds } from '#lib/platform/ids.ts';
import { linesWithSecrets, notedIds, noteSecret, watchedLog } from '#test/support/kept-secrets.ts';
import { memoryLog } from '#test/support/log.ts';

describe('secret detection in test logs', () => {
  const log = watchedLog(memoryLog());
  const secret = notedIds(makeIds(systemClock)).secret();
  noteSecret('a foreign code');

  it.each([
    ['a key', `GET /v1/me with fw_${secret}`],
    ['a state', `/v1/sign-in/oidc/callback?state=${flowSecrets(secret).state}&code=1`],
    ['a secret of another system', 'it returned: a foreign code'],
  ])('finds %s', (_what, text) => {
    log.warn('a request failed', { detail: { text } });
    expect(linesWithSecrets()).toEqual([expect.stringContaining(text)]);
  });

  it('accepts redacted secrets and other text', () => {
    log.info('a request', { key: `fw_${secret}`, digest: 'a'.repeat(64) });
    expect(linesWithSecrets()).toEqual([]);
  });
});
