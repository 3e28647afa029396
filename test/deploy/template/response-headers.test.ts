import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '#test/support/service.ts';
import { type Json, ofType, synthesize } from './synthesized.ts';

const { template } = synthesize();
const [{ DistributionConfig: config }] = ofType(template, 'AWS::CloudFront::Distribution');
const policies = ofType(template, 'AWS::CloudFront::ResponseHeadersPolicy');

/** Returns the headers that CloudFront adds to responses on a path. */
function addedOn(pattern: string | undefined): Record<string, string> {
  const behaviors: Json[] = [config.DefaultCacheBehavior, ...config.CacheBehaviors];
  const { ResponseHeadersPolicyId } = behaviors.find((one) => one.PathPattern === pattern);
  const policy = policies.find(({ id }) => id === ResponseHeadersPolicyId.Ref).ResponseHeadersPolicyConfig;
  const { SecurityHeadersConfig: security, CustomHeadersConfig: custom } = policy;
  return {
    ...Object.fromEntries(custom.Items.map((one: Json) => [one.Header, one.Value])),
    'content-security-policy': security.ContentSecurityPolicy.ContentSecurityPolicy,
    'referrer-policy': security.ReferrerPolicy.ReferrerPolicy,
    'strict-transport-security': `max-age=${security.StrictTransportSecurity.AccessControlMaxAgeSec}`,
    ...(security.ContentTypeOptions && { 'x-content-type-options': 'nosniff' }),
  };
}

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** Returns the response headers of the local gateway for a client that uses TLS to its proxy. */
async function headersOf(path: string): Promise<Record<string, string>> {
  const headers = { 'x-forwarded-proto': 'https' };
  return Object.fromEntries((await fetch(service.url + path, { headers })).headers);
}

describe('response headers of CloudFront', () => {
  it.each([
    ['the API', '/v1/*', '/v1/health'],
    ['MCP', '/v1/mcp', '/v1/mcp'],
    ['well-known URLs', '/.well-known/*', '/.well-known/none'],
    ['the console', undefined, '/'],
  ])('equal those of one machine: %s', async (_what, pattern, path) => {
    const added = addedOn(pattern);
    expect(Object.keys(added).length).toBeGreaterThanOrEqual(6);
    expect(await headersOf(path)).toMatchObject(added);
  });

  it('equal those of one machine: the files of the console', async () => {
    const html = await (await fetch(service.url, { headers: { accept: 'text/html' } })).text();
    const [asset] = /\/assets\/main-\w+\.js/.exec(html)!;
    expect(await headersOf(asset)).toMatchObject(addedOn('/assets/*'));
  });

  it('never override headers of a function, except HSTS', () => {
    for (const { ResponseHeadersPolicyConfig: one } of policies) {
      const { StrictTransportSecurity, ...others } = one.SecurityHeadersConfig;
      const overrides = [...Object.values<Json>(others), ...one.CustomHeadersConfig.Items].map(
        ({ Override }) => Override,
      );
      expect(new Set(overrides)).toEqual(new Set([false]));
      expect(StrictTransportSecurity.Override).toBe(true);
    }
  });

  it('have a policy name with the region, because names are global to an account', () => {
    const names = policies.map((one) => JSON.stringify(one.ResponseHeadersPolicyConfig.Name));
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toContain('AWS::Region');
  });
});
