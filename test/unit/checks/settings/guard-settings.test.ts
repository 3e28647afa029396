import { expect, it } from 'vitest';
import type { CheckSettings } from '#lib/checks/check-item.ts';
import { guardSettings } from '#lib/checks/settings/guard-settings.ts';
import { readSettings } from '#lib/settings.ts';
import { unlimitedCpu } from '#test/support/probe-world.ts';

const http = (target_url: string) => ({ check_type: 'http', target_url, method: 'GET', config: {} });
const on = (check_type: string, config: object) => ({ check_type, config: { ...config } });
const guard = (
  check: Pick<CheckSettings, 'check_type' | 'config'>,
  CHECK_EGRESS: 'public' | 'any' = 'public',
  EGRESS_ALLOW: string[] = [],
  SMTP_EGRESS: 'open' | 'closed' = 'open',
) =>
  guardSettings(check, {
    tenant: 'acc_1',
    caller: { egress: 'any' },
    ports: {
      settings: { ...readSettings({}), CHECK_EGRESS, EGRESS_ALLOW, SMTP_EGRESS },
      cpu: { of: () => unlimitedCpu },
    },
  });

it.each([
  [http('http://127.0.0.1/'), 'target_url'],
  [http('http://[::1]:8080/'), 'target_url'],
  [http('http://0x7f.1/'), 'target_url'],
  [http('http://localhost/'), 'target_url'],
  [on('tcp', { host: '2130706433', port: 22 }), 'config.host'],
  [on('tls', { host: '10.0.0.1', port: 443 }), 'config.host'],
  [on('dns', { hostname: 'example.com', record_type: 'A', resolver: '10.0.0.1:53' }), 'config.resolver'],
])('rejects %o with its path if only public hosts are allowed', async (check, path) => {
  await expect(guard(check)).rejects.toThrow(
    expect.objectContaining({ code: 'VALIDATION_ERROR', details: [{ path, message: expect.any(String) }] }),
  );
});

it('leaves names to the probe, and ignores names that are only queried', async () => {
  await guard(http('https://example.com/'));
  await guard(on('tcp', { host: 'does-not-resolve.example.com', port: 22 }));
  await guard(on('dns', { hostname: '127.0.0.1', record_type: 'PTR' }));
  await guard(on('push', {}));
});

it('allows private networks, but not link-local addresses, if CHECK_EGRESS is any', async () => {
  await guard(http('http://192.168.1.1/'), 'any');
  await guard(on('tcp', { host: 'nas', port: 22 }), 'any');
  await expect(guard(http('http://169.254.169.254/'), 'any')).rejects.toThrow(
    'target_url: 169.254.169.254 is a link-local address',
  );
});

it('applies the exceptions of the operator', async () => {
  await guard(http('http://127.77.0.1/'), 'public', ['127.77.0.0/16']);
  await expect(guard(http('http://127.0.0.1/'), 'public', ['127.77.0.0/16'])).rejects.toThrow(
    'target_url: 127.0.0.1 is a loopback address',
  );
});

it.each(['tcp', 'tls'])('suggests another port for a %s check if port 25 is blocked', async (check_type) => {
  const smtp = on(check_type, { host: 'mail.example.com', port: 25 });
  await guard(smtp);
  await expect(guard(smtp, 'public', [], 'closed')).rejects.toThrow(
    'config.port: the network of the service blocks port 25 (SMTP_EGRESS); use 587 or 465',
  );
});
