import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { ALLOWED_HEADERS, EXPOSED_HEADERS } from '#infra/cors.ts';
import { type FunctionName, functions, routes } from '#infra/topology.ts';
import { functionIn, type Json, ofType, synthesize } from './synthesized.ts';

const { template } = synthesize();
const all = (type: string) => ofType(template, type);
const streamed = (Object.keys(functions) as FunctionName[]).filter((name) => functions[name].streams);
const [{ id: cdn, DistributionConfig: config }] = all('AWS::CloudFront::Distribution');
const behaviors: Json[] = [config.DefaultCacheBehavior, ...config.CacheBehaviors];
const files = behaviors.find((one) => one.PathPattern === '/assets/*');
const pages = behaviors.find((one) => one.PathPattern === '/status/*');
const badges = behaviors.find((one) => one.PathPattern === '/badge/*');
const others = behaviors.filter((one) => one !== files && one !== pages && one !== badges);
const originOf = ({ TargetOriginId }: Json) => config.Origins.find((one: Json) => one.Id === TargetOriginId);
const mcp = behaviors.find((one) => one.PathPattern === '/v1/mcp');

const OWN = { DOMAIN_NAME: 'fleet.example.com', CERTIFICATE_ARN: 'arn:aws:acm:us-east-1:111122223333:certificate/a' };

describe('CloudFront', () => {
  it('caches no API response, forwards keys and all methods, and routes each path to its origin', () => {
    for (const one of others) {
      expect(one).toMatchObject({
        // CACHING_DISABLED and ALL_VIEWER_EXCEPT_HOST_HEADER
        CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
        OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
        ViewerProtocolPolicy: 'https-only',
        Compress: false,
      });
      expect(one.AllowedMethods).toEqual(expect.arrayContaining(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']));
    }
    expect(others.map((one) => [one.PathPattern, one.TargetOriginId === 'api'])).toEqual([
      [undefined, true],
      ['/v1/mcp', false],
      ['/v1/*', true],
      ['/metrics', true],
      ['/.well-known/*', true],
      ['/ping/*', true],
      ['/calendars/*', true],
    ]);
    expect(originOf(mcp).CustomOriginConfig.OriginReadTimeout).toBe(60);
  });

  it('caches console files in accepted encodings, and forwards nothing of the caller', () => {
    expect(files).toMatchObject({
      TargetOriginId: 'api',
      // CACHING_OPTIMIZED
      CachePolicyId: '658327ea-f89d-4fab-a63d-7e88639e58f6',
      ViewerProtocolPolicy: 'https-only',
      Compress: true,
    });
    expect(files.OriginRequestPolicyId).toBeUndefined();
    expect(files.AllowedMethods ?? ['GET', 'HEAD']).toEqual(['GET', 'HEAD']);
    expect(files.FunctionAssociations).toBeUndefined();
    expect(files.ResponseHeadersPolicyId).toEqual(config.DefaultCacheBehavior.ResponseHeadersPolicyId);
  });

  it('runs the edge function except on files, pages and badges, with API origin, streamed paths and allowed origins', () => {
    const [{ id, FunctionCode, FunctionConfig, AutoPublish }] = all('AWS::CloudFront::Function');
    expect({ ...FunctionConfig, AutoPublish }).toMatchObject({ Runtime: 'cloudfront-js-2.0', AutoPublish: true });
    for (const one of others) {
      expect(one.FunctionAssociations).toEqual([
        { EventType: 'viewer-request', FunctionARN: { 'Fn::GetAtt': [id, 'FunctionARN'] } },
      ]);
    }
    const data = JSON.parse(/^const DATA = (.*);$/m.exec(FunctionCode)![1]!);
    expect(data).toMatchObject({ api: 'api', streamed: ['/v1/mcp'], origins: ['*'] });
    const named = synthesize({ ALLOWED_ORIGINS: 'https://a.example' }).template;
    expect(ofType(named, 'AWS::CloudFront::Function')[0].FunctionCode).toContain('"origins":["https://a.example"]');
  });

  it('identifies itself to the API and streaming URLs by a secret that their functions have', () => {
    const [{ id, GenerateSecretString }, ...more] = all('AWS::SecretsManager::Secret');
    expect([GenerateSecretString, more]).toEqual([{ PasswordLength: 43, ExcludePunctuation: true }, []]);
    const secret = { 'Fn::Join': ['', ['{{resolve:secretsmanager:', { Ref: id }, ':SecretString:::}}']] };
    const header = { HeaderName: 'x-fleetwatch-edge', HeaderValue: secret };
    for (const one of config.Origins)
      expect(one.OriginCustomHeaders).toEqual(one.S3OriginConfig ? undefined : [header]);
    const withSecret = (Object.keys(functions) as FunctionName[]).filter(
      (name) => functionIn(template, name).Environment.Variables.EDGE_SECRET !== undefined,
    );
    expect(new Set(withSecret)).toEqual(new Set(routes.map((route) => route.function)));
    for (const name of withSecret) expect(functionIn(template, name).Environment.Variables.EDGE_SECRET).toEqual(secret);
  });

  it('rotates the secret with EDGE_SECRET_VERSION: functions accept both before CloudFront sends the new one', () => {
    const { template: rotated } = synthesize({ EDGE_SECRET_VERSION: '2' });
    const [next, before] = ofType(rotated, 'AWS::SecretsManager::Secret').map((one) => one.id as string);
    const [{ id: first }] = all('AWS::SecretsManager::Secret');
    expect([before, next]).toEqual([first, expect.stringMatching(/^EdgeSecret2/)]);
    const known = JSON.stringify(functionIn(rotated, 'api').Environment.Variables.EDGE_SECRET);
    expect([known.includes(next!), known.includes(before!)]).toEqual([true, true]);
    const [one] = Object.values<Json>(rotated.findResources('AWS::CloudFront::Distribution'));
    expect(JSON.stringify(one.Properties)).toContain(next);
    expect(JSON.stringify(one.Properties)).not.toContain(`"${before}"`);
    expect(one.DependsOn).toContain(functionIn(rotated, 'api').id);
  });

  it('caches no error, so that it is not returned to other callers', () => {
    const codes = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];
    expect(config.CustomErrorResponses).toEqual(codes.map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })));
  });

  it('has an output with the target of the domain', () => {
    const outputs = synthesize(OWN).template.toJSON().Outputs;
    expect(outputs.DomainTarget.Value).toEqual({ 'Fn::GetAtt': [cdn, 'DomainName'] });
    expect(outputs.Url.Value).toBe('https://fleet.example.com');
    expect(template.toJSON().Outputs.DomainTarget).toBeUndefined();
  });

  it('serves the console at its own URL, or at PUBLIC_URL', () => {
    const consoleUrl = (settings: Record<string, string>) =>
      synthesize(settings).template.toJSON().Outputs.ConsoleUrl.Value;
    expect(consoleUrl(OWN)).toBe('https://fleet.example.com');
    expect(consoleUrl({ PUBLIC_URL: 'https://ops.example.com' })).toBe('https://ops.example.com');
    expect(consoleUrl({})).toEqual(template.toJSON().Outputs.Url.Value);
  });
});

