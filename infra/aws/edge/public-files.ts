import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  type BehaviorOptions,
  CacheCookieBehavior,
  CacheHeaderBehavior,
  CachePolicy,
  CacheQueryStringBehavior,
  Function as CloudFrontFunction,
  Distribution,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  type IOrigin,
  PriceClass,
  S3OriginAccessControl,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, OriginGroup, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { DeploySettings } from '#infra/aws/settings.ts';
import { BADGE_PATH } from '#lib/public/badges/badge.ts';
import { PUBLIC_HEADERS } from '#lib/public/headers.ts';
import { STATUS_PATH } from '#lib/public/pages/render.ts';
import { makeHeadersPolicy } from './response-headers.ts';

const SOURCE = readFileSync(join(import.meta.dirname, 'public-request.js'), 'utf8');
const AT_DOMAINS = 'const AT_DOMAINS = false;';

/** Short timeouts, because during an outage CloudFront waits for them on each request, even with a stale file. */
const TIMEOUTS = {
  connectionAttempts: 1,
  connectionTimeout: Duration.seconds(2),
} as const;
const READ_TIMEOUT = Duration.seconds(5);

/** Maximum time for which CloudFront serves a file without S3 and the functions. */
const MAX_AGE = Duration.days(1);

/**
 * Creates the behaviors of published files and badges, by path pattern, and the distribution of any status domains,
 * which has its own certificate and reaches nothing else. `public` draws a badge from its path and two parameters.
 */
export function makePublicBehaviors(
  scope: Stack,
  bucket: IBucket,
  api: string,
  customHeaders: Record<string, string>,
  settings: DeploySettings,
): { behaviors: Record<string, BehaviorOptions>; statusCdn: Distribution | undefined } {
  const responseHeadersPolicy = makeHeadersPolicy(scope, 'public', PUBLIC_HEADERS);
  const filesAt = publicFiles(scope, bucket, api, customHeaders);
  const { STATUS_DOMAINS, STATUS_CERTIFICATE_ARN } = settings;
  const statusCdn =
    STATUS_DOMAINS.length === 0
      ? undefined
      : new Distribution(scope, 'StatusCdn', {
          comment: 'Fleetwatch: domains of status pages',
          httpVersion: HttpVersion.HTTP2_AND_3,
          priceClass: PriceClass.PRICE_CLASS_100,
          defaultBehavior: { ...filesAt('domains'), responseHeadersPolicy },
          domainNames: STATUS_DOMAINS,
          certificate: Certificate.fromCertificateArn(scope, 'StatusCertificate', STATUS_CERTIFICATE_ARN),
          minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
        });
  const behaviors = {
    [`/${STATUS_PATH}/*`]: { ...filesAt('service'), responseHeadersPolicy },
    [`${BADGE_PATH}*`]: {
      origin: new HttpOrigin(api, {
        originId: 'badges',
        customHeaders,
        ...TIMEOUTS,
        readTimeout: READ_TIMEOUT,
      }),
      allowedMethods: AllowedMethods.ALLOW_GET_HEAD,
      cachePolicy: cachePolicy(
        scope,
        { id: 'BadgeCache', name: 'badges', comment: 'Fleetwatch: by path, period and style' },
        CacheQueryStringBehavior.allowList('period', 'style'),
      ),
      compress: true,
      responseHeadersPolicy,
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
    },
  };
  return { behaviors, statusCdn };
}

/** Adds READ_TIMEOUT to an S3 origin, because the properties of its class do not include it. */
const withReadTimeout = (origin: IOrigin): IOrigin => ({
  bind: (scope, options) => {
    const { originProperty, ...config } = origin.bind(scope, options);
    const s3OriginConfig = { originAccessIdentity: '', originReadTimeout: READ_TIMEOUT.toSeconds() };
    return { ...config, originProperty: { ...originProperty!, s3OriginConfig } };
  },
});

function cachePolicy(
  scope: Stack,
  { id, name, comment }: { id: string; name: string; comment: string },
  queryStringBehavior: CacheQueryStringBehavior,
): CachePolicy {
  return new CachePolicy(scope, id, {
    cachePolicyName: `${scope.stackName}-${scope.region}-${name}`,
    comment,
    minTtl: Duration.seconds(0),
    defaultTtl: Duration.seconds(15),
    maxTtl: MAX_AGE,
    queryStringBehavior,
    headerBehavior: CacheHeaderBehavior.none(),
    cookieBehavior: CacheCookieBehavior.none(),
    enableAcceptEncodingGzip: true,
    enableAcceptEncodingBrotli: true,
  });
}

/**
 * Returns behaviors of published files: from the bucket, or rendered by the function `public` if the bucket has no such
 * file or fails. Only the path reaches the origins, so that all visitors share the cached file. For status domains,
 * public-request.js puts the host before the path.
 * @param api host of the API, whose route leads to that function
 */
function publicFiles(
  scope: Stack,
  bucket: IBucket,
  api: string,
  customHeaders: Record<string, string>,
): (at: 'service' | 'domains') => BehaviorOptions {
  const name = `${scope.stackName}-${scope.region}-public`;
  const originAccessControl = new S3OriginAccessControl(scope, 'PublicAccess', { originAccessControlName: name });
  const cache = cachePolicy(
    scope,
    { id: 'PublicCache', name: 'public', comment: 'Fleetwatch: by path only' },
    CacheQueryStringBehavior.none(),
  );
  return (at) => {
    const edge = new CloudFrontFunction(scope, at === 'service' ? 'PublicEdge' : 'StatusEdge', {
      comment: 'Fleetwatch: file names of status pages',
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromInline(at === 'service' ? SOURCE : SOURCE.replace(AT_DOMAINS, 'const AT_DOMAINS = true;')),
    });
    // No path of a domain leads out of the folder of status pages.
    const folder = at === 'service' ? {} : { originPath: `/${STATUS_PATH}` };
    return {
      origin: new OriginGroup({
        primaryOrigin: withReadTimeout(
          S3BucketOrigin.withOriginAccessControl(bucket, {
            originId: 'files',
            originAccessControl,
            ...TIMEOUTS,
            ...folder,
          }),
        ),
        fallbackOrigin: new HttpOrigin(api, {
          originId: 'public',
          customHeaders,
          ...TIMEOUTS,
          ...folder,
          readTimeout: READ_TIMEOUT,
        }),
        // 403: S3 has no such file.
        fallbackStatusCodes: [403, 404, 500, 502, 503, 504],
      }),
      allowedMethods: AllowedMethods.ALLOW_GET_HEAD,
      cachePolicy: cache,
      compress: true,
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      functionAssociations: [{ function: edge, eventType: FunctionEventType.VIEWER_REQUEST }],
    };
  };
}
