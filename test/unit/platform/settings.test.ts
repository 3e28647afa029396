import { describe, expect, it } from 'vitest';
import { readSettings } from '#lib/platform/settings.ts';

describe('the settings', () => {
  it.each([
    { NATS_URL: 'http://nats.example.com' },
    { NATS_URL: '%%%' },
    { NATS_URL: 'nats://a.example.com, ' },
    { WITNESS: 'a..b' },
    { WITNESS: 'https://example.com' },
    { CHECK_EGRESS: 'all' },
    { MIN_INTERVAL_SECONDS: '0' },
    { ALLOWED_ORIGINS: 'https://app.example.com/' },
  ])('refuse %o in one sentence that names it', (wrong) => {
    expect(() => readSettings(wrong)).toThrow(`Settings are wrong. ${Object.keys(wrong)[0]}`);
  });

  it.each([
    { NATS_URL: 'nats.example.com' },
    { NATS_URL: 'nats://user:secret@a.example.com:4222, tls://b.example.com' },
    { NATS_URL: '127.0.0.1:4222' },
    { WITNESS: '.' },
    { WITNESS: 'example.com.' },
    { WITNESS: 'xn--bcher-kva.de' },
    { ALLOWED_ORIGINS: 'https://app.example.com, http://localhost:5173' },
  ])('take %o', (right) => {
    expect(() => readSettings(right)).not.toThrow();
  });
});
