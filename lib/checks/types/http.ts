import * as z from 'zod';
import { ExpiryProperties } from '#lib/checks/assertions/expiry.ts';
import { SEVERAL_STATUSES } from '#lib/checks/assertions/suggestions.ts';
import { HeaderMap } from '#lib/net/header-map.ts';
import { defineCheck } from './check-type.ts';

const TargetUrl = z
  .string()
  .max(2048)
  .superRefine((text, context) => {
    const reject = (message: string) => context.addIssue({ code: 'custom', message });
    const url = URL.parse(text);
    if (!url || !/^https?:\/\//i.test(text))
      reject('must be an absolute http or https URL, such as https://example.com/health');
    else if (url.username || url.password)
      reject('must not contain user:password@; send an authorization header in config.headers');
  })
  .describe('Full http or https URL, without user:password@.');

const REQUEST = { 'x-group': 'Request' };

const Config = z.strictObject({
  headers: HeaderMap.describe('Headers to send, up to 20. Callers without write access see ********.')
    .meta(REQUEST)
    .optional(),
  body: z.string().describe('Body to send. Callers without write access see ********.').meta(REQUEST).optional(),
  follow_redirects: z
    .boolean()
    .describe(
      'Whether to follow up to 5 redirects, except if only 3xx is accepted. Headers and body are not sent to another origin. Default: true.',
    )
    .meta(REQUEST)
    .optional(),
  verify_tls: z
    .boolean()
    .describe('Whether the certificate must be valid. Disable it only for self-signed certificates. Default: true.')
    .meta(REQUEST)
    .optional(),
});

const isSeveral = (status: unknown): boolean => Array.isArray(status) || typeof status === 'string';

const Fields = z.object({
  target_url: TargetUrl,
  method: z
    .enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
    .describe('Request method.')
    .meta(REQUEST)
    .default('GET'),
  expected_status: z
    .int({ error: ({ input }) => (isSeveral(input) ? SEVERAL_STATUSES : undefined) })
    .min(100)
    .max(599)
    .describe('Expected status, replaced by an assertion on status_code with severity fail. Default: 200.')
    .default(200),
  body_contains: z
    .string()
    .max(4096)
    .describe('Case-sensitive text that the body must contain in its first 1 MB; empty: any body. Default: empty.')
    .default(''),
});

export type HttpSettings = z.output<typeof Fields>;
export type HttpConfig = z.output<typeof Config>;

export const http = defineCheck({
  type: 'http',
  mode: 'pull',
  title: 'HTTP request',
  about:
    'Sends a request to a URL. It succeeds if the status is as expected, the body contains the expected text, if set, and the assertions are met.',
  fields: Fields,
  config: Config,
  sources: ['status_code', 'body', 'json', 'header', 'latency_ms', 'days_left'],
  result: ExpiryProperties,
  shown: z.object({
    response: z
      .object({
        headers: z
          .record(z.string(), z.string())
          .describe(
            'Headers by lower-case name, repeated ones joined by a comma. set-cookie and authorization are ********.',
          ),
        body_excerpt: z.string().describe('First 2,000 characters of the body.'),
        body_bytes: z.int().describe('Number of bytes of the body that were read, up to 1 MB.'),
      })
      .describe('http: response after redirects. Parts of the sent headers and body that it repeats are ********.'),
  }),
  contradictions: ({ method, config: { assertions = [] } }) =>
    assertions.flatMap(({ source }, i) =>
      method === 'HEAD' && (source === 'body' || source === 'json')
        ? [
            {
              path: `config.assertions.${i}.source`,
              message: 'cannot be evaluated: a HEAD response has no body; use GET',
            },
          ]
        : [],
    ),
  hosts: (settings) => [{ path: 'target_url', host: new URL(settings.target_url).hostname }],
  isHarmless: ({ method }) => method === 'GET' || method === 'HEAD',
  targetLabel: ({ method, target_url }) => {
    const { origin, pathname } = new URL(target_url);
    return `${method} ${origin}${pathname}`;
  },
  secrets: ['config.headers', 'config.body'],
  urls: ['target_url'],
  probe: async () => (await import('#lib/checks/types/http-probe.ts')).probeHttp,
  examples: {
    valid: [
      { target_url: 'https://example.com/health', expected_status: 200, body_contains: 'ok', config: {} },
      {
        target_url: 'https://example.com/health',
        config: {
          assertions: [
            { source: 'status_code', operator: 'one_of', value: ['2xx', '300-303', 304] },
            { source: 'json', property: "$.db['read only']", operator: 'equals', value: false },
            { source: 'json', property: '$.version', operator: 'one_of', value: ['1', 2, null] },
            { source: 'header', property: 'x-queue', operator: 'less_than', value: 12.5 },
            { source: 'body', operator: 'not_matches', value: '(?i)error|fatal' },
            { source: 'days_left', operator: 'at_least', value: 21, severity: 'warn' },
          ],
        },
      },
      { target_url: 'http://192.168.1.10:8080/health?full=1', method: 'HEAD', expected_status: 204, config: {} },
      {
        target_url: 'https://example.com/login',
        method: 'POST',
        expected_status: 302,
        body_contains: 'ok',
        config: { headers: { Authorization: 'Bearer abc' }, body: '{}', follow_redirects: false, verify_tls: false },
      },
    ],
    invalid: [
      { value: { config: {} }, path: 'target_url' },
      { value: { target_url: 'example.com', config: {} }, path: 'target_url' },
      { value: { target_url: 'ftp://example.com', config: {} }, path: 'target_url' },
      { value: { target_url: 'http:example.com', config: {} }, path: 'target_url' },
      { value: { target_url: 'https://user:secret@example.com', config: {} }, path: 'target_url' },
      { value: { target_url: 'https://example.com', method: 'TRACE', config: {} }, path: 'method' },
      { value: { target_url: 'https://example.com', expected_status: 600, config: {} }, path: 'expected_status' },
      { value: { target_url: 'https://example.com', config: { header: {} } }, path: 'config.header' },
      { value: { target_url: 'https://example.com', config: { headers: { 'a b': 'c' } } }, path: 'config.headers.a b' },
      {
        value: { target_url: 'https://example.com', config: { headers: { a: 'b\r\nc: d' } } },
        path: 'config.headers.a',
      },
      {
        value: { target_url: 'https://example.com', config: { headers: { 'Content-Length': '1' } } },
        path: 'config.headers.Content-Length',
      },
      {
        value: {
          target_url: 'https://example.com',
          config: { headers: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`x-${i}`, ''])) },
        },
        path: 'config.headers',
      },
      {
        value: {
          target_url: 'https://example.com',
          config: { assertions: [{ source: 'body', operator: 'contains' }] },
        },
        path: 'config.assertions.0.value',
      },
      {
        value: { target_url: 'https://example.com', config: { follow_redirects: 'yes' } },
        path: 'config.follow_redirects',
      },
    ],
  },
});
