import { describe, expect, it } from 'vitest';
import { parseWithoutEntity } from '#lib/checks/settings/model.ts';
import { monitorSettings, PRESETS, type PresetName, presetOf } from '#lib/checks/settings/presets.ts';

const NOW = Date.UTC(2026, 0, 1);
const names = Object.keys(PRESETS) as PresetName[];

/** Returns the settings of a monitor. Throws if the request is not valid. */
function built(request: Parameters<typeof monitorSettings>[0], minInterval?: number) {
  const settings = monitorSettings(request, minInterval);
  if ('message' in settings) throw new Error(`${settings.path} ${settings.message}`);
  return settings;
}

describe('a preset', () => {
  it.each(names)('%s makes valid settings, also with a minimum interval of 60 s', (preset) => {
    const target = presetOf(preset).example;
    const request = { preset, ...(target ? { target } : { name: 'Backup', schedule: '30 2 * * *' }) };
    for (const minInterval of [1, 60]) {
      const { check } = built(request, minInterval);
      const settings = parseWithoutEntity(check, { minInterval, now: NOW });
      expect(settings.interval_seconds).toBeGreaterThanOrEqual(minInterval);
    }
  });

  it('warns 14 days before a certificate expires and fails only when it is not valid', () => {
    const { check } = built({ preset: 'certificate', target: 'https://shop.example.com:8443/cart' });
    expect(check.config).toEqual({
      host: 'shop.example.com',
      port: 8443,
      assertions: [{ source: 'days_left', operator: 'at_least', value: 14, severity: 'warn' }],
    });
  });

  it('uses TLS from the start for the certificate of imaps', () => {
    const { config } = built({ preset: 'certificate', target: 'imaps://mail.example.com' }).check;
    expect(config).toMatchObject({ port: 993 });
    expect(config).not.toHaveProperty('starttls');
  });

  it('confirms an outage of a website within a minute', () => {
    const { check } = built({ preset: 'website', target: 'shop.example.com' });
    const { interval_seconds, retry_interval_seconds, failure_threshold } = check as Record<string, number>;
    expect(interval_seconds! + (failure_threshold! - 1) * retry_interval_seconds!).toBeLessThan(60);
  });

  it('uses TLS from the start only for mail on port 465', () => {
    const tlsOf = (target: string) => built({ preset: 'smtp', target }).check.config;
    expect(tlsOf('mail.example.com:465')).toMatchObject({ port: 465, tls: true });
    expect(tlsOf('mail.example.com')).not.toHaveProperty('tls');
  });
});

describe('a target', () => {
  it.each<[PresetName, string, object]>([
    ['website', 'shop.example.com', { target_url: 'https://shop.example.com/' }],
    ['website', 'localhost:3000/a?b=c', { target_url: 'https://localhost:3000/a?b=c' }],
    ['website', ' http://shop.example.com ', { target_url: 'http://shop.example.com/' }],
    ['redis', 'redis://Cache.example.com/0', { config: { host: 'cache.example.com', port: 6379 } }],
    ['postgres', '[::1]:5433', { config: { host: '::1', port: 5433 } }],
    ['certificate', 'https://shop.example.com:443', { config: { host: 'shop.example.com', port: 443 } }],
    [
      'certificate',
      'SMTP://mail.example.com',
      { name: 'Certificate :587', config: { host: 'mail.example.com', port: 587, starttls: 'smtp' } },
    ],
    ['certificate', 'imap://mail.example.com:1143', { config: { port: 1143, starttls: 'imap' } }],
    ['domain', 'https://www.example.com/', { config: { domain: 'example.com' } }],
  ])('of %s: %s', (preset, target, expected) => {
    expect(built({ preset, target }).check).toMatchObject(expected);
  });

  it('is completed with https://, with a note', () => {
    expect(built({ preset: 'website', target: 'shop.example.com' }).notes).toEqual([
      'https:// was added: https://shop.example.com/',
    ]);
    expect(built({ preset: 'website', target: 'http://shop.example.com' }).notes).toEqual([]);
  });

  it.each<[PresetName, object, string, string]>([
    ['website', {}, 'target', 'is required, such as https://shop.example.com'],
    ['website', { target: 'ftp://example.com' }, 'target', 'must be an http or https URL'],
    ['website', { target: 'https://ann:hush@example.com' }, 'target', 'must not contain user:password@'],
    ['tcp_port', { target: 'example.com' }, 'target', 'must include the port'],
    ['redis', { target: 'redis://:hush@example.com' }, 'target', 'does not log in'],
    ['redis', { target: 'a b' }, 'target', 'must be a host name or host:port'],
    ['redis', { target: 'example.com', keyword: 'a' }, 'keyword', 'is not a setting of the preset redis'],
    ['website', { target: 'example.com', schedule: '@daily' }, 'schedule', 'is not a setting of the preset website'],
    ['cron_job', { schedule: '@daily' }, 'name', 'is required for the preset cron_job'],
    ['cron_job', { name: 'Backup', target: 'example.com' }, 'target', 'is not a setting of the preset cron_job'],
  ])('of %s with %j is rejected at %s', (preset, request, path, message) => {
    expect(monitorSettings({ preset, ...request })).toEqual({ path, message: expect.stringContaining(message) });
  });
});
