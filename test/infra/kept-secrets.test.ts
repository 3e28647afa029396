import { describe, expect, it } from 'vitest';
import { flowSecrets } from '#lib/identity/oidc/request.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { makeIds } from '#lib/platform/ids.ts';
import { linesWithSecrets, notedIds, noteSecret, watchedLog } from '#test/support/kept-secrets.ts';
import { memoryLog } from '#test/support/log.ts';

describe('the log of a service in a test', () => {
  const log = watchedLog(memoryLog());
  const secret = notedIds(makeIds(systemClock)).secret();
  noteSecret('a code of theirs');

  it.each([
    ['a key', `GET /v1/me with fw_${secret}`],
    ['a state', `/v1/sign-in/oidc/callback?state=${flowSecrets(secret).state}&code=1`],
    ['what another system gave', 'it answered: a code of theirs'],
  ])('is found to hold %s', (_what, text) => {
    log.warn('a request failed', { detail: { text } });
    expect(linesWithSecrets()).toEqual([expect.stringContaining(text)]);
  });

  it('may hold anything else', () => {
    log.info('a request', { key: `fw_${secret}`, digest: 'a'.repeat(64) });
    expect(linesWithSecrets()).toEqual([]);
  });
});
