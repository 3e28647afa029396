import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CLIENT_SETTINGS } from '#lib/aws/client-settings.ts';
import { dynamoTable } from '#lib/aws/dynamodb-table.ts';
import { queueUrls, readSurroundings } from '#lib/aws/environment.ts';
import type { Ports } from '#lib/env.ts';
import type { Net } from '#lib/net/net.ts';
import { NO_ASSETS } from '#lib/platform/assets.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { makeIds } from '#lib/platform/ids.ts';
import { lazy } from '#lib/platform/lazy.ts';
import type { Bus, Metrics, Queues } from '#lib/platform/ports.ts';
import type { Limiter } from '#lib/platform/sharing/rates.ts';
import { readSettings, type Settings } from '#lib/settings.ts';
import { type LambdaLog, lambdaLog } from './lambda.ts';

/** What makes the bus of a function; given only to those that publish, as its client is a large part of a bundle. */
export type MakeBus = (name: string) => Bus;
/** What makes the network of a function; given only to those that reach out, for the same reason. */
type MakeNet = (settings: Settings, inVpc: boolean) => Net;

const NO_BUS: MakeBus = () => ({ publish: () => Promise.reject(new Error('This function publishes nothing.')) });

const NO_NET: MakeNet = () => {
  const none = () => Promise.reject(new Error('This function reaches nobody (infra/topology.ts).'));
  return { http: none, open: none, resolve: none, guard: none };
};

const NO_METRICS: Metrics = {
  count: () => {
    throw new Error('This function counts nothing (infra/aws/bundle/entry.ts).');
  },
};

const NO_LIMITER: Limiter = {
  rates: undefined,
  takeOf: () => {
    throw new Error('This function answers no requests (infra/aws/bundle/entry.ts).');
  },
  takeAt: () => undefined,
};

/** Their client is loaded with the first message: most runs of most functions send none. */
function lateQueues(urls: Readonly<Record<string, string>>): Queues {
  const queues = lazy(async () => (await import('#lib/aws/lambda/lambda-queues.ts')).lambdaQueues(urls));
  return { send: async (queue, messages) => (await queues()).send(queue, messages) };
}

/**
 * The world of one function on AWS, from its environment. Throws one sentence when the environment is wrong.
 * @param queues names of the queues that it may send to
 * @param parts what not every function has in its bundle
 */
export function lambdaPorts(
  env: Record<string, string | undefined>,
  queues: readonly string[],
  { makeBus = NO_BUS, makeNet = NO_NET }: { makeBus?: MakeBus; makeNet?: MakeNet } = {},
): Ports & { log: LambdaLog } {
  const { TABLE_NAME, BUS_NAME, IN_VPC, LOG_LEVEL, POWERTOOLS_SERVICE_NAME } = readSurroundings(env);
  const settings = withoutSelf(readSettings(env));
  const ids = makeIds(systemClock);
  return {
    table: dynamoTable({ client: new DynamoDBClient(CLIENT_SETTINGS), table: TABLE_NAME, clock: systemClock, ids }),
    queues: lateQueues(queueUrls(env, queues)),
    bus: makeBus(BUS_NAME),
    net: makeNet(settings, IN_VPC === 'true'),
    clock: systemClock,
    ids,
    log: lambdaLog(LOG_LEVEL, POWERTOOLS_SERVICE_NAME),
    metrics: NO_METRICS,
    limiter: NO_LIMITER,
    settings,
    assets: NO_ASSETS,
  };
}

/**
 * Beside every function its runtime listens on loopback and hands out the next event to whoever asks. A check that went
 * there would take away other tenants' jobs, so `any` ends here; EGRESS_ALLOW still opens what it names.
 */
const withoutSelf = (settings: Settings): Settings => ({
  ...settings,
  CHECK_EGRESS: settings.CHECK_EGRESS === 'any' ? 'any-but-self' : settings.CHECK_EGRESS,
});
