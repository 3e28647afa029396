import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CLIENT_SETTINGS } from '#lib/aws/client-settings.ts';
import { dynamoTable } from '#lib/aws/dynamodb-table.ts';
import { type OwnVpc, queueUrls, readFunctionVariables } from '#lib/aws/environment.ts';
import type { Ports } from '#lib/env.ts';
import type { Net } from '#lib/net/net.ts';
import { NO_ASSETS } from '#lib/platform/assets.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { makeIds } from '#lib/platform/ids.ts';
import { lazy } from '#lib/platform/lazy.ts';
import type { Bus, Files, Metrics, Queues } from '#lib/platform/ports.ts';
import { cpuBudget, runInline } from '#lib/platform/sharing/cpu-budget.ts';
import type { Limiter } from '#lib/platform/sharing/rates.ts';
import type { Settings } from '#lib/settings.ts';
import { type LambdaLog, lambdaLog } from './lambda.ts';
import { readLambdaSettings } from './settings-and-log.ts';

/** Creates the bus; passed only by functions that publish, because its client is a large part of a bundle. */
export type MakeBus = (name: string) => Bus;
/** Creates the port of published files; passed only by functions that use it, because it bundles a request signer. */
type MakeFiles = (bucket: string) => Files;
type MakeNet = (settings: Settings, vpc: OwnVpc) => Net;

const NO_BUS: MakeBus = () => ({ publish: () => Promise.reject(new Error('This function has no bus.')) });

const NO_NET: MakeNet = () => {
  const noNetwork = () => Promise.reject(new Error('This function has no network (infra/topology.ts).'));
  return { http: noNetwork, open: noNetwork, resolve: noNetwork, guard: noNetwork };
};

const NO_FILES: MakeFiles = () => {
  const noFiles = () => Promise.reject(new Error('This function has no published files (infra/topology.ts).'));
  return { get: noFiles, put: noFiles, remove: noFiles };
};

const NO_METRICS: Metrics = {
  count: () => {
    throw new Error('This function has no metrics (infra/aws/bundle/entry.ts).');
  },
};

const NO_LIMITER: Limiter = {
  rates: undefined,
  takeForAccount: () => {
    throw new Error('This function has no limiter (infra/aws/bundle/entry.ts).');
  },
  takeForAddress: () => undefined,
};

/** Loads the client with the first message, because most invocations send none. */
function lazyQueues(urls: Readonly<Record<string, string>>): Queues {
  const queues = lazy(async () => (await import('#lib/aws/lambda/lambda-queues.ts')).lambdaQueues(urls));
  return { send: async (queue, messages) => (await queues()).send(queue, messages) };
}

type Parts = { makeBus?: MakeBus; makeNet?: MakeNet; makeFiles?: MakeFiles };

/** Returns the ports of a function that may send to `queues`. Throws an error that names an invalid variable. */
export function lambdaPorts(
  env: Record<string, string | undefined>,
  queues: readonly string[],
  { makeBus = NO_BUS, makeNet = NO_NET, makeFiles = NO_FILES }: Parts = {},
): Ports & { log: LambdaLog } {
  const { TABLE_NAME, BUS_NAME, PUBLIC_BUCKET, IN_VPC, LOG_LEVEL, POWERTOOLS_SERVICE_NAME } =
    readFunctionVariables(env);
  const settings = withoutLoopback(readLambdaSettings(env));
  const ids = makeIds(systemClock);
  return {
    table: dynamoTable({ client: new DynamoDBClient(CLIENT_SETTINGS), table: TABLE_NAME, clock: systemClock, ids }),
    queues: lazyQueues(queueUrls(env, queues)),
    bus: makeBus(BUS_NAME),
    files: makeFiles(PUBLIC_BUCKET),
    net: makeNet(settings, IN_VPC),
    clock: systemClock,
    ids,
    log: lambdaLog(LOG_LEVEL, POWERTOOLS_SERVICE_NAME),
    metrics: NO_METRICS,
    limiter: NO_LIMITER,
    cpu: cpuBudget(systemClock, runInline),
    settings,
    assets: NO_ASSETS,
  };
}

/** Excludes loopback from `any`, because the Lambda runtime API on loopback would give a check other tenants' jobs. */
const withoutLoopback = (settings: Settings): Settings => ({
  ...settings,
  CHECK_EGRESS: settings.CHECK_EGRESS === 'any' ? 'any-but-self' : settings.CHECK_EGRESS,
});
