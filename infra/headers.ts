/**
 * Headers that answers get from whatever stands in front of the functions, on both targets: the local gateway
 * (infra/local/http/http.ts) and CloudFront (infra/aws/edge/response-headers.ts). Those of the API are its own:
 * lib/platform/http/answer-headers.ts.
 */

/** How long a browser asks by TLS alone, once it did. */
export const HSTS_SECONDS = 31_536_000;

/** Where answers go through TLS. */
export const HTTPS_HEADERS = { 'strict-transport-security': `max-age=${HSTS_SECONDS}` };

/** What a page of the console may do: run its own files and ask its own host; and nobody may frame it. */
const CONSOLE_POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'manifest-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
};

/** Of the files of the console, which are all paths but those of the API. */
export const CONSOLE_HEADERS = {
  'content-security-policy': Object.entries(CONSOLE_POLICY)
    .map((directive) => directive.join(' '))
    .join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'publickey-credentials-get=(self), publickey-credentials-create=(self), camera=(), microphone=(), geolocation=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
