import * as z from 'zod';
import { defineCheck } from '#lib/checks/check-type.ts';
import { failed, probing, succeeded } from '#lib/checks/outcome.ts';
import { statusName } from '#lib/checks/status-name.ts';
import { HeaderMap } from '#lib/platform/net/header-map.ts';
import type { HttpReply } from '#lib/platform/net/net.ts';
import { headerSecrets, valuesIn } from '#lib/platform/secrets/header-secrets.ts';
import { REDACTED, type Redact, redactorOf } from '#lib/platform/secrets/redact-secrets.ts';
import { isRedirect } from '#lib/platform/status.ts';
import { shorten } from '#lib/platform/text.ts';

const MAX_REDIRECTS = 5;
const MAX_BODY_BYTES = 1024 * 1024;

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
      'Whether up to 5 redirects are followed; default true, and never where expected_status is 3xx. To another origin (but from http to https of the same host) go neither headers of yours nor a body.',
    )
    .optional(),
  verify_tls: z
    .boolean()
    .describe('Whether the certificate must be valid; default true. Turn it off for self-signed ones only.')
    .optional(),
});

const Fields = z.object({
  target_url: TargetUrl,
  method: z
    .enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
    .describe('Request method.')
    .default('GET'),
  expected_status: z.int().min(100).max(599).describe('The one status that counts as success.').default(200),
  body_contains: z
    .string()
    .max(4096)
    .describe('Text that the first 1 MB of the body must hold, to the letter; empty: any body will do.')
    .default(''),
});

/** A request to a URL; its status and, if wanted, a text in its body decide. */
export const http = defineCheck({
  type: 'http',
  mode: 'pull',
  title: 'HTTP request',
  about:
    'Sends a request to a URL. It succeeds when the status is the expected one and, if wanted, the body holds a text.',
  fields: Fields,
  config: Config,
  shown: z.object({
    response: z
      .object({
        headers: z
          .record(z.string(), z.string())
          .describe('Names in lower case, repeated ones joined by a comma; of set-cookie the value is ********.'),
        body_excerpt: z.string().describe('How the body begins, 2,000 characters at most.'),
        body_bytes: z.int().describe('How many bytes of the body were read; 1 MB at most.'),
      })
      .describe(
        'http: what the target answered, after redirects. What it repeats of headers and body that it was sent is ********.',
      ),
  }),
  errors: { status: 'another status than expected', body: 'the text is not in it' },
  hosts: (settings) => [{ path: 'target_url', host: new URL(settings.target_url).hostname }],
  targetLabel: ({ method, target_url }) => {
    const { origin, pathname } = new URL(target_url);
    return `${method} ${origin}${pathname}`;
  },
  secrets: ['config.headers', 'config.body'],
  urls: ['target_url'],
  probe: async (check, { net, settings, timeout_ms, shows = false }) => {
    const hide = secretsOf(check.config);
    const outcome = await probing(async () => {
      const { headers, body, verify_tls } = check.config;
      const follow = check.config.follow_redirects !== false && !isRedirect(check.expected_status);
      const reply = await net.http({
        url: check.target_url,
        method: check.method,
        ...(headers && { headers }),
        ...(body !== undefined && { body }),
        timeout_ms,
        // Without a text to find, the headers say it all.
        ...(check.body_contains
          ? { max_body_bytes: MAX_BODY_BYTES, find: { text: check.body_contains, status: check.expected_status } }
          : { max_body_bytes: 0 }),
        ...(shows && { excerpt_bytes: EXCERPT_BYTES }),
        egress: settings.CHECK_EGRESS,
        max_redirects: follow ? MAX_REDIRECTS : 0,
        verify_tls: verify_tls !== false,
      });
      const found = assertResponse(check, reply);
      return shows ? { ...found, response: responseOf(reply, hide()) } : found;
    });
    return outcome.success ? outcome : { ...outcome, error_message: hide()(outcome.error_message) };
  },
  examples: {
    valid: [
      { target_url: 'https://example.com/health', expected_status: 200, body_contains: 'ok', config: {} },
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
        value: { target_url: 'https://example.com', config: { follow_redirects: 'yes' } },
        path: 'config.follow_redirects',
      },
    ],
  },
});

/** Characters of a body in which single values are looked for. */
const SEARCHED_OF_BODY = 4096;

/**
 * What takes the secrets of a check out of a text, made when it is first needed: a target may answer with what it was
 * sent, in a redirect, in a header that an error quotes, in its body.
 */
function secretsOf({ headers, body = '' }: z.output<typeof Config>): () => Redact {
  let made: Redact | undefined;
  return () => {
    made ??= redactorOf([...headerSecrets(headers), body, ...valuesIn(body.slice(0, SEARCHED_OF_BODY))]);
    return made;
  };
}

/** The beginning of a body, for people to see: characters, and bytes that hold as many of them in UTF-8. */
const EXCERPT_CHARACTERS = 2_000;
const EXCERPT_BYTES = 4 * EXCERPT_CHARACTERS;

function responseOf({ headers, excerpt = { text: '', bytes: 0 } }: HttpReply, hide: Redact) {
  const shown = Object.entries(headers).map(([name, value]) => [name, name === 'set-cookie' ? REDACTED : hide(value)]);
  // Hidden before it is cut: a secret that is cut in half is still one.
  const body_excerpt = [...hide(excerpt.text, true)].slice(0, EXCERPT_CHARACTERS).join('');
  return { headers: Object.fromEntries(shown) as Record<string, string>, body_excerpt, body_bytes: excerpt.bytes };
}

function assertResponse(check: z.output<typeof Fields>, { status, headers, search, latency_ms }: HttpReply) {
  if (status !== check.expected_status) {
    const to = isRedirect(status) && headers.location ? `: it redirects, and redirects are not followed here` : '';
    return failed(
      'status',
      `expected status ${check.expected_status}, got ${statusName(status)}${to}`,
      latency_ms,
      status,
    );
  }
  if (!check.body_contains || search?.found) return succeeded(latency_ms, status);
  const searched =
    check.method === 'HEAD'
      ? 'a HEAD response has no body: use GET'
      : headers['content-encoding']
        ? `the server sent it ${headers['content-encoding']}-encoded though it was asked not to`
        : `searched ${sizeOf(search?.bytes ?? 0)}`;
  const wanted = JSON.stringify(shorten(check.body_contains, 100));
  return failed('body', `the body does not contain ${wanted} (${searched})`, latency_ms, status);
}

const sizeOf = (bytes: number): string => {
  if (bytes >= MAX_BODY_BYTES) return 'its first 1 MB';
  return bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KB`;
};
