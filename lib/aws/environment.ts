import * as z from 'zod';
import { LOG_LEVELS } from '#lib/platform/log.ts';
import { readSettings } from '#lib/settings.ts';

/** The variable that holds the URL of a queue, in every function that may send to it. */
export const queueVariable = (queue: string): string => `QUEUE_URL_${queue.toUpperCase().replaceAll('-', '_')}`;

/** The variable that holds the secret by which CloudFront is known, in every function that answers requests. */
export const EDGE_SECRET = 'EDGE_SECRET';

/** How a function logs. */
const Logging = z.object({
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
  POWERTOOLS_SERVICE_NAME: z.string().default('fleetwatch'),
});

/** What a function is told of its surroundings, beside the operator's settings. */
const Surroundings = z.object({
  ...Logging.shape,
  TABLE_NAME: z.string().min(1),
  /** Only where a function publishes. */
  BUS_NAME: z.string().default(''),
  /** Its connections go through a VPC of the operator's. */
  IN_VPC: z.enum(['', 'true']).default(''),
});

type Environment = Record<string, string | undefined>;

/** Parses a function's environment; throws one sentence that names what is wrong or missing. */
export const readSurroundings = (env: Environment) => readSettings(env, Surroundings);

/** The same of a function that has nothing but its log. */
export const readLogging = (env: Environment) => readSettings(env, Logging);

/** The URLs of the queues that this function may send to, by their names. */
export const queueUrls = (env: Environment, queues: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    queues.flatMap((queue) => {
      const url = env[queueVariable(queue)];
      return url ? [[queue, url]] : [];
    }),
  );
