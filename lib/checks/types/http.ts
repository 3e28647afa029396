import * as z from 'zod';
import { SEVERAL_STATUSES } from '#lib/checks/assertions/aliases.ts';
import { ExpiryMembers } from '#lib/checks/assertions/expiry.ts';
import { HeaderMap } from '#lib/net/header-map.ts';
import { defineCheck } from './check-type.ts';

const TargetUrl = z
  .string()
  .max(2048)
  .superRefine((text, context) => {
    const wrong = (message: string) => context.addIssue({ code: 'custom', message });
    const url = URL.parse(text);
    if (!url || !/^https?:\/\//i.test(text))
      wrong('must be an absolute http or https URL, such as https://example.com/health');
    else if (url.username || url.password)
      wrong('must not hold user:password@; send an authorization header in config.headers');
  })
  .describe('Full http or https URL, without user:password@.');

const Config = z.strictObject({
  headers: HeaderMap.describe('Headers to send, at most 20; a read-only key sees them as ********.').optional(),
  body: z.string().describe('Body to send as it stands; a read-only key sees it as ********.').optional(),
  follow_redirects: z
    .boolean()
    .describe(
      'Whether up to 5 redirects are followed; default true, and never where every accepted status is 3xx. To another origin (but from http to https of the same host) go neither headers of yours nor a body.',
    )
    .optional(),
  verify_tls: z
    .boolean()
    .describe('Whether the certificate must be valid; default true. Turn it off for self-signed ones only.')
    .optional(),
});

/** Lists and texts such as "2xx". */
const isSeveral = (status: unknown): boolean => Array.isArray(status) || typeof status === 'string';

const Fields = z.object({
  target_url: TargetUrl,
  method: z
    .enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
    .describe('Request method.')
    .default('GET'),
  expected_status: z
    .int({ error: ({ input }) => (isSeveral(input) ? SEVERAL_STATUSES : undefined) })
    .min(100)
    .max(599)
    .describe('The one status that counts as success; an assertion on status_code that can fail takes its place.')
    .default(200),
  body_contains: z
    .string()
    .max(4096)
    .describe('Text that the first 1 MB of the body must hold, to the letter; empty: any body will do.')
    .default(''),
});

export type HttpSettings = z.output<typeof Fields>;
export type HttpConfig = z.output<typeof Config>;

/** A request to a URL; its status and, if wanted, a text in its body decide. */
export const http = defineCheck({
  type: 'http',
  mode: 'pull',
  title: 'HTTP request',
  about:
    'Sends a request to a URL. It succeeds when the status is the expected one, the body holds a text if one is wanted, and the assertions hold.',
  fields: Fields,
  config: Config,
  sources: ['status_code', 'body', 'json', 'header', 'latency_ms', 'days_left'],
  result: ExpiryMembers,
  shown: z.object({
    response: z
      .object({
        headers: z
          .record(z.string(), z.string())
          .describe(
            'Names in lower case, repeated ones joined by a comma; of set-cookie and authorization the value is ********.',
          ),
        body_excerpt: z.string().describe('How the body begins, 2,000 characters at most.'),
        body_bytes: z.int().describe('How many bytes of the body were read; 1 MB at most.'),
      })
      .describe(
        'http: what the target answered, after redirects. What it repeats of headers and body that it was sent is ********.',
      ),
  }),
  contradictions: ({ method, config: { assertions = [] } }) =>
    assertions.flatMap(({ source }, i) =>
      method === 'HEAD' && (source === 'body' || source === 'json')
        ? [{ path: `config.assertions.${i}.source`, message: 'cannot be judged: a HEAD response has no body; use GET' }]
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
