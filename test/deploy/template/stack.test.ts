import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { ALLOWED_HEADERS, ALLOWED_METHODS, EXPOSED_HEADERS } from '#infra/cors.ts';
import { type FunctionName, functions, queues, routes, schedules, streams } from '#infra/topology.ts';
import { functionIn, type Json, ofType, queueIn, synthesize } from './synthesized.ts';

const { template, stack } = synthesize();
const all = (type: string) => ofType(template, type);
const functionOf = (name: FunctionName) => functionIn(template, name);
const queueId = (name: string) => queueIn(template, name);
const names = Object.keys(functions) as FunctionName[];

describe('the table', () => {
  it('is paid by request, keeps itself for 35 days, streams what is new and forgets what has expired', () => {
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      BillingMode: 'PAY_PER_REQUEST',
      TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
      StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      Replicas: [
        Match.objectLike({
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        }),
      ],
    });
    template.hasResource('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Retain' });
  });

  it('goes with the stack only when it is told to', () => {
    const loose = synthesize({ DELETION_PROTECTION: 'false' }).template;
    loose.hasResource('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Delete' });
  });
});

describe('every function of the topology', () => {
  it.each(names)('%s runs on Node 24 and arm64, with the memory and the time that it asks for', (name) => {
    expect(functionOf(name)).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      MemorySize: functions[name].memory_mb,
      Timeout: functions[name].timeout_seconds,
      LoggingConfig: { LogGroup: expect.anything() },
    });
    expect(functionOf(name).ReservedConcurrentExecutions).toBeUndefined();
  });

  it('reserves concurrency only where it is told to', () => {
    const { template: reserved } = synthesize({ RESERVED_CONCURRENCY: 'ingest=100' });
    const found = Object.values(reserved.findResources('AWS::Lambda::Function')).filter(
      (one) => one.Properties.ReservedConcurrentExecutions !== undefined,
    );
    expect(found.map((one) => one.Properties.Description)).toEqual(['Fleetwatch ingest']);
  });

  it('keeps its log for as long as the setting says', () => {
    for (const group of all('AWS::Logs::LogGroup')) expect(group.RetentionInDays).toBe(30);
    expect(all('AWS::Logs::LogGroup')).toHaveLength(names.length + 1);
  });
});

describe('every queue of the topology', () => {
  it.each(Object.entries(queues))(
    '%s feeds its function by small batches, and keeps its dead letters',
    (name, spec) => {
      const { id, VisibilityTimeout, RedrivePolicy } = all('AWS::SQS::Queue').find((one) => one.id === queueId(name));
      expect(VisibilityTimeout).toBeGreaterThanOrEqual(6 * functions[spec.consumer].timeout_seconds);
      expect(RedrivePolicy.maxReceiveCount).toBe(spec.max_receives);
      const source = all('AWS::Lambda::EventSourceMapping').find((one) => one.EventSourceArn['Fn::GetAtt'][0] === id);
      expect(source).toMatchObject({
        FunctionName: { Ref: functionOf(spec.consumer).id },
        BatchSize: Math.min(10, spec.batch),
        MaximumBatchingWindowInSeconds: 0,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: Math.max(2, spec.concurrency) },
      });
    },
  );
});

describe('every reader of the stream', () => {
  it.each(streams)('$name sees new items of its kind, for a day if it must', ({ function: reader, sk_prefix }) => {
    const source = all('AWS::Lambda::EventSourceMapping').find(
      (one) => one.FunctionName.Ref === functionOf(reader).id && one.StartingPosition,
    );
    expect(source).toMatchObject({
      StartingPosition: 'TRIM_HORIZON',
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: -1,
      MaximumRecordAgeInSeconds: 86_400,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      DestinationConfig: { OnFailure: { Destination: expect.anything() } },
    });
    expect(JSON.parse(source.FilterCriteria.Filters[0].Pattern)).toEqual({
      eventName: ['INSERT'],
      dynamodb: { NewImage: { sk: { S: [{ prefix: sk_prefix }] } } },
    });
  });
});

