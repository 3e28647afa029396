import { Duration, type Stack } from 'aws-cdk-lib';
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
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { FunctionUrlOrigin, HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { corsOrigins, type DeploySettings } from '#infra/aws/settings.ts';
import { edgeCode } from './code.ts';
import type { Streamed } from './function-urls.ts';

/** The origin's id: the function at the edge names it. */
const API = 'api';

/** What goes through: nothing is kept, the caller's key and query reach the origin. */
const through = (origin: IOrigin, edge: CloudFrontFunction): BehaviorOptions => ({
  origin,
  allowedMethods: AllowedMethods.ALLOW_ALL,
  cachePolicy: CachePolicy.CACHING_DISABLED,
  // CloudFront packs only what it keeps.
  compress: false,
  // But its Host, by which API Gateway and Lambda find out who is meant.
  originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
  viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
  functionAssociations: [{ function: edge, eventType: FunctionEventType.VIEWER_REQUEST }],
});

/** Every status whose answers CloudFront can be told about. */
const ERRORS = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/**
 * One address for everything. All paths go to the API. On a path that is streamed, a GET goes to the function itself,
 * signed by CloudFront, and every other method to the API, which has a throttle and a log (edge/viewer-request.js).
 */
export function makeCdn(scope: Stack, api: HttpApi, streamed: Streamed[], settings: DeploySettings): Distribution {
  const edge = new CloudFrontFunction(scope, 'Edge', {
    comment: 'Fleetwatch: refuses what has no key, and tells streams from calls',
    runtime: FunctionRuntime.JS_2_0,
    code: FunctionCode.fromInline(
      edgeCode({ api: API, streamed: streamed.flatMap(({ paths }) => paths), origins: corsOrigins(settings) }),
    ),
  });
  const apiHost = `${api.apiId}.execute-api.${scope.region}.${scope.urlSuffix}`;
  const toApi = through(new HttpOrigin(apiHost, { originId: API }), edge);
  const originAccessControl = new FunctionUrlOriginAccessControl(scope, 'StreamAccess', {
    // Names of these are one for all regions of an account.
    originAccessControlName: `${scope.stackName}-${scope.region}`,
  });
  const streams = streamed.flatMap(({ paths, url }) => {
    // Counted between two packets of a stream; it says something every 15 s.
    const readTimeout = Duration.seconds(60);
    const origin = FunctionUrlOrigin.withOriginAccessControl(url, { readTimeout, originAccessControl });
    return paths.map((path): [string, BehaviorOptions] => [path, through(origin, edge)]);
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
    defaultBehavior: toApi,
    // CloudFront caches errors by rules of their own, for 10 s and by path alone: the next caller, with another key,
    // would be shown them.
    errorResponses: ERRORS.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
    // The first path that fits wins: what is streamed stands before the API's own.
    additionalBehaviors: { ...Object.fromEntries(streams), '/v1/*': toApi, '/.well-known/*': toApi },
    ...own,
  });
}
