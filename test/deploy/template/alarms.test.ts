import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { entryOf } from '#infra/aws/bundle/entry.ts';
import { type FunctionName, functions, queues, schedules, streams } from '#infra/topology.ts';
import { LOOKAHEAD_MS } from '#lib/schedule/watermark.ts';
import { functionIn, type Json, ofType, queueIn, synthesize } from './synthesized.ts';

const { template } = synthesize();
const all = (type: string) => ofType(template, type);
const alarms = all('AWS::CloudWatch::Alarm');
const names = Object.keys(functions) as FunctionName[];
const fed = names.filter((name) => entryOf(name).includes('batchMetrics'));
const asked = names.filter((name) => entryOf(name).includes('leaseLimiter'));
const ofMetric = (name: string) => alarms.filter((one) => one.MetricName === name);
/** Functions that stand between a change of state and what it sets off. */
const ALERTING: FunctionName[] = ['notifier', 'deliverer', 'action-planner'];
const dimensionOf = (alarm: Json, dimension: string) =>
  alarm.Dimensions.find((one: Json) => one.Name === dimension).Value;

describe('an alarm', () => {
  it.each([
    ['the schedule is late or silent', 'ScheduleLag', 'breaching'],
    ['probes wait', 'ApproximateAgeOfOldestMessage', 'notBreaching'],
    ['transitions wait', 'IteratorAge', 'notBreaching'],
    ['alerts do not arrive', 'FailedDeliveries', 'notBreaching'],
    ['functions are throttled', 'Throttles', 'notBreaching'],
    ['the account has little concurrency left', 'ClaimedAccountConcurrency', 'notBreaching'],
    ['Lambda stops a chain of invocations', 'RecursiveInvocationsDropped', 'notBreaching'],
    ['functions fail', 'Errors', 'notBreaching'],
    ['functions fail on a part of their work', 'FailedRecords', 'notBreaching'],
    ['the table throttles', 'WriteThrottleEvents', 'notBreaching'],
    ['the API fails', '5xx', 'notBreaching'],
    ['the API refuses heartbeats', 'ThrottledPushes', 'notBreaching'],
    ['pings are refused for their rate', 'RefusedPings', 'notBreaching'],
    ['pings lead nowhere', 'UnknownPings', 'notBreaching'],
    ['an address that streams fails', 'Url5xxCount', 'notBreaching'],
  ])('rings when %s', (_, MetricName, TreatMissingData) => {
    expect(ofMetric(MetricName)[0]).toMatchObject({ TreatMissingData });
  });

  it('rings at the first heartbeat or result that the API refuses by itself, by its access log', () => {
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

  it('watches what each function that is fed gives back, as that is no error of the function', () => {
    expect(fed).toContain('generator');
    expect(ofMetric('FailedRecords').map((one) => dimensionOf(one, 'service'))).toEqual(fed);
    for (const one of ofMetric('FailedRecords')) {
      const EvaluationPeriods = ALERTING.includes(dimensionOf(one, 'service')) ? 1 : 5;
      expect(one).toMatchObject({ Threshold: 0, EvaluationPeriods });
    }
  });

  it.each(ALERTING)('calls somebody by the first failure of ours of the %s, as an alert waits meanwhile', (name) => {
    const FunctionName = { Ref: functionIn(template, name).id };
    const errors = ofMetric('Errors').find((one) => dimensionOf(one, 'FunctionName').Ref === FunctionName.Ref);
    expect(errors).toMatchObject({ Threshold: 0, EvaluationPeriods: 1 });
  });

  it('calls somebody by the first throttle of any function', () => {
    expect(ofMetric('Throttles')).toHaveLength(names.length);
    for (const one of ofMetric('Throttles')) expect(one).toMatchObject({ Threshold: 0, EvaluationPeriods: 1 });
  });

  it('on concurrency rings at four fifths of what the account has', () => {
    const claimed = (settings: Record<string, string>) =>
      ofType(synthesize(settings).template, 'AWS::CloudWatch::Alarm').find(
        (one) => one.MetricName === 'ClaimedAccountConcurrency',
      );
    expect(claimed({}).Threshold).toBe(800);
    expect(claimed({ CONCURRENCY: '10' }).Threshold).toBe(8);
  });

  it('watches the address of every function that streams or is pinged, which the metrics of the API do not see', () => {
    const streamed = [...names.filter((name) => functions[name].streams), 'ingest' as const];
    const watched = ofMetric('Url5xxCount').map((one) => dimensionOf(one, 'FunctionName'));
    expect(watched).toEqual(streamed.map((name) => ({ Ref: functionIn(template, name).id })));
  });

  it('takes no message for late that was sent ahead of its time', () => {
    const watched = ofMetric('ApproximateAgeOfOldestMessage');
    expect(watched.map((one) => dimensionOf(one, 'QueueName')['Fn::GetAtt'][0])).toEqual(
      ['job', 'deadline', 'notify', 'delivery'].map((name) => queueIn(template, name)),
    );
    const [job, timer, notify, delivery] = watched.map((one) => one.Threshold);
    // Whoever writes a check sends what is due until the generator takes over: now + 2 × the lookahead at most.
    for (const ahead of [job, timer]) expect(ahead).toBeGreaterThan((2 * LOOKAHEAD_MS) / 1000 + 10);
    // A receiver that asks for patience (429) is left alone for 14 min at most.
    expect(delivery).toBeGreaterThan(14 * 60);
    expect(notify).toBeLessThan(120);
  });
});

describe('the topic of the alarms', () => {
  const [topic] = all('AWS::SNS::Topic');

  it('is told by each of them, and tells whom the setting names', () => {
    for (const alarm of alarms) expect(alarm.AlarmActions).toEqual([{ Ref: topic.id }]);
    expect(all('AWS::SNS::Subscription')).toEqual([]);
    synthesize({ ALARM_EMAIL: 'ops@example.com' }).template.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'ops@example.com',
    });
  });

  it("lets CloudWatch of the same account publish; a policy of one's own leaves nothing of the default one", () => {
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

describe('the metrics of our own', () => {
  it('are not made of lines that LOG_LEVEL turns off', () => {
    const ofFunctions = names.map((name) => functionIn(template, name).LoggingConfig.LogGroup.Ref);
    const filtered = all('AWS::Logs::MetricFilter').map((one) => one.LogGroupName.Ref);
    expect(ofFunctions.filter((group) => filtered.includes(group))).toEqual([]);
  });

  it.each(['blue', 'green'])('of the stack %s stand apart from those of another', (STACK_NAME) => {
    const { template: one } = synthesize({ STACK_NAME });
    const namespace = `Fleetwatch/${STACK_NAME}`;
    for (const name of names) {
      const { Variables } = functionIn(one, name).Environment;
      expect(Variables).toMatchObject({ POWERTOOLS_METRICS_NAMESPACE: namespace });
    }
    const own = ofType(one, 'AWS::CloudWatch::Alarm').filter((alarm) => !alarm.Namespace.startsWith('AWS/'));
    // Beside those of each: failed deliveries, late probes, refused pushes, and the limiter of what is asked.
    expect(asked).toContain('ingest');
    expect(own).toHaveLength(schedules.length + fed.length + 1 + 1 + 2 + 1 + asked.length);
    for (const alarm of own) expect(alarm.Namespace).toBe(namespace);
    const shown = shownOn(one).map(([first]) => first!);
    expect(new Set(shown.filter((name) => !name.startsWith('AWS/')))).toEqual(new Set([namespace]));
  });
});

/** Every metric of the dashboards: namespace, name, and names and values of its dimensions. */
function shownOn(from: typeof template): string[][] {
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

it('the dashboard shows the metric of every alarm', () => {
  const shown = new Set(shownOn(template).map((metric) => metric.join(' ')));
  for (const { Namespace, MetricName, Dimensions = [] } of alarms) {
    const dimensions = Dimensions.flatMap(({ Name, Value }: Json) => [
      Name,
      typeof Value === 'string' ? Value : JSON.stringify(Value),
    ]);
    expect(shown).toContain([Namespace, MetricName, ...dimensions].join(' '));
  }
});

it('the dashboards have 50 metrics at most, above which each costs three dollars a month', () => {
  const dashboards = ofType(template, 'AWS::CloudWatch::Dashboard');
  expect(dashboards.length).toBeLessThanOrEqual(3);
  for (const { DashboardBody } of dashboards) expect(metricsIn(DashboardBody).length).toBeLessThanOrEqual(50);
});

it('docs/operate/aws-monitor.md says how many alarms there are, as each is paid for', () => {
  const page = readFileSync('docs/operate/aws-monitor.md', 'utf8').replaceAll(/\s+/g, ' ');
  const said = /(\d+) alarms \(\$([\d.]+) a month\)/.exec(page)?.slice(1);
  expect(said).toEqual([`${alarms.length}`, (alarms.length * 0.1).toFixed(2)]);
});