it.each(schedules)('the schedule $name sends its time onto its queue, and what cannot be sent is kept', ({ queue }) => {
  template.hasResourceProperties('AWS::Scheduler::Schedule', {
    ScheduleExpression: 'rate(1 minute)',
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: {
      Arn: { 'Fn::GetAtt': [queueId(queue), 'Arn'] },
      Input: '{"scheduled_time":"<aws.scheduler.scheduled-time>"}',
      DeadLetterConfig: { Arn: Match.anyValue() },
    },
  });
});

describe('the HTTP API', () => {
  it('has the routes of the topology, but for what is streamed', () => {
    const expected = routes
      .filter((route) => !functions[route.function].streams)
      .map(({ method, path }) => (method === 'ANY' && path === '/{proxy+}' ? '$default' : `${method} ${path}`));
    expect(
      all('AWS::ApiGatewayV2::Route')
        .map((one) => one.RouteKey)
        .sort(),
    ).toEqual(expected.sort());
    for (const one of all('AWS::ApiGatewayV2::Integration')) expect(one.PayloadFormatVersion).toBe('2.0');
  });

  it('throttles as it is told to', () => {
    const { template: slow } = synthesize({ THROTTLE_RATE: '7', THROTTLE_BURST: '9' });
    slow.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      DefaultRouteSettings: { ThrottlingRateLimit: 7, ThrottlingBurstLimit: 9 },
    });
  });

  it('lets pages of any origin call it, or of those that are named', () => {
    const cors = {
      AllowMethods: [...ALLOWED_METHODS],
      AllowHeaders: [...ALLOWED_HEADERS],
      ExposeHeaders: [...EXPOSED_HEADERS],
      MaxAge: 3600,
    };
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', { CorsConfiguration: { ...cors, AllowOrigins: ['*'] } });
    const { template: named } = synthesize({ ALLOWED_ORIGINS: 'https://a.example, https://b.example' });
    const AllowOrigins = ['https://a.example', 'https://b.example'];
    named.hasResourceProperties('AWS::ApiGatewayV2::Api', { CorsConfiguration: { ...cors, AllowOrigins } });
  });
});

describe('what is streamed', () => {
  const streamed = names.filter((name) => functions[name].streams);

  it.each(streamed)('%s has a URL that streams, and that anybody may call who has a key', (name) => {
    template.hasResourceProperties('AWS::Lambda::Url', {
      AuthType: 'NONE',
      InvokeMode: 'RESPONSE_STREAM',
      TargetFunctionArn: { 'Fn::GetAtt': [functionOf(name).id, 'Arn'] },
    });
    const actions = all('AWS::Lambda::Permission')
      .filter((one) => one.FunctionName['Fn::GetAtt']?.[0] === functionOf(name).id)
      .map((one) => one.Action);
    expect(actions.sort()).toEqual(['lambda:InvokeFunction', 'lambda:InvokeFunctionUrl']);
  });

  it('CloudFront keeps nothing, passes keys and all methods on, and sends each path to its origin', () => {
    const [{ DistributionConfig: config }] = all('AWS::CloudFront::Distribution');
    const behaviours = [config.DefaultCacheBehavior, ...config.CacheBehaviors];
    for (const one of behaviours) {
      expect(one).toMatchObject({
        // CACHING_DISABLED and ALL_VIEWER_EXCEPT_HOST_HEADER
        CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
        OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
        ViewerProtocolPolicy: 'https-only',
      });
      expect(one.AllowedMethods).toEqual(expect.arrayContaining(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']));
    }
    const paths = config.CacheBehaviors.map((one: Json) => one.PathPattern);
    expect(paths).toEqual(['/v1/mcp', '/v1/*', '/.well-known/*']);
    const [mcp, api] = config.CacheBehaviors;
    expect(mcp.Compress).toBe(false);
    expect(mcp.TargetOriginId).not.toBe(api.TargetOriginId);
    const origin = config.Origins.find((one: Json) => one.Id === mcp.TargetOriginId);
    expect(origin.CustomOriginConfig.OriginReadTimeout).toBe(60);
  });
});

const OWN = { DOMAIN_NAME: 'fleet.example.com', CERTIFICATE_ARN: 'arn:aws:acm:us-east-1:111122223333:certificate/a' };

describe('CloudFront', () => {
  it('keeps no error: what one caller was refused is not shown to the next', () => {
    const [{ DistributionConfig: config }] = all('AWS::CloudFront::Distribution');
    const codes = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];
    expect(config.CustomErrorResponses).toEqual(codes.map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })));
  });

  it('has a name of its own to point the domain at, which an output says', () => {
    const [{ id }] = all('AWS::CloudFront::Distribution');
    const outputs = synthesize(OWN).template.toJSON().Outputs;
    expect(outputs.DomainTarget.Value).toEqual({ 'Fn::GetAtt': [id, 'DomainName'] });
    expect(outputs.Url.Value).toBe('https://fleet.example.com');
    expect(template.toJSON().Outputs.DomainTarget).toBeUndefined();
  });
});

