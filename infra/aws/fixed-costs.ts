import { App, CfnResource, type Stack } from 'aws-cdk-lib';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { BUNDLING_STACKS } from 'aws-cdk-lib/cx-api';
import { ASSUMED, MINUTES_A_MONTH, runsOf } from './scale.ts';
import type { DeploySettings } from './settings.ts';
import { FleetwatchStack } from './stack.ts';

/** List prices in us-east-1: $ a month for each alarm, secret and metric, and $ per million schedule calls. */
const PRICES = {
  alarm: 0.1,
  secret: 0.4,
  /** A metric of the service. If nothing fails, only ScheduleLag is written. */
  own_metric: 0.3,
  schedule_calls: 1,
} as const;

/** Pollers of a queue, each with long polls of 20 s; five pollers if CONCURRENCY bounds the queue. */
const POLLING = { pollers: 2, bounded_pollers: 5, polls_a_minute: 3 } as const;

/** Use of one tick: queue requests (send, receive, delete); table units per shard (watermark, entries); Lambda GB-s. */
const TICK = { queue_requests: 3, writes: 1, reads: 1.5, gb_seconds: 0.02 } as const;

/** Number and price ($ a month) of the resources that cost money without checks. */
export type FixedCosts = {
  alarms: { count: number; dollars: number };
  /** Pollers of queues. `bounded_dollars`: price of the pollers that CONCURRENCY adds. */
  pollers: { count: number; dollars: number; bounded_dollars: number };
  ticks: { count: number; dollars: number };
  secrets: { count: number; dollars: number };
  metric: { count: number; dollars: number };
};

function fixedCosts(stack: Stack, { SHARDS }: Pick<DeploySettings, 'SHARDS'>): FixedCosts {
  const resources = stack.node.findAll().filter(CfnResource.isCfnResource);
  const countOf = (type: string) => resources.filter((one) => one.cfnResourceType === type).length;
  const perUnit = (count: number, price: number) => ({ count, dollars: count * price });
  // Without the event sources of streams, which have a starting position: Lambda reads streams free of charge.
  const ofQueues = resources.filter(
    (one): one is CfnEventSourceMapping =>
      one.cfnResourceType === CfnEventSourceMapping.CFN_RESOURCE_TYPE_NAME &&
      (one as CfnEventSourceMapping).startingPosition === undefined,
  );
  const bounded = ofQueues.filter((one) => one.scalingConfig !== undefined).length;
  const added = bounded * (POLLING.bounded_pollers - POLLING.pollers);
  const pollers = ofQueues.length * POLLING.pollers + added;
  return {
    alarms: perUnit(countOf('AWS::CloudWatch::Alarm'), PRICES.alarm),
    pollers: { ...perUnit(pollers, POLLER), bounded_dollars: added * POLLER },
    ticks: perUnit(countOf('AWS::Scheduler::Schedule'), tickDollars(SHARDS)),
    secrets: perUnit(countOf('AWS::SecretsManager::Secret'), PRICES.secret),
    metric: perUnit(1, PRICES.own_metric),
  };
}

export const fixedCostsOf = (settings: DeploySettings): FixedCosts =>
  // Without bundles, because only the resources count.
  fixedCosts(new FleetwatchStack(new App({ context: { [BUNDLING_STACKS]: [] } }), settings), settings);

/** Returns the price of a month of pollers and ticks: all that an idle stack costs in requests. */
export const idleDollars = ({ pollers, ticks }: FixedCosts): number => pollers.dollars + ticks.dollars;

/** Returns the price of a month of alarms, the metric of the service and the secret. */
export const watchDollars = ({ alarms, metric, secrets }: FixedCosts): number =>
  alarms.dollars + metric.dollars + secrets.dollars;

/** Price of a poller in $ a month. */
const POLLER = (POLLING.polls_a_minute * MINUTES_A_MONTH * ASSUMED.queue_request) / 1e6;

/** Returns the price of a month of ticks without entries, one a minute. */
function tickDollars(shards: number): number {
  const a = ASSUMED;
  const requests = PRICES.schedule_calls + TICK.queue_requests * a.queue_request;
  const run = a.invocation + TICK.gb_seconds * a.gb_second;
  const units = shards * (TICK.writes * a.write_unit + TICK.reads * a.read_unit);
  return ((requests + runsOf(shards) * run + units) * MINUTES_A_MONTH) / 1e6;
}
