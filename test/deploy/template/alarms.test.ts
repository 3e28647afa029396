import { describe, expect, it } from 'vitest';
import { entryOf } from '#infra/aws/bundle/entry.ts';
import { fixedCostsOf } from '#infra/aws/fixed-costs.ts';
import { DeploySettings } from '#infra/aws/settings.ts';
import { type FunctionName, functions, queues, schedules, streams } from '#infra/topology.ts';
import { LOOKAHEAD_MS } from '#lib/schedule/watermark.ts';
import { functionIn, type Json, ofType, queueIn, synthesize } from './synthesized.ts';

const { template } = synthesize();
const all = (type: string) => ofType(template, type);
const alarms = all('AWS::CloudWatch::Alarm');
const names = Object.keys(functions) as FunctionName[];
const consumers = names.filter((name) => entryOf(name).includes('batchMetrics'));
// `public` limits rates in memory, so its limiter has no alarm.
const limited = names.filter((name) => entryOf(name).includes('leaseLimiter') && name !== 'public');
const ofMetric = (name: string) => alarms.filter((one) => one.MetricName === name);
/** Functions between a state change and its alert or action. */
const ALERTING: FunctionName[] = ['notifier', 'deliverer', 'action-planner'];
const dimensionOf = (alarm: Json, dimension: string) =>
  alarm.Dimensions.find((one: Json) => one.Name === dimension).Value;