describe('status pages at CloudFront', () => {
  const { Id: group, FailoverCriteria, Members } = config.OriginGroups.Items[0];
  const origin = (id: string) => config.Origins.find((one: Json) => one.Id === id);

  it('come from the bucket, and from the function if a file is missing or S3 fails', () => {
    expect(pages.TargetOriginId).toBe(group);
    expect(FailoverCriteria.StatusCodes.Items).toEqual([403, 404, 500, 502, 503, 504]);
    expect(Members.Items.map((one: Json) => one.OriginId)).toEqual(['files', 'public']);
    expect(origin('files').OriginAccessControlId).toBeDefined();
    expect(JSON.stringify(origin('public').DomainName)).toContain('.execute-api.');
  });

  it('are cached by path for a day at most, for GET and HEAD, with short timeouts of their origins', () => {
    const { CachePolicyConfig } = all('AWS::CloudFront::CachePolicy').find(({ id }) => id === pages.CachePolicyId.Ref)!;
    expect(CachePolicyConfig).toMatchObject({
      MinTTL: 0,
      MaxTTL: 86_400,
      ParametersInCacheKeyAndForwardedToOrigin: {
        CookiesConfig: { CookieBehavior: 'none' },
        HeadersConfig: { HeaderBehavior: 'none' },
        QueryStringsConfig: { QueryStringBehavior: 'none' },
      },
    });
    expect(pages.OriginRequestPolicyId).toBeUndefined();
    expect(pages.AllowedMethods).toEqual(['GET', 'HEAD']);
    expect(pages.Compress).toBe(true);
    for (const id of ['files', 'public'])
      expect(origin(id)).toMatchObject({ ConnectionAttempts: 1, ConnectionTimeout: 2 });
    expect(origin('files').S3OriginConfig).toEqual({ OriginAccessIdentity: '', OriginReadTimeout: 5 });
    expect(origin('public').CustomOriginConfig.OriginReadTimeout).toBe(5);
  });

  it('share their headers with badges, which come from the function, cached by path and two parameters', () => {
    const { CachePolicyConfig } = all('AWS::CloudFront::CachePolicy').find(
      ({ id }) => id === badges.CachePolicyId.Ref,
    )!;
    expect(CachePolicyConfig.ParametersInCacheKeyAndForwardedToOrigin).toMatchObject({
      CookiesConfig: { CookieBehavior: 'none' },
      HeadersConfig: { HeaderBehavior: 'none' },
      QueryStringsConfig: { QueryStringBehavior: 'whitelist', QueryStrings: ['period', 'style'] },
    });
    expect(badges.AllowedMethods).toEqual(['GET', 'HEAD']);
    expect(badges.ResponseHeadersPolicyId).toEqual(pages.ResponseHeadersPolicyId);
    expect(origin(badges.TargetOriginId)).toMatchObject({ ConnectionAttempts: 1, ConnectionTimeout: 2 });
  });

  it('are in a private bucket that only CloudFront and two functions read', () => {
    const [{ id, PublicAccessBlockConfiguration }, ...more] = all('AWS::S3::Bucket');
    expect(more).toEqual([]);
    expect(Object.values(PublicAccessBlockConfiguration)).toEqual([true, true, true, true]);
    const using = (Object.keys(functions) as FunctionName[]).filter(
      (name) => functionIn(template, name).Environment.Variables.PUBLIC_BUCKET !== undefined,
    );
    expect(using).toEqual(['publisher', 'public']);
    const [{ PolicyDocument }] = all('AWS::S3::BucketPolicy');
    const allowed = PolicyDocument.Statement.filter(({ Effect }: Json) => Effect === 'Allow');
    expect(allowed.map(({ Principal, Action }: Json) => [Principal, Action])).toEqual([
      [{ Service: 'cloudfront.amazonaws.com' }, 's3:GetObject'],
    ]);
    expect(JSON.stringify(allowed)).toContain(JSON.stringify({ Ref: cdn }));
    expect(JSON.stringify(allowed)).toContain(id);
  });
});

