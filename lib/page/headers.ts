/** Content security policy: loads and connects to the same origin only; other pages cannot embed the console. */
const CONSOLE_POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'manifest-src': "'self'",
  // For the preview of a status page, which is sandboxed.
  'frame-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
  // Scripts cannot convert text to markup or code.
  'require-trusted-types-for': "'script'",
  'trusted-types': "'none'",
};

/** Headers of the console's files; on AWS the default for all paths except the API, status pages and badges. */
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
