import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { ALLOWED_HEADERS, ALLOWED_METHODS, EXPOSED_HEADERS } from '#infra/cors.ts';
import { onCycles } from '#infra/cycles.ts';
import { type FunctionName, functions, queues, routes, schedules, streams } from '#infra/topology.ts';
import { functionIn, type Json, ofType, queueIn, synthesize } from './synthesized.ts';

const { template } = synthesize();
const all = (type: string) => ofType(template, type);
const functionOf = (name: FunctionName) => functionIn(template, name);
const queueId = (name: string) => queueIn(template, name);
const names = Object.keys(functions) as FunctionName[];

describe('table of the stack', () => {
  it('is billed on demand, with point-in-time recovery, a stream and expiry', () => {
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      BillingMode: 'PAY_PER_REQUEST',
      WriteOnDemandThroughputSettings: { MaxWriteRequestUnits: 4000 },
      TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
      // A replica in another region would require this view.
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      Replicas: [
        Match.objectLike({
          DeletionProtectionEnabled: true,
          ReadOnDemandThroughputSettings: { MaxReadRequestUnits: 12_000 },
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        }),
      ],
    });
    template.hasResource('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Retain' });
  });

  it('is deleted with the stack only if DELETION_PROTECTION is false, as is the bucket of published files', () => {
    const loose = synthesize({ DELETION_PROTECTION: 'false' }).template;
    loose.hasResource('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Delete' });
    loose.hasResource('AWS::S3::Bucket', { DeletionPolicy: 'Delete' });
    loose.hasResource('Custom::S3AutoDeleteObjects', {});
    template.hasResource('AWS::S3::Bucket', { DeletionPolicy: 'Retain' });
    template.resourceCountIs('Custom::S3AutoDeleteObjects', 0);
  });
});

describe('functions of the topology', () => {
  it.each(names)('run %s on Node 24 and arm64, with its memory and timeout', (name) => {
    expect(functionOf(name)).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      MemorySize: functions[name].memory_mb,
      Timeout: functions[name].timeout_seconds,
      // WARN omits the report of each invocation. INFO keeps the metrics, which are log lines of that level.
      LoggingConfig: {
        LogGroup: expect.anything(),
        LogFormat: 'JSON',
        SystemLogLevel: 'WARN',
        ApplicationLogLevel: 'INFO',
      },
    });
    expect(functionOf(name).ReservedConcurrentExecutions).toBeUndefined();
  });

  it.each(names)('allow a recursive loop of %s only if it is on a cycle', (name) => {
    expect(functionOf(name).RecursiveLoop).toBe(onCycles().has(name) ? 'Allow' : 'Terminate');
  });

  it('reserve concurrency only if configured', () => {
    const { template: reserved } = synthesize({ RESERVED_CONCURRENCY: 'ingest=100' });
    const found = Object.values(reserved.findResources('AWS::Lambda::Function')).filter(
      (one) => one.Properties.ReservedConcurrentExecutions !== undefined,
    );
    expect(found.map((one) => one.Properties.Description)).toEqual(['Fleetwatch ingest']);
  });

  it('keep logs for LOG_RETENTION_DAYS', () => {
    for (const group of all('AWS::Logs::LogGroup')) expect(group.RetentionInDays).toBe(30);
    expect(all('AWS::Logs::LogGroup')).toHaveLength(names.length + 1);
  });
});

describe('queues of the topology', () => {
  it.each(Object.entries(queues))(
    'feed %s to its function in small batches and keep its dead letters',
    (name, spec) => {
      const { id, VisibilityTimeout, RedrivePolicy } = all('AWS::SQS::Queue').find((one) => one.id === queueId(name));
      // A message must stay hidden until its function has ended, but the retry of an alert must not wait long.
      expect(VisibilityTimeout).toBeGreaterThan(functions[spec.consumer].timeout_seconds);
      if (['notify', 'delivery', 'plan'].includes(name)) expect(VisibilityTimeout).toBeLessThanOrEqual(30);
      expect(RedrivePolicy.maxReceiveCount).toBe(spec.max_receives);
      const source = all('AWS::Lambda::EventSourceMapping').find((one) => one.EventSourceArn['Fn::GetAtt'][0] === id);
      expect(source).toMatchObject({
        FunctionName: { Ref: functionOf(spec.consumer).id },
        BatchSize: Math.min(10, spec.batch),
        MaximumBatchingWindowInSeconds: 0,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      });
    },
  );
});

describe('readers of the stream', () => {
  it.each(streams)('deliver new items to $name, with retries for a day', ({ function: reader, sk_prefixes }) => {
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
    const patterns = source.FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern));
    expect(patterns).toEqual(
      sk_prefixes.map((prefix) => ({ eventName: ['INSERT'], dynamodb: { NewImage: { sk: { S: [{ prefix }] } } } })),
    );
  });
});