describe('domains of status pages', () => {
  const arn = 'arn:aws:acm:us-east-1:111122223333:certificate/b';
  const { template: set } = synthesize({
    ...OWN,
    STATUS_DOMAINS: 'Status.Acme.com, status.example.com',
    STATUS_CERTIFICATE_ARN: arn,
  });
  const distributions = ofType(set, 'AWS::CloudFront::Distribution');
  const { id, DistributionConfig: own } = distributions.find((one) => one.id !== cdn)!;
  const main = distributions.find((one) => one.id === cdn)!.DistributionConfig;

  it('have their own distribution and certificate, and leave the distribution of the service unchanged', () => {
    expect(own.Aliases).toEqual(['status.acme.com', 'status.example.com']);
    expect(own.ViewerCertificate).toMatchObject({ AcmCertificateArn: arn, MinimumProtocolVersion: 'TLSv1.2_2021' });
    const [{ DistributionConfig: without }] = ofType(synthesize(OWN).template, 'AWS::CloudFront::Distribution');
    expect(main).toEqual(without);
    const { StatusDomainTarget } = set.toJSON().Outputs;
    expect(StatusDomainTarget.Value).toEqual({ 'Fn::GetAtt': [id, 'DomainName'] });
    expect(template.toJSON().Outputs.StatusDomainTarget).toBeUndefined();
  });

  it('reach only published files, with the caching of the service', () => {
    expect(own.CacheBehaviors).toBeUndefined();
    const { FunctionAssociations, ...behavior } = own.DefaultCacheBehavior;
    const {
      PathPattern: _path,
      FunctionAssociations: _of,
      TargetOriginId: _id,
      ...service
    } = main.CacheBehaviors.find((one: Json) => one.PathPattern === '/status/*');
    expect(behavior).toEqual({ ...service, TargetOriginId: own.OriginGroups.Items[0].Id });
    expect(own.Origins.map((one: Json) => [one.Id, one.OriginPath])).toEqual([
      ['files', '/status'],
      ['public', '/status'],
    ]);
    expect(FunctionAssociations).toMatchObject([{ EventType: 'viewer-request' }]);
    const policies = JSON.stringify(ofType(set, 'AWS::S3::BucketPolicy'));
    expect(policies).toContain(JSON.stringify({ Ref: id }));
  });

  it.each([
    ['/', '/status.acme.com/index.html'],
    ['/history', '/status.acme.com/history/index.html'],
    ['/index.json', '/status.acme.com/index.json'],
    ['/v1/health', '/status.acme.com/v1/health/index.html'],
    ['/status/other.json', '/status.acme.com/status/other.json'],
  ])('lead %s to the folder of the host', (uri, path) => {
    const [{ FunctionARN }] = own.DefaultCacheBehavior.FunctionAssociations;
    const one = ofType(set, 'AWS::CloudFront::Function').find((each) => each.id === FunctionARN['Fn::GetAtt'][0])!;
    const event = { request: { uri, headers: { host: { value: 'Status.Acme.com' } } } };
    expect(runInNewContext(`${one.FunctionCode};handler(event)`, { event })).toMatchObject({ uri: path });
  });
});