describe('makeAlarms', () => {
  it.each([
    ['the schedule is late or stopped', 'ScheduleLag', 'breaching'],
    ['probes wait', 'ApproximateAgeOfOldestMessage', 'notBreaching'],
    ['transitions wait', 'IteratorAge', 'notBreaching'],
    ['alerts do not arrive', 'FailedDeliveries', 'notBreaching'],
    ['functions are throttled', 'Throttles', 'notBreaching'],
    ['the account has little concurrency left', 'ClaimedAccountConcurrency', 'notBreaching'],
    ['Lambda stops a recursive loop', 'RecursiveInvocationsDropped', 'notBreaching'],
    ['functions fail', 'Errors', 'notBreaching'],
    ['functions fail on some records', 'FailedRecords', 'notBreaching'],
    ['the table throttles', 'WriteThrottleEvents', 'notBreaching'],
    ['the API fails', '5xx', 'notBreaching'],
    ['the API rejects heartbeats', 'ThrottledPushes', 'notBreaching'],
    ['pings are rejected for their rate', 'RefusedPings', 'notBreaching'],
    ['ping URLs do not exist', 'UnknownPings', 'notBreaching'],
    ['a streaming URL fails', 'Url5xxCount', 'notBreaching'],
  ])('alarms when %s', (_, MetricName, TreatMissingData) => {
    expect(ofMetric(MetricName)[0]).toMatchObject({ TreatMissingData });
  });

  it('alarms at the first heartbeat or result that API Gateway throttles, counted in its access log', () => {
    const [filter] = all('AWS::Logs::MetricFilter');
    const [alarm] = ofMetric('ThrottledPushes');
    expect(alarm).toMatchObject({ Threshold: 0, EvaluationPeriods: 1, Period: 60, Statistic: 'Sum' });
    expect(filter.MetricTransformations).toEqual([
      { MetricName: 'ThrottledPushes', MetricNamespace: alarm.Namespace, MetricValue: '1' },
    ]);
    const routes = ['POST /v1/checks/{id}/results', 'POST /v1/checks/{id}/heartbeat', 'ANY /ping/{proxy+}'];
    const ofPushes = routes.map((route) => `($.route = "${route}")`).join(' || ');
    expect(filter.FilterPattern).toBe(`{ ($.status = "429") && ($.integration_status = "-") && (${ofPushes}) }`);
    const [stage] = all('AWS::ApiGatewayV2::Stage');
    expect(JSON.parse(stage.AccessLogSettings.Format)).toMatchObject({
      route: '$context.routeKey',
      status: '$context.status',
      integration_status: '$context.integrationStatus',
    });
    expect(stage.AccessLogSettings.DestinationArn['Fn::GetAtt'][0]).toBe(filter.LogGroupName.Ref);
  });

  it('watches every dead-letter queue', () => {
    const dead = all('AWS::SQS::Queue').filter((one) => one.id.startsWith('Dead'));
    expect(dead).toHaveLength(Object.keys(queues).length + streams.length + schedules.length);
    for (const { id } of dead) {
      const alarm = alarms.find((one) => one.Dimensions?.[0]?.Value?.['Fn::GetAtt']?.[0] === id);
      expect(alarm).toMatchObject({ MetricName: 'ApproximateNumberOfMessagesVisible', Threshold: 0 });
    }
  });

  it('watches the failed records of each consumer, which are not errors of the function', () => {
    expect(consumers).toContain('generator');
    expect(ofMetric('FailedRecords').map((one) => dimensionOf(one, 'service'))).toEqual(consumers);
    for (const one of ofMetric('FailedRecords')) {
      const EvaluationPeriods = ALERTING.includes(dimensionOf(one, 'service')) ? 1 : 5;
      expect(one).toMatchObject({ Threshold: 0, EvaluationPeriods });
    }
  });

  it.each(ALERTING)('alarms at the first internal error of the %s, because an alert is delayed', (name) => {
    const FunctionName = { Ref: functionIn(template, name).id };
    const errors = ofMetric('Errors').find((one) => dimensionOf(one, 'FunctionName').Ref === FunctionName.Ref);
    expect(errors).toMatchObject({ Threshold: 0, EvaluationPeriods: 1 });
  });

  it('alarms at the first throttle of any function, with one alarm on the metric of the account', () => {
    const [throttles, ...more] = ofMetric('Throttles');
    expect(throttles).toMatchObject({ Namespace: 'AWS/Lambda', Threshold: 0, EvaluationPeriods: 1 });
    expect(throttles.Dimensions).toBeUndefined();
    expect(more).toEqual([]);
  });

  it('alarms at four fifths of the concurrency of the account', () => {
    const claimed = (settings: Record<string, string>) =>
      ofType(synthesize(settings).template, 'AWS::CloudWatch::Alarm').find(
        (one) => one.MetricName === 'ClaimedAccountConcurrency',
      );
    expect(claimed({}).Threshold).toBe(800);
    expect(claimed({ CONCURRENCY: '10' }).Threshold).toBe(8);
  });

  it.each([
    ['', []],
    ['function', ['ingest']],
  ] as const)(
    'watches the URLs of functions, which metrics of the API do not cover: PING_URL "%s"',
    (PING_URL, pinged) => {
      const own = synthesize({ PING_URL }).template;
      const expected = [...names.filter((name) => functions[name].streams), ...pinged];
      const watched = ofType(own, 'AWS::CloudWatch::Alarm').filter((one) => one.MetricName === 'Url5xxCount');
      expect(watched.map((one) => dimensionOf(one, 'FunctionName'))).toEqual(
        expected.map((name) => ({ Ref: functionIn(own, name).id })),
      );
    },
  );

  it('does not count a message sent ahead of time as late', () => {
    const watched = ofMetric('ApproximateAgeOfOldestMessage');
    expect(watched.map((one) => dimensionOf(one, 'QueueName')['Fn::GetAtt'][0])).toEqual(
      ['job', 'deadline', 'notify', 'delivery'].map((name) => queueIn(template, name)),
    );
    const [job, deadline, notify, delivery] = watched.map((one) => one.Threshold);
    // Creating a check sends jobs until the generator takes over: at most now + 2 × the lookahead.
    for (const ahead of [job, deadline]) expect(ahead).toBeGreaterThan((2 * LOOKAHEAD_MS) / 1000 + 10);
    // After a 429 response, a message of a delivery is delayed by at most 14 min at a time.
    expect(delivery).toBeGreaterThan(14 * 60);
    expect(notify).toBeLessThan(120);
  });
});

describe('alarm topic', () => {
  const [topic] = all('AWS::SNS::Topic');

  it('receives all alarms and notifies the address of the setting', () => {
    for (const alarm of alarms) expect(alarm.AlarmActions).toEqual([{ Ref: topic.id }]);
    expect(all('AWS::SNS::Subscription')).toEqual([]);
    synthesize({ ALARM_EMAIL: 'ops@example.com' }).template.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'ops@example.com',
    });
  });

  it('lets CloudWatch of the account publish, because its policy replaces the default one', () => {
    const [policy, ...more] = all('AWS::SNS::TopicPolicy');
    expect(more).toEqual([]);
    expect(policy.Topics).toEqual([{ Ref: topic.id }]);
    const allowed = policy.PolicyDocument.Statement.filter((one: Json) => one.Effect === 'Allow');
    expect(allowed).toMatchObject([
      {
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Action: 'sns:Publish',
        Resource: { Ref: topic.id },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      },
    ]);
  });
});

