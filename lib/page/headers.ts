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
  // No text becomes markup or code, not even of its own.
  'require-trusted-types-for': "'script'",
  'trusted-types': "'none'",
};

/** Of the files of the console, and on AWS of all paths but those of the API, where an answer has none of its own. */
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
