import { SQSClient } from '@aws-sdk/client-sqs';
import { CLIENT_SETTINGS } from '#lib/aws/client-settings.ts';
import { sqsQueues } from '#lib/aws/sqs-queues.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { makeIds } from '#lib/platform/ids.ts';
import type { Queues } from '#lib/platform/ports.ts';

/** Returns the queues of a function. @param urls by queue name in the topology */
export const lambdaQueues = (urls: Readonly<Record<string, string>>): Queues =>
  sqsQueues({ client: new SQSClient(CLIENT_SETTINGS), urls, clock: systemClock, ids: makeIds(systemClock) });
