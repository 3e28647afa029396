/** Headers added by the local gateway and CloudFront; the API and the console set their own. */

export const HSTS_SECONDS = 31_536_000;

export const HTTPS_HEADERS = { 'strict-transport-security': `max-age=${HSTS_SECONDS}` };
