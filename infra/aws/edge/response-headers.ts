import { Duration, type Stack } from 'aws-cdk-lib';
import { type HeadersReferrerPolicy, ResponseHeadersPolicy } from 'aws-cdk-lib/aws-cloudfront';
import { HSTS_SECONDS } from '#infra/headers.ts';

type Headers = Record<'content-security-policy' | 'referrer-policy' | 'x-content-type-options', string>;

/** Creates the headers that CloudFront adds if the response lacks them, and HSTS. */
export function makeHeadersPolicy(scope: Stack, name: string, headers: Headers): ResponseHeadersPolicy {
  // CloudFront accepts these only as separate settings.
  const {
    'content-security-policy': contentSecurityPolicy,
    'referrer-policy': referrerPolicy,
    'x-content-type-options': _nosniff,
    ...others
  } = headers;
  const override = false;
  return new ResponseHeadersPolicy(scope, `Headers-${name}`, {
    // These names are global to an account.
    responseHeadersPolicyName: `${scope.stackName}-${scope.region}-${name}`,
    securityHeadersBehavior: {
      contentSecurityPolicy: { contentSecurityPolicy, override },
      contentTypeOptions: { override },
      referrerPolicy: { referrerPolicy: referrerPolicy as HeadersReferrerPolicy, override },
      strictTransportSecurity: { accessControlMaxAge: Duration.seconds(HSTS_SECONDS), override: true },
    },
    customHeadersBehavior: {
      customHeaders: Object.entries<string>(others).map(([header, value]) => ({ header, value, override })),
    },
  });
}
