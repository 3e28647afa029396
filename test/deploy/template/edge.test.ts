import { describe, expect, it } from 'vitest';
import { ALLOWED_HEADERS, EXPOSED_HEADERS } from '#infra/cors.ts';
import { type FunctionName, functions, routes } from '#infra/topology.ts';
import { functionIn, type Json, ofType, synthesize } from './synthesized.ts';

const { template } = synthesize();
const all = (type: string) => ofType(template, type);
const streamed = (Object.keys(functions) as FunctionName[]).filter((name) => functions[name].streams);
const [{ id: cdn, DistributionConfig: config }] = all('AWS::CloudFront::Distribution');
const behaviours: Json[] = [config.DefaultCacheBehavior, ...config.CacheBehaviors];
const files = behaviours.find((one) => one.PathPattern === '/assets/*');
const others = behaviours.filter((one) => one !== files);
const originOf = ({ TargetOriginId }: Json) => config.Origins.find((one: Json) => one.Id === TargetOriginId);
const mcp = behaviours.find((one) => one.PathPattern === '/v1/mcp');

const OWN = { DOMAIN_NAME: 'fleet.example.com', CERTIFICATE_ARN: 'arn:aws:acm:us-east-1:111122223333:certificate/a' };

describe('CloudFront', () => {
  it('keeps no answer of the API, passes keys and all methods on, and sends each path to its origin', () => {
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
      ['/.well-known/*', true],
      ['/ping/*', true],
    ]);
    expect(originOf(mcp).CustomOriginConfig.OriginReadTimeout).toBe(60);
  });

  it('keeps the files of the console, packed as a browser takes them, and sends nothing of the caller on', () => {
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

  it('asks the function at the edge before each other request, which knows the origins by their names', () => {
    const [{ id, FunctionCode, FunctionConfig, AutoPublish }, ...more] = all('AWS::CloudFront::Function');
    expect(more).toEqual([]);
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

  it('tells the API and what streams by a secret that it is CloudFront, which functions that answer know too', () => {
    const [{ id, GenerateSecretString }, ...more] = all('AWS::SecretsManager::Secret');
    expect([GenerateSecretString, more]).toEqual([{ PasswordLength: 43, ExcludePunctuation: true }, []]);
    const secret = { 'Fn::Join': ['', ['{{resolve:secretsmanager:', { Ref: id }, ':SecretString:::}}']] };
    const told = { HeaderName: 'x-fleetwatch-edge', HeaderValue: secret };
    for (const one of config.Origins) expect(one.OriginCustomHeaders).toEqual([told]);
    const knowing = (Object.keys(functions) as FunctionName[]).filter(
      (name) => functionIn(template, name).Environment.Variables.EDGE_SECRET !== undefined,
    );
    expect(new Set(knowing)).toEqual(new Set(routes.map((route) => route.function)));
    for (const name of knowing) expect(functionIn(template, name).Environment.Variables.EDGE_SECRET).toEqual(secret);
  });

  it('keeps no error: what one caller was refused is not shown to the next', () => {
    const codes = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];
    expect(config.CustomErrorResponses).toEqual(codes.map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })));
  });

  it('has a name of its own to point the domain at, which an output says', () => {
    const outputs = synthesize(OWN).template.toJSON().Outputs;
    expect(outputs.DomainTarget.Value).toEqual({ 'Fn::GetAtt': [cdn, 'DomainName'] });
    expect(outputs.Url.Value).toBe('https://fleet.example.com');
    expect(template.toJSON().Outputs.DomainTarget).toBeUndefined();
  });

  it('has the console at its own address, or where PUBLIC_URL says that people open it', () => {
    const consoleUrl = (settings: Record<string, string>) =>
      synthesize(settings).template.toJSON().Outputs.ConsoleUrl.Value;
    expect(consoleUrl(OWN)).toBe('https://fleet.example.com');
    expect(consoleUrl({ PUBLIC_URL: 'https://ops.example.com' })).toBe('https://ops.example.com');
    expect(consoleUrl({})).toEqual(template.toJSON().Outputs.Url.Value);
  });
});

describe('the address that jobs ping', () => {
  const { id } = functionIn(template, 'ingest');
  const [url] = all('AWS::Lambda::Url').filter(({ TargetFunctionArn }) => TargetFunctionArn['Fn::GetAtt'][0] === id);
  const pingUrl = (of: typeof template, name: FunctionName) => functionIn(of, name).Environment.Variables.PING_URL;

  it('is that of the function which takes them: open, whole answers, and an output says it', () => {
    expect(url).toMatchObject({ AuthType: 'NONE' });
    expect(url.InvokeMode ?? 'BUFFERED').toBe('BUFFERED');
    expect(url.Cors).toBeUndefined();
    expect(template.toJSON().Outputs.PingUrl.Value).toEqual({ 'Fn::GetAtt': [url.id, 'FunctionUrl'] });
  });

  it('is where ping URLs lead, unless the operator says where else', () => {
    for (const name of ['api', 'mcp'] as const) {
      expect(pingUrl(template, name)).toEqual({ 'Fn::GetAtt': [url.id, 'FunctionUrl'] });
      const own = synthesize({ PING_URL: 'https://ping.example.com' }).template;
      expect(pingUrl(own, name)).toBe('https://ping.example.com');
    }
  });

  it('is bounded where the operator reserves concurrency for it', () => {
    const { template: bounded } = synthesize({ RESERVED_CONCURRENCY: 'ingest=50' });
    expect(functionIn(bounded, 'ingest').ReservedConcurrentExecutions).toBe(50);
  });
});