/**
 * Logical ids of resources with a published address, and of the table. A changed id creates a new address or an empty
 * table (docs/operate/backup-and-upgrade.md#aws).
 */
const PUBLISHED = {
  api: ['ApiF70053CD'],
  cdn: ['Cdn9963B1AD'],
  ingest: 'FunctioningestA1231EA5',
  urls: ['FunctioningestFunctionUrl2D23F6C0', 'FunctionmcpFunctionUrlFC38FE04'],
  table: ['TableCD117FA1'],
};

describe('ping URL', () => {
  const { id } = functionIn(template, 'ingest');
  const urlsOf = (of: typeof template) =>
    ofType(of, 'AWS::Lambda::Url').filter(({ TargetFunctionArn }) => TargetFunctionArn['Fn::GetAtt'][0] === id);
  const pingUrl = (of: typeof template, name: FunctionName) => functionIn(of, name).Environment.Variables.PING_URL;

  it('is at the domain of the service, or else of the API, so that it has a throttle and can move', () => {
    for (const [of, base] of [
      [template, template.toJSON().Outputs.ApiUrl.Value],
      [synthesize({ CDN: 'false' }).template, template.toJSON().Outputs.ApiUrl.Value],
      [synthesize(OWN).template, 'https://fleet.example.com'],
    ]) {
      for (const name of ['api', 'mcp'] as const) expect(pingUrl(of, name)).toEqual(base);
      expect(of.toJSON().Outputs.PingUrl.Value).toEqual(base);
      expect(urlsOf(of)).toEqual([]);
    }
  });

  it('is the open, buffered URL of the ingest function only on request', () => {
    const { template: asked } = synthesize({ ...OWN, PING_URL: 'function' });
    const [url] = urlsOf(asked);
    expect(url).toMatchObject({ AuthType: 'NONE' });
    expect(url.InvokeMode ?? 'BUFFERED').toBe('BUFFERED');
    expect(url.Cors).toBeUndefined();
    expect(asked.toJSON().Outputs.PingUrl.Value).toEqual({ 'Fn::GetAtt': [url.id, 'FunctionUrl'] });
    expect(pingUrl(asked, 'api')).toEqual({ 'Fn::GetAtt': [url.id, 'FunctionUrl'] });
  });

  it('is PING_URL if the operator sets a URL; an invalid value is rejected', () => {
    const own = synthesize({ PING_URL: 'https://ping.example.com' }).template;
    expect(pingUrl(own, 'api')).toBe('https://ping.example.com');
    expect(() => synthesize({ PING_URL: 'lambda' })).toThrow('PING_URL');
  });

  it('keeps the logical ids on which published addresses depend', () => {
    const { template: asked } = synthesize({ PING_URL: 'function' });
    const ids = (type: string, of = asked) => ofType(of, type).map((one) => one.id);
    expect({
      api: ids('AWS::ApiGatewayV2::Api'),
      cdn: ids('AWS::CloudFront::Distribution'),
      ingest: id,
      urls: ids('AWS::Lambda::Url'),
      table: ids('AWS::DynamoDB::GlobalTable'),
    }).toEqual(PUBLISHED);
  });

  it('is bounded if the operator reserves concurrency for it', () => {
    const { template: bounded } = synthesize({ RESERVED_CONCURRENCY: 'ingest=50' });
    expect(functionIn(bounded, 'ingest').ReservedConcurrentExecutions).toBe(50);
  });
});

