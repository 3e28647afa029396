/**
 * Headers that answers get from whatever stands in front of the functions, on both targets: the local gateway
 * (infra/local/http/http.ts) and CloudFront (infra/aws/edge/response-headers.ts). Those of the API and of the console
 * are their own: lib/platform/http/api-event.ts and lib/page/headers.ts.
 */

/** How long a browser asks by TLS alone, once it did. */
export const HSTS_SECONDS = 31_536_000;

/** Where answers go through TLS. */
export const HTTPS_HEADERS = { 'strict-transport-security': `max-age=${HSTS_SECONDS}` };