it.each(schedules)('sends the scheduled time of $name to its queue, and keeps failed messages', ({ queue }) => {
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

describe('HTTP API', () => {
  it('routes each path of the topology to its function, except streaming ones', () => {
    const expected = routes
      .filter((route) => !functions[route.function].streams)
      .map(({ method, path, function: name }) => [
        method === 'ANY' && path === '/{proxy+}' ? '$default' : `${method} ${path}`,
        functionOf(name).id,
      ]);
    const integrations = new Map(all('AWS::ApiGatewayV2::Integration').map((one) => [one.id, one.IntegrationUri]));
    const routed = all('AWS::ApiGatewayV2::Route').map(({ RouteKey, Target }) => {
      const [prefix, { Ref }] = Target['Fn::Join'][1];
      expect(prefix).toBe('integrations/');
      return [RouteKey, integrations.get(Ref)['Fn::GetAtt'][0]];
    });
    expect(routed.sort()).toEqual(expected.sort());
    for (const one of all('AWS::ApiGatewayV2::Integration')) expect(one.PayloadFormatVersion).toBe('2.0');
  });

  it('has the name of its stack', () => {
    const { template: blue } = synthesize({ STACK_NAME: 'blue' });
    expect(ofType(blue, 'AWS::ApiGatewayV2::Api').map((one) => one.Name)).toEqual(['blue']);
  });

  it('throttles as configured', () => {
    const { template: slow } = synthesize({ THROTTLE_RATE: '7', THROTTLE_BURST: '9' });
    slow.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      DefaultRouteSettings: { ThrottlingRateLimit: 7, ThrottlingBurstLimit: 9 },
    });
  });

  it.each([
    [{}, [500, 1000], [2000, 1250]],
    [{ THROTTLE_PUSH_RATE: '5000' }, [500, 1000], [5000, 5000]],
  ])('requests no burst above the quota of an account: %o', (settings, requests, pushes) => {
    const [stage] = ofType(synthesize(settings).template, 'AWS::ApiGatewayV2::Stage');
    const limit = (one: Json) => [one.ThrottlingRateLimit, one.ThrottlingBurstLimit];
    expect(limit(stage.DefaultRouteSettings)).toEqual(requests);
    const { 'ANY /status/{proxy+}': visits, 'ANY /badge/{proxy+}': badges, ...others } = stage.RouteSettings;
    expect([limit(visits), limit(badges)]).toEqual([
      [200, 400],
      [200, 400],
    ]);
    for (const one of Object.values<Json>(others)) expect(limit(one)).toEqual(pushes);
  });

  it('logs no paths, because the paths of pings, alert links and calendars are secrets', () => {
    const [{ AccessLogSettings }] = ofType(template, 'AWS::ApiGatewayV2::Stage');
    const logged = JSON.parse(AccessLogSettings.Format);
    expect(logged.route).toBe('$context.routeKey');
    expect(Object.values(logged).join(' ')).not.toMatch(/\bpath|\buri|resourcePath/i);
  });

  it('throttles pushes separately, so that other requests never cause a rejected heartbeat', () => {
    const { template: own } = synthesize({ THROTTLE_PUSH_RATE: '70' });
    const limit = { ThrottlingRateLimit: 70, ThrottlingBurstLimit: 140 };
    own.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      RouteSettings: { 'POST /v1/checks/{id}/results': limit, 'POST /v1/checks/{id}/heartbeat': limit },
    });
  });

  it('allows pages of any origin, or of named origins', () => {
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

describe('tags', () => {
  it('name the stack of each resource, to separate its costs', () => {
    const { template: blue } = synthesize({ STACK_NAME: 'blue' });
    const tag = { Key: 'Application', Value: 'blue' };
    for (const type of [
      'AWS::Lambda::Function',
      'AWS::SQS::Queue',
      'AWS::Logs::LogGroup',
      'AWS::CloudWatch::Alarm',
      'AWS::SNS::Topic',
      'AWS::IAM::Role',
      'AWS::CloudFront::Distribution',
    ]) {
      expect(ofType(blue, type).length).toBeGreaterThan(0);
      for (const one of ofType(blue, type)) expect([type, one.Tags]).toEqual([type, [tag]]);
    }
    expect(ofType(blue, 'AWS::ApiGatewayV2::Api')[0].Tags).toEqual({ Application: 'blue' });
    expect(ofType(blue, 'AWS::DynamoDB::GlobalTable')[0].Replicas[0].Tags).toEqual([tag]);
  });
});