describe.each(streamed)('streaming URL of %s', (name) => {
  const { id } = functionIn(template, name);
  const permissionsOn = (from: typeof template): Json[] =>
    ofType(from, 'AWS::Lambda::Permission').filter(
      ({ FunctionName }) =>
        FunctionName['Fn::GetAtt']?.[0] === id || FunctionName['Fn::GetAtt']?.[0].includes('FunctionUrl'),
    );

  it('accepts only requests signed by this distribution, and rejects others before the function runs', () => {
    template.hasResourceProperties('AWS::Lambda::Url', {
      AuthType: 'AWS_IAM',
      InvokeMode: 'RESPONSE_STREAM',
      TargetFunctionArn: { 'Fn::GetAtt': [id, 'Arn'] },
    });
    const permissions = permissionsOn(template);
    expect(permissions.map((one) => one.Action).sort()).toEqual(['lambda:InvokeFunction', 'lambda:InvokeFunctionUrl']);
    for (const one of permissions) {
      expect(one.Principal).toBe('cloudfront.amazonaws.com');
      expect(JSON.stringify(one.SourceArn)).toContain(JSON.stringify({ Ref: cdn }));
    }
    const access = all('AWS::CloudFront::OriginAccessControl').find(
      ({ OriginAccessControlConfig: { OriginAccessControlOriginType } }) => OriginAccessControlOriginType === 'lambda',
    )!;
    expect(access.OriginAccessControlConfig).toMatchObject({
      OriginAccessControlOriginType: 'lambda',
      SigningBehavior: 'always',
      SigningProtocol: 'sigv4',
    });
    // Its name is global to an account, so it includes the region.
    expect(JSON.stringify(access.OriginAccessControlConfig.Name)).toContain('AWS::Region');
    expect(originOf(mcp).OriginAccessControlId).toEqual({ 'Fn::GetAtt': [access.id, 'Id'] });
  });

  it('is open to callers with a key in a stack without CloudFront', () => {
    const alone = synthesize({ CDN: 'false' }).template;
    alone.hasResourceProperties('AWS::Lambda::Url', { AuthType: 'NONE', InvokeMode: 'RESPONSE_STREAM' });
    expect(permissionsOn(alone).map((one) => [one.Principal, one.Action])).toEqual([
      ['*', 'lambda:InvokeFunctionUrl'],
      ['*', 'lambda:InvokeFunction'],
    ]);
  });
});

describe('stack without CloudFront', () => {
  const alone = synthesize({ CDN: 'false' }).template;
  const { Resources, Outputs } = alone.toJSON();

  it('has no resources of CloudFront, and is otherwise the same', () => {
    const types = Object.values<Json>(Resources).map(({ Type }) => Type as string);
    expect(types.filter((type) => /^AWS::(CloudFront|SecretsManager)/.test(type))).toEqual([]);
    const others = (from: typeof template) =>
      Object.entries<Json>(from.toJSON().Resources)
        .filter(([, { Type }]) => !/^AWS::(CloudFront::|SecretsManager::|Lambda::(Url|Permission)$)/.test(Type))
        .map(([one]) => one);
    expect(others(alone)).toEqual(others(template));
  });

  it('has outputs for the API and the streaming URL', () => {
    expect(Outputs.Url.Value).toEqual(Outputs.ApiUrl.Value);
    expect(JSON.stringify(Outputs.McpUrl.Value)).toContain('"ApiEndpoint"]},"/v1/mcp"');
    expect(Outputs.StreamUrlmcp.Value).toEqual({ 'Fn::GetAtt': [expect.any(String), 'FunctionUrl'] });
  });
});

describe('CORS of the streaming URL', () => {
  const corsOf = (settings: Record<string, string>): Json =>
    ofType(synthesize(settings).template, 'AWS::Lambda::Url').find((url) => url.InvokeMode === 'RESPONSE_STREAM')!.Cors;

  const own = 'https://fleet.example.com';
  const named = { ALLOWED_ORIGINS: '*,https://a.example' };

  it('allows all methods and headers of MCP, without cookies', () => {
    expect(corsOf(named)).toEqual({
      AllowOrigins: ['https://a.example'],
      // DELETE is included because clients read its 405.
      AllowMethods: ['GET', 'POST', 'DELETE'],
      AllowHeaders: [...ALLOWED_HEADERS],
      ExposeHeaders: [...EXPOSED_HEADERS],
      MaxAge: 3600,
    });
  });

  it('allows named origins and the domain of the service, and no others', () => {
    expect(corsOf({ ...named, ...OWN }).AllowOrigins).toEqual(['https://a.example', own]);
    expect(corsOf(OWN).AllowOrigins).toEqual([own]);
    expect(corsOf({ ALLOWED_ORIGINS: own, ...OWN }).AllowOrigins).toEqual([own]);
    expect(corsOf({})).toBeUndefined();
  });
});
