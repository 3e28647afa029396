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
import { corsOrigins, type DeploySettings } from '#infra/aws/settings.ts';
import { EDGE_HEADERS } from '#lib/aws/lambda/behind-edge.ts';
import { CONSOLE_HEADERS } from '#lib/page/headers.ts';
import { API_HEADERS } from '#lib/platform/http/api-event.ts';
import { PING_PATH } from '#lib/results/pings/ping-endpoint.ts';
import { edgeCode } from './code.ts';
import type { Streamed } from './function-urls.ts';
import { makeHeadersPolicy } from './response-headers.ts';

/** The origin's id: the function at the edge names it. */
const API = 'api';

/** What goes through: nothing is kept, the caller's key and query reach the origin. */
const through = (origin: IOrigin, edge: CloudFrontFunction, headers: ResponseHeadersPolicy): BehaviorOptions => ({
  origin,
  allowedMethods: AllowedMethods.ALLOW_ALL,
  cachePolicy: CachePolicy.CACHING_DISABLED,
  // CloudFront packs only what it keeps.
  compress: false,
  // But its Host, by which API Gateway and Lambda find out who is meant.
  originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
  responseHeadersPolicy: headers,
  viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
  functionAssociations: [{ function: edge, eventType: FunctionEventType.VIEWER_REQUEST }],
});

/** Files whose names change with their content: kept at the edge, as packed as the caller takes them. */
const kept = (origin: IOrigin, headers: ResponseHeadersPolicy): BehaviorOptions => ({
  origin,
  // By path and accepted packing alone: neither host, cookies nor query reach the origin.
  cachePolicy: CachePolicy.CACHING_OPTIMIZED,
  compress: true,
  responseHeadersPolicy: headers,
  viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
});

/** Every status whose answers CloudFront can be told about. */
const ERRORS = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/**
 * One address for everything. All paths go to the API; the files of the console are kept. On a path that is streamed, a
 * GET goes to the function itself, signed by CloudFront, and every other method to the API, which has a throttle and a
 * log (edge/viewer-request.js).
 */
export function makeCdn(
  scope: Stack,
  { api, streamed, edgeSecret }: { api: HttpApi; streamed: Streamed[]; edgeSecret: SecretValue },
  settings: DeploySettings,
): Distribution {
  const edge = new CloudFrontFunction(scope, 'Edge', {
    comment: 'Fleetwatch: refuses what has no key, and tells streams from calls',
    runtime: FunctionRuntime.JS_2_0,
    code: FunctionCode.fromInline(
      edgeCode({ api: API, streamed: streamed.flatMap(({ paths }) => paths), origins: corsOrigins(settings) }),
    ),
  });
  const apiHost = `${api.apiId}.execute-api.${scope.region}.${scope.urlSuffix}`;
  const customHeaders = { [EDGE_HEADERS.secret]: edgeSecret.unsafeUnwrap() };
  const gateway = new HttpOrigin(apiHost, { originId: API, customHeaders });
  const apiHeaders = makeHeadersPolicy(scope, 'api', API_HEADERS);
  const toApi = through(gateway, edge, apiHeaders);
  const consoleHeaders = makeHeadersPolicy(scope, 'console', CONSOLE_HEADERS);
  const originAccessControl = new FunctionUrlOriginAccessControl(scope, 'StreamAccess', {
    // Names of these are one for all regions of an account.
    originAccessControlName: `${scope.stackName}-${scope.region}`,
  });
  const streams = streamed.flatMap(({ paths, url }) => {
    // Counted between two packets of a stream; it says something every 15 s.
    const readTimeout = Duration.seconds(60);
    const origin = FunctionUrlOrigin.withOriginAccessControl(url, { readTimeout, originAccessControl, customHeaders });
    return paths.map((path): [string, BehaviorOptions] => [path, through(origin, edge, apiHeaders)]);
  });
  const own = settings.DOMAIN_NAME !== '' && {
    domainNames: [settings.DOMAIN_NAME],
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', settings.CERTIFICATE_ARN),
    minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
  };
  return new Distribution(scope, 'Cdn', {
    comment: 'Fleetwatch',
    httpVersion: HttpVersion.HTTP2_AND_3,
    priceClass: PriceClass.PRICE_CLASS_100,
    defaultBehavior: through(gateway, edge, consoleHeaders),
    // CloudFront caches errors by rules of their own, for 10 s and by path alone: the next caller, with another key,
    // would be shown them.
    errorResponses: ERRORS.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
    // The first path that fits wins: what is streamed stands before the API's own.
    additionalBehaviors: {
      ...Object.fromEntries(streams),
      '/v1/*': toApi,
      '/.well-known/*': toApi,
      [`${PING_PATH}*`]: toApi,
      '/assets/*': kept(gateway, consoleHeaders),
    },
    ...own,
  });
}
