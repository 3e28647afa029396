import { Duration, type SecretValue, type Stack } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Function as CloudFrontFunction,
  Distribution,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  FunctionUrlOriginAccessControl,
  HttpVersion,
  type IOrigin,
  OriginRequestPolicy,
  PriceClass,
  type ResponseHeadersPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { FunctionUrlOrigin, HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { corsOrigins, type DeploySettings } from '#infra/aws/settings.ts';
import { CALENDAR_PATH } from '#lib/alerting/policy/rotas.ts';
import { EDGE_HEADERS } from '#lib/aws/lambda/behind-edge.ts';
import { CONSOLE_HEADERS } from '#lib/page/headers.ts';
import { API_HEADERS } from '#lib/platform/http/api-event.ts';
import { PING_PATH } from '#lib/results/pings/ping-endpoint.ts';
import { edgeCode } from './code.ts';
import type { Streamed } from './function-urls.ts';
import { makePublicBehaviors } from './public-files.ts';
import { makeHeadersPolicy } from './response-headers.ts';

const API = 'api';

/** Behavior without a cache; the key and query of the caller reach the origin. */
const uncached = (origin: IOrigin, edge: CloudFrontFunction, headers: ResponseHeadersPolicy): BehaviorOptions => ({
  origin,
  allowedMethods: AllowedMethods.ALLOW_ALL,
  cachePolicy: CachePolicy.CACHING_DISABLED,
  // CloudFront compresses only what it caches.
  compress: false,
  // Without the Host of the caller: API Gateway and Lambda find their target by their own host.
  originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
  responseHeadersPolicy: headers,
  viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
  functionAssociations: [{ function: edge, eventType: FunctionEventType.VIEWER_REQUEST }],
});

/** Behavior for files with a hash in their name: cached at the edge, compressed as the caller accepts. */
const cached = (origin: IOrigin, headers: ResponseHeadersPolicy): BehaviorOptions => ({
  origin,
  // Cached by path and encoding only: host, cookies and query do not reach the origin.
  cachePolicy: CachePolicy.CACHING_OPTIMIZED,
  compress: true,
  responseHeadersPolicy: headers,
  viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
});

/** Error statuses for which a distribution can configure the caching. */
const ERRORS = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/**
 * Creates the distribution of the service, and one for status domains, if there are any. Paths without a behavior of
 * their own go to the API; files of the console are cached. On a streaming path, CloudFront signs a GET and sends it to
 * the function; other methods go to the API, which has a throttle and a log (edge/viewer-request.js).
 */
export function makeCdn(
  scope: Stack,
  {
    api,
    streamed,
    edgeSecret,
    bucket,
  }: { api: HttpApi; streamed: Streamed[]; edgeSecret: SecretValue; bucket: IBucket },
  settings: DeploySettings,
): { cdn: Distribution; statusCdn: Distribution | undefined } {
  const edge = new CloudFrontFunction(scope, 'Edge', {
    comment: 'Fleetwatch: rejects requests without a key and routes streams',
    runtime: FunctionRuntime.JS_2_0,
    code: FunctionCode.fromInline(
      edgeCode({ api: API, streamed: streamed.flatMap(({ paths }) => paths), origins: corsOrigins(settings) }),
    ),
  });
  const apiHost = `${api.apiId}.execute-api.${scope.region}.${scope.urlSuffix}`;
  const customHeaders = { [EDGE_HEADERS.secret]: edgeSecret.unsafeUnwrap() };
  const gateway = new HttpOrigin(apiHost, { originId: API, customHeaders });
  const apiHeaders = makeHeadersPolicy(scope, 'api', API_HEADERS);
  const toApi = uncached(gateway, edge, apiHeaders);
  const consoleHeaders = makeHeadersPolicy(scope, 'console', CONSOLE_HEADERS);
  const originAccessControl = new FunctionUrlOriginAccessControl(scope, 'StreamAccess', {
    // These names are global to an account.
    originAccessControlName: `${scope.stackName}-${scope.region}`,
  });
  const streams = streamed.flatMap(({ paths, url }) => {
    // Timeout between two packets; a stream sends one at least every 15 s.
    const readTimeout = Duration.seconds(60);
    const origin = FunctionUrlOrigin.withOriginAccessControl(url, { readTimeout, originAccessControl, customHeaders });
    return paths.map((path): [string, BehaviorOptions] => [path, uncached(origin, edge, apiHeaders)]);
  });
  const domain = settings.DOMAIN_NAME !== '' && {
    domainNames: [settings.DOMAIN_NAME],
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', settings.CERTIFICATE_ARN),
    minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
  };
  const { behaviors, statusCdn } = makePublicBehaviors(scope, bucket, apiHost, customHeaders, settings);
  const cdn = new Distribution(scope, 'Cdn', {
    comment: 'Fleetwatch',
    httpVersion: HttpVersion.HTTP2_AND_3,
    priceClass: PriceClass.PRICE_CLASS_100,
    defaultBehavior: uncached(gateway, edge, consoleHeaders),
    // CloudFront caches errors for 10 s by path only, and would return them to callers with other keys.
    errorResponses: ERRORS.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
    // The first matching path wins: streaming paths come before paths of the API.
    additionalBehaviors: {
      ...Object.fromEntries(streams),
      '/v1/*': toApi,
      '/metrics': toApi,
      '/.well-known/*': toApi,
      [`${PING_PATH}*`]: toApi,
      [`${CALENDAR_PATH}*`]: toApi,
      '/assets/*': cached(gateway, consoleHeaders),
      ...behaviors,
    },
    ...domain,
  });
  return { cdn, statusCdn };
}