describe('pages of a browser at the address that streams', () => {
  const corsOf = (settings: Record<string, string>): Json =>
    ofType(synthesize(settings).template, 'AWS::Lambda::Url')[0].Cors;

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

describe('settings', () => {
  it.each([
    [{ MIN_INTERVAL_SECONDS: '0' }, 'MIN_INTERVAL_SECONDS'],
    [{ LOG_RETENTION_DAYS: '31' }, 'LOG_RETENTION_DAYS'],
    [{ RESERVED_CONCURRENCY: 'ingst=5' }, 'ingst=5'],
    [{ DOMAIN_NAME: 'fleet.example.com' }, 'CERTIFICATE_ARN'],
    [{ CHECK_EGRESS: 'all' }, 'CHECK_EGRESS'],
    [{ CHECK_EGRES: 'any' }, 'CHECK_EGRES is not known; did you mean CHECK_EGRESS'],
    [{ LOG_RETENTION: '30' }, 'LOG_RETENTION is not known; did you mean LOG_RETENTION_DAYS'],
    [{ log_level: 'info' }, 'log_level is not known; did you mean LOG_LEVEL'],
    [{ NATS_URL: 'nats://a.example.com' }, 'NATS_URL is not known; did you mean NATS_URL_SECRET'],
  ])('%o is refused in one sentence', (settings, named) => {
    expect(() => synthesize(settings)).toThrow(named);
  });

  it('reach every function; the NATS secret reaches the deliverer alone', () => {
    const { template: set } = synthesize({ EGRESS_ALLOW: '10.0.0.0/8', NATS_URL_SECRET: 'nats', BUCKETS: '8' });
    for (const one of Object.values(set.findResources('AWS::Lambda::Function'))) {
      const { Variables } = one.Properties.Environment;
      expect(Variables).toMatchObject({ EGRESS_ALLOW: '10.0.0.0/8', BUCKETS: '8', CHECK_EGRESS: 'public' });
      const speaks = one.Properties.Description === 'Fleetwatch deliverer';
      expect(JSON.stringify(Variables.NATS_URL ?? null).includes('resolve:secretsmanager:nats')).toBe(speaks);
    }
  });

  const natsUrl = (secret: string) =>
    functionIn(synthesize({ NATS_URL_SECRET: secret }).template, 'deliverer').Environment.Variables.NATS_URL;

  const [FIRST, SECOND] = ['7b1c4f0e-0d0e-4f5b-9d55-1f2d3c4b5a69', '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d'];

  it('another version of the NATS secret is another template, so that a deployment brings it', () => {
    expect(natsUrl(`nats@${FIRST}`)).toBe(`{{resolve:secretsmanager:nats:SecretString:::${FIRST}}}`);
    expect(natsUrl(`nats@${SECOND}`)).not.toBe(natsUrl(`nats@${FIRST}`));
  });

  it('a NATS secret without a version is the newest of the day it was first deployed', () => {
    expect(natsUrl('prod/nats')).toBe('{{resolve:secretsmanager:prod/nats:SecretString:::}}');
  });

  it.each(['nats@2', 'nats@', '@', 'na ts'])('%j names no secret', (secret) => {
    expect(() => synthesize({ NATS_URL_SECRET: secret })).toThrow('NATS_URL_SECRET');
  });

  it('say where it is when it is deployed', () => {
    const outputs = Object.keys(template.toJSON().Outputs);
    expect(outputs).toEqual(expect.arrayContaining(['Url', 'McpUrl', 'ApiUrl', 'TableName', 'BusName', 'AlarmTopic']));
    expect(stack.stackName).toBe('fleetwatch');
  });
});
