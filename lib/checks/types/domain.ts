import * as z from 'zod';
import { ExpiryProperties, unreachableWarnings } from '#lib/checks/assertions/expiry.ts';
import { defineCheck } from './check-type.ts';
import { canonicalDomain } from './host-setting.ts';

const Domain = z
  .string()
  .max(253)
  .refine((name) => canonicalDomain(name) !== undefined, 'must be a registered domain, such as example.com')
  .describe('Registered domain, such as example.com.');

const Config = z.strictObject({
  domain: Domain,
  min_days_remaining: z
    .int()
    .min(0)
    .max(3650)
    .describe('Minimum whole days until expiry, 0–3,650. 0: fails only after expiry. Default: 0.')
    .meta({ title: 'Minimum days left' })
    .default(0),
});
export type DomainConfig = z.output<typeof Config>;

export const domain = defineCheck({
  type: 'domain',
  mode: 'pull',
  title: 'Domain expiry',
  about:
    'Queries the expiry of a domain at its registry by RDAP. It succeeds if the domain is valid for long enough. last_result shows days_left and expires_at. Some registries, such as that of .de, publish no expiry date.',
  interval: { minimum: 3600, default: 21_600 },
  config: Config,
  sources: ['latency_ms', 'days_left'],
  result: ExpiryProperties,
  contradictions: ({ config: { assertions = [], min_days_remaining } }) =>
    unreachableWarnings(assertions, min_days_remaining),
  hosts: ({ config }) => [{ path: 'config.domain', host: config.domain }],
  targetLabel: ({ config }) => `domain ${config.domain}`,
  probe: async () => (await import('#lib/checks/types/domain-probe.ts')).probeDomain,
  examples: {
    valid: [
      { config: { domain: 'example.com', min_days_remaining: 14 } },
      { config: { domain: 'example.co.uk' } },
      { config: { domain: 'Bücher.example' } },
    ],
    invalid: [
      { value: { config: {} }, path: 'config.domain' },
      { value: { config: { domain: 'https://example.com' } }, path: 'config.domain' },
      { value: { config: { domain: 'com' } }, path: 'config.domain' },
      { value: { config: { domain: '192.0.2.1' } }, path: 'config.domain' },
      { value: { config: { domain: 'a_b.com' } }, path: 'config.domain' },
      { value: { config: { domain: 'example.com', min_days_remaining: -1 } }, path: 'config.min_days_remaining' },
      { value: { config: { domain: 'example.com', days: 14 } }, path: 'config.days' },
    ],
  },
});
