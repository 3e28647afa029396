import { describe, expect, it } from 'vitest';
import { guardUrl } from '#lib/actions/template/allowed-hosts.ts';
import { makeNet } from '#lib/net/node-net.ts';
import { readSettings } from '#lib/settings.ts';

const ADDRESSES: Record<string, string[]> = {
  'good.example.com': ['93.184.215.14'],
  'bad.example.com': ['93.184.215.14', '10.0.0.9'],
};
// Checks of this service may use any address; actions must not.
const settings = readSettings({ CHECK_EGRESS: 'any', EGRESS_ALLOW: '127.77.0.0/16' });
const resolve = async (name: string) =>
  ADDRESSES[name] ?? Promise.reject(Object.assign(new Error(name), { code: 'ENOTFOUND' }));
const guarded = (url: string) => guardUrl({ settings, net: makeNet(settings, resolve) }, url);

describe('the URL of an action', () => {
  it.each([
    'https://good.example.com/hook',
    'https://GOOD.example.com./hook',
    'https://good.example.com:{{port}}/{{path}}?{{query}}',
    'https://good.example.com:80{{port}}/',
    'https://unknown.example.com/',
    'http://127.77.1.2:9/',
    'https://{{host}}/',
    'HTTPS://{{host}}:{{port}}/',
    '{{url}}',
    '{{scheme}}://bad.example.com/',
  ])('accepts %s', async (url) => {
    await expect(guarded(url)).resolves.toBeUndefined();
  });

  it.each([
    ['https://bad.example.com/', 'bad.example.com resolves to an address that is not public'],
    ['https://bad.example.com/{{path}}', 'not public'],
    ['https://bad.example.com:{{port}}/', 'not public'],
    ['http://127.78.0.1/', 'loopback'],
    ['http://[fd00::1]:{{port}}/', 'not a public address'],
    ['http://192.168.0.1:8080', 'private'],
    ['file:///etc/passwd', 'only http and https'],
    ['javascript:{{code}}', 'only http and https'],
    ['ftp://{{host}}/', 'must start with http'],
    ['x{{host}}/', 'must start with http'],
    ['https:{{host}}', 'connections are not allowed'],
    ['{{a}}@{{host}}/', 'user:password@'],
    ['//{{host}}/', 'not an absolute URL'],
    ['https:good.example.com@10.0.0.1', 'user:password@'],
  ])('rejects %s: %s', async (url, reason) => {
    await expect(guarded(url)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ path: 'url', message: expect.stringContaining(reason) }],
    });
  });
});
