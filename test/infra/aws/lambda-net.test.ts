import { describe, expect, it } from 'vitest';
import { lambdaNet } from '#lib/aws/lambda/lambda-net.ts';
import { readSettings } from '#lib/settings.ts';

const names: Record<string, string[]> = {
  'six.example.com': ['2606:4700::1'],
  'both.example.com': ['2606:4700::1', '93.184.215.14'],
};
const net = lambdaNet(readSettings({}), false, async (name) => names[name] ?? []);
const ask = { timeout_ms: 1000, egress: 'public' } as const;

describe('egress on Lambda without a VPC', () => {
  it.each([
    ['a name with only IPv6 addresses before a probe', () => net.guard({ ...ask, host: 'six.example.com' })],
    ['an IPv6 address before a probe', () => net.guard({ ...ask, host: '2606:4700::1' })],
    ['a connection to an IPv6 address', () => net.open({ ...ask, host: '[2606:4700::1]', port: 80 }, () => {})],
    [
      'a request to an IPv6 address',
      () => net.http({ ...ask, url: 'https://[2606:4700::1]/', method: 'GET', max_body_bytes: 1, max_redirects: 0 }),
    ],
  ])('rejects %s', async (_, refused) => {
    await expect(refused()).rejects.toMatchObject({ kind: 'egress', message: expect.stringMatching(/IPv6.*VPC_ID/) });
  });

  it('rejects port 25', async () => {
    const refused = { kind: 'egress', message: expect.stringContaining('port 25') };
    const smtp = { ...ask, host: 'both.example.com', port: 25 };
    await expect(net.open(smtp, () => {})).rejects.toMatchObject(refused);
    await expect(net.open({ ...smtp, tls: { verify: true } }, () => {})).rejects.toMatchObject(refused);
  });

  it('accepts a host that also has an IPv4 address', async () => {
    await expect(net.guard({ ...ask, host: 'both.example.com' })).resolves.toBeUndefined();
  });

  it('reports a forbidden address as such, not as IPv6', async () => {
    await expect(net.guard({ ...ask, host: '::1' })).rejects.toMatchObject({
      message: expect.stringContaining('not a public address'),
    });
  });
});

describe('egress in a VPC without IPv6', () => {
  const inVpc = lambdaNet(readSettings({}), true, async (name) => names[name] ?? []);

  it('rejects IPv6-only targets and names the setting that opens IPv6', async () => {
    const refused = { kind: 'egress', message: expect.stringMatching(/IPv6.*VPC_IPV6/) };
    await expect(inVpc.guard({ ...ask, host: 'six.example.com' })).rejects.toMatchObject(refused);
    await expect(inVpc.guard({ ...ask, host: '2606:4700::1' })).rejects.toMatchObject(refused);
    await expect(inVpc.guard({ ...ask, host: 'both.example.com' })).resolves.toBeUndefined();
  });
});
