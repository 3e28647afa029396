import { SQSClient } from '@aws-sdk/client-sqs';
import { systemClock } from '#lib/platform/clock.ts';
import { makeIds } from '#lib/platform/ids.ts';
import type { Queues } from '#lib/platform/ports.ts';
import { CLIENT_SETTINGS } from './client-settings.ts';
import { sqsQueues } from './sqs-queues.ts';

/** The queues that a function sends to. @param urls of each by its name in the topology */
export const lambdaQueues = (urls: Readonly<Record<string, string>>): Queues =>
  sqsQueues({ client: new SQSClient(CLIENT_SETTINGS), urls, clock: systemClock, ids: makeIds(systemClock) });
