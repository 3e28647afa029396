import { describe, expect, it } from 'vitest';
import { readHostSettings } from '#infra/local/settings.ts';
import { readSettings } from '#lib/settings.ts';

describe('the settings', () => {
  it.each([
    { NATS_URL: 'http://nats.example.com' },
    { NATS_URL: '%%%' },
    { NATS_URL: 'nats://a.example.com, ' },
    { NATS_URL: 'nats://a.example.com, tls://b.example.com' },
    { NATS_URL: 'a.example.com, tls://b.example.com' },
    { NATS_URL: 'nats://me:pw@a.example.com, nats://b.example.com' },
    { NATS_URL: 'nats://me:pw@a.example.com, nats://me:other@b.example.com' },
    { NATS_SUBJECT_PREFIX: 'fleetwatch' },
    { NATS_SUBJECT_PREFIX: 'fleet watch.' },
    { NATS_SUBJECT_PREFIX: 'a..' },
    { NATS_SUBJECT_PREFIX: '.' },
    { NATS_SUBJECT_PREFIX: '$SYS.' },
    { NATS_SUBJECT_PREFIX: '_INBOX.' },
    { NATS_SUBJECT_PREFIX: 'fleet.*.' },
    { NATS_SUBJECT_PREFIX: 'fleet.{tenant}.' },
    { NATS_SUBJECT_PREFIX: 'a\r\nPUB.' },
    { REFERENCE_HOST: 'a..b' },
    { REFERENCE_HOST: 'https://example.com' },
    { CHECK_EGRESS: 'all' },
    { MIN_INTERVAL_SECONDS: '0' },
    { ALLOWED_ORIGINS: 'https://app.example.com/' },
  ])('reject %o in one sentence that names it', (wrong) => {
    expect(() => readSettings(wrong)).toThrow(`Settings are wrong. ${Object.keys(wrong)[0]}`);
  });

  it.each([
    { NATS_URL: 'nats.example.com' },
    { NATS_URL: 'nats://user:secret@a.example.com:4222, user:secret@b.example.com' },
    { NATS_URL: 'tls://token@a.example.com,tls://token@b.example.com' },
    { NATS_SUBJECT_PREFIX: '' },
    { NATS_SUBJECT_PREFIX: 'ops.fleet-{tenant_id}.alerts.' },
    { NATS_URL: '127.0.0.1:4222' },
    { REFERENCE_HOST: '.' },
    { REFERENCE_HOST: 'example.com.' },
    { REFERENCE_HOST: 'xn--bcher-kva.de' },
    { ALLOWED_ORIGINS: 'https://app.example.com, http://localhost:5173' },
  ])('accept %o', (right) => {
    expect(() => readSettings(right)).not.toThrow();
  });

  it('use defaults for empty values, except for a prefix and a reference host', () => {
    const { settings } = readHostSettings({ SHARDS: '', REFERENCE_HOST: '', NATS_SUBJECT_PREFIX: '' });
    expect(settings).toMatchObject({ SHARDS: 1, REFERENCE_HOST: '', NATS_SUBJECT_PREFIX: '' });
    expect(readHostSettings({}).settings.REFERENCE_HOST).toBe('.');
    expect(readHostSettings({}).settings.NATS_SUBJECT_PREFIX).toBe('fleetwatch.{tenant_id}.');
  });
});