describe('published metrics', () => {
  it('do not depend on log lines that LOG_LEVEL disables', () => {
    const ofFunctions = names.map((name) => functionIn(template, name).LoggingConfig.LogGroup.Ref);
    const filtered = all('AWS::Logs::MetricFilter').map((one) => one.LogGroupName.Ref);
    expect(ofFunctions.filter((group) => filtered.includes(group))).toEqual([]);
  });

  it.each(['blue', 'green'])('are separate per stack: %s', (STACK_NAME) => {
    const { template: one } = synthesize({ STACK_NAME });
    const namespace = `Fleetwatch/${STACK_NAME}`;
    for (const name of names) {
      const { Variables } = functionIn(one, name).Environment;
      expect(Variables).toMatchObject({ POWERTOOLS_METRICS_NAMESPACE: namespace });
    }
    const own = ofType(one, 'AWS::CloudWatch::Alarm').filter((alarm) => !alarm.Namespace.startsWith('AWS/'));
    // Lag of each schedule, failed records of each consumer, failed deliveries, late probes, rejected and unknown
    // pings, throttled pushes, and failures of each rate limiter.
    expect(limited).toContain('ingest');
    expect(own).toHaveLength(schedules.length + consumers.length + 1 + 1 + 2 + 1 + limited.length);
    for (const alarm of own) expect(alarm.Namespace).toBe(namespace);
    const shown = metricsOn(one).map(([first]) => first!);
    expect(new Set(shown.filter((name) => !name.startsWith('AWS/')))).toEqual(new Set([namespace]));
  });
});

/** Returns every metric of the dashboards: namespace, name, and names and values of its dimensions. */
function metricsOn(from: typeof template): string[][] {
  return ofType(from, 'AWS::CloudWatch::Dashboard').flatMap(({ DashboardBody }) => metricsIn(DashboardBody));
}

function metricsIn(DashboardBody: Json): string[][] {
  const parts: Json[] = DashboardBody['Fn::Join'][1];
  const inText = (part: Json) => (typeof part === 'string' ? part : JSON.stringify(JSON.stringify(part)).slice(1, -1));
  const { widgets } = JSON.parse(parts.map(inText).join(''));
  return widgets.flatMap((one: Json) =>
    one.properties.metrics.map((metric: Json[]) => metric.filter((part) => typeof part === 'string')),
  );
}

it('shows the metric of every alarm on a dashboard', () => {
  const shown = new Set(metricsOn(template).map((metric) => metric.join(' ')));
  for (const { Namespace, MetricName, Dimensions = [] } of alarms) {
    const dimensions = Dimensions.flatMap(({ Name, Value }: Json) => [
      Name,
      typeof Value === 'string' ? Value : JSON.stringify(Value),
    ]);
    expect(shown).toContain([Namespace, MetricName, ...dimensions].join(' '));
  }
});

it('limits each dashboard to 50 metrics, above which it costs three dollars a month', () => {
  const dashboards = ofType(template, 'AWS::CloudWatch::Dashboard');
  expect(dashboards.length).toBeLessThanOrEqual(3);
  for (const { DashboardBody } of dashboards) expect(metricsIn(DashboardBody).length).toBeLessThanOrEqual(50);
});

it('estimates the fixed costs from the number of alarms, pollers and secrets in the template', () => {
  const { alarms: ofBill, pollers, secrets } = fixedCostsOf(DeploySettings.parse({}));
  expect(ofBill.count).toBe(alarms.length);
  expect(pollers.count).toBe(2 * Object.keys(queues).length);
  expect(secrets.count).toBe(all('AWS::SecretsManager::Secret').length);
});

describe('budget of the account', () => {
  it('does not exist by default', () => {
    expect(all('AWS::Budgets::Budget')).toEqual([]);
  });

  it('mails the recipient of alarms at 80 % of the budget, and when the forecast exceeds it', () => {
    const { template: withBudget } = synthesize({ ALARM_EMAIL: 'ops@example.com', BUDGET_DOLLARS: '50' });
    const [budget] = ofType(withBudget, 'AWS::Budgets::Budget');
    expect(budget.Budget).toMatchObject({ TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 50, Unit: 'USD' } });
    expect(
      budget.NotificationsWithSubscribers.map(({ Notification, Subscribers }: Json) => [
        Notification.NotificationType,
        Notification.Threshold,
        Subscribers[0].Address,
      ]),
    ).toEqual([
      ['ACTUAL', 80, 'ops@example.com'],
      ['FORECASTED', 100, 'ops@example.com'],
    ]);
  });
});