describe.each(streamed)('the address of %s, which streams', (name) => {
  const { id } = functionIn(template, name);
  const permissionsOn = (from: typeof template): Json[] =>
    ofType(from, 'AWS::Lambda::Permission').filter(
      ({ FunctionName }) =>
        FunctionName['Fn::GetAtt']?.[0] === id || FunctionName['Fn::GetAtt']?.[0].includes('FunctionUrl'),
    );

  it('takes what CloudFront has signed, for this distribution, and refuses all else before the function is run', () => {
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
    const [access] = all('AWS::CloudFront::OriginAccessControl');
    expect(access.OriginAccessControlConfig).toMatchObject({
      OriginAccessControlOriginType: 'lambda',
      SigningBehavior: 'always',
      SigningProtocol: 'sigv4',
    });
    // It is known by its name in all regions of an account, so that is another in each.
    expect(JSON.stringify(access.OriginAccessControlConfig.Name)).toContain('AWS::Region');
    expect(originOf(mcp).OriginAccessControlId).toEqual({ 'Fn::GetAtt': [access.id, 'Id'] });
  });

  it('is open to whoever has a key where there is no CloudFront', () => {
    const alone = synthesize({ CDN: 'false' }).template;
    alone.hasResourceProperties('AWS::Lambda::Url', { AuthType: 'NONE', InvokeMode: 'RESPONSE_STREAM' });
    expect(permissionsOn(alone).map((one) => [one.Principal, one.Action])).toEqual([
      ['*', 'lambda:InvokeFunctionUrl'],
      ['*', 'lambda:InvokeFunction'],
    ]);
  });
});

describe('without CloudFront', () => {
  const alone = synthesize({ CDN: 'false' }).template;
  const { Resources, Outputs } = alone.toJSON();

  it('the stack has nothing of it, and is the same in all else', () => {
    const types = Object.values<Json>(Resources).map(({ Type }) => Type as string);
    expect(types.filter((type) => /^AWS::(CloudFront|SecretsManager)/.test(type))).toEqual([]);
    const others = (from: typeof template) =>
      Object.entries<Json>(from.toJSON().Resources)
        .filter(([, { Type }]) => !/^AWS::(CloudFront::|SecretsManager::|Lambda::(Url|Permission)$)/.test(Type))
        .map(([one]) => one);
    expect(others(alone)).toEqual(others(template));
  });

  it('its outputs say where to call it: the API, and the address that streams', () => {
    expect(Outputs.Url.Value).toEqual(Outputs.ApiUrl.Value);
    expect(JSON.stringify(Outputs.McpUrl.Value)).toContain('"ApiEndpoint"]},"/v1/mcp"');
    expect(Outputs.StreamUrlmcp.Value).toEqual({ 'Fn::GetAtt': [expect.any(String), 'FunctionUrl'] });
  });
});

describe('pages of a browser at the address that streams', () => {
  const corsOf = (settings: Record<string, string>): Json =>
    ofType(synthesize(settings).template, 'AWS::Lambda::Url').find((url) => url.InvokeMode === 'RESPONSE_STREAM')!.Cors;

  const own = 'https://fleet.example.com';
  const named = { ALLOWED_ORIGINS: '*,https://a.example' };

  it('may ask for all that MCP knows, without cookies', () => {
    expect(corsOf(named)).toEqual({
      AllowOrigins: ['https://a.example'],
      // A DELETE is answered, by 405, and clients want to see that.
      AllowMethods: ['GET', 'POST', 'DELETE'],
      AllowHeaders: [...ALLOWED_HEADERS],
      ExposeHeaders: [...EXPOSED_HEADERS],
      MaxAge: 3600,
    });
  });

  it('come from an origin that is named, or from the domain of the service; others may not even ask', () => {
    expect(corsOf({ ...named, ...OWN }).AllowOrigins).toEqual(['https://a.example', own]);
    expect(corsOf(OWN).AllowOrigins).toEqual([own]);
    expect(corsOf({ ALLOWED_ORIGINS: own, ...OWN }).AllowOrigins).toEqual([own]);
    expect(corsOf({})).toBeUndefined();
  });
});
