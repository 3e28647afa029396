import * as z from 'zod';
import { LOG_LEVELS } from '#lib/platform/log.ts';
import { readSettings } from '#lib/settings.ts';

/** Returns the name of the variable with a queue's URL, set in each function that may send to it. */
export const queueVariable = (queue: string): string => `QUEUE_URL_${queue.toUpperCase().replaceAll('-', '_')}`;

export type SecretSetting = 'NATS_URL' | 'SMTP_URL' | 'OIDC_CLIENT_SECRET';

/** Returns the name of the variable with the name of a setting's secret, set in each function that reads it. */
export const secretVariable = (setting: SecretSetting): string => `${setting}_SECRET`;

/** Name of the variable with the secret that identifies CloudFront, set in each function that serves requests. */
export const EDGE_SECRET = 'EDGE_SECRET';

const LogEnvironment = z.object({
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
  POWERTOOLS_SERVICE_NAME: z.string().default('fleetwatch'),
});

const Variables = z.object({
  ...LogEnvironment.shape,
  TABLE_NAME: z.string().min(1),
  BUS_NAME: z.string().default(''),
  PUBLIC_BUCKET: z.string().default(''),
  IN_VPC: z.enum(['', 'ipv4', 'ipv6']).default(''),
});

/** Network of a function. Empty: that of AWS Lambda; else the IP version of a VPC of the operator. */
export type OwnVpc = z.output<typeof Variables>['IN_VPC'];

type RawVariables = Record<string, string | undefined>;

/** Parses a function's variables. Throws an error that names an invalid or missing variable. */
export const readFunctionVariables = (env: RawVariables) => readSettings(env, Variables);

/** Parses the variables of a function that needs only a log. */
export const readLogging = (env: RawVariables) => readSettings(env, LogEnvironment);

/** Returns the URLs of the queues that this function may send to, by name. */
export const queueUrls = (env: RawVariables, queues: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    queues.flatMap((queue) => {
      const url = env[queueVariable(queue)];
      return url ? [[queue, url]] : [];
    }),
  );
