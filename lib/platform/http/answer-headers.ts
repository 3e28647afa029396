/** With every answer of the API: it is stored nowhere, and is what its content type says. */
export const PUSH_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;

/** With all but answers to pushes, of which there are many: a page that opens one can do nothing with it. */
export const API_HEADERS = {
  ...PUSH_HEADERS,
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
} as const;
