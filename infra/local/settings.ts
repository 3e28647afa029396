import * as z from 'zod';
import { LOG_LEVELS } from '#lib/platform/log.ts';
import { readSettings, type Settings, SettingsSchema, settingsError } from '#lib/settings.ts';
import { unknownSettings } from '#lib/unknown-settings.ts';
import { trustedProxies } from './http/client-address.ts';

/** Defaults that differ from AWS. Values of the operator override them. */
export const ONE_MACHINE_DEFAULTS = {
  CHECK_EGRESS: 'any',
  MIN_INTERVAL_SECONDS: '1',
  SHARDS: '1',
  BUCKETS: '1',
  JOB_GROUP_MS: '50',
  REFERENCE_HOST: '.',
  MCP_STREAMS_PER_KEY: '100',
  // One machine has more CPU than a prober on AWS (0.4 vCPU).
  PROBES_AT_ONCE: '250',
};

/** Settings for which empty is a value; for others, empty means the default. */
const MAY_BE_EMPTY = new Set(['NATS_SUBJECT_PREFIX', 'REFERENCE_HOST']);

/** Settings of one machine, besides SettingsSchema. */
export const HostSettings = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(8787).describe('Port to listen on; 0: any free port.'),
  HOST: z
    .string()
    .default('127.0.0.1')
    .describe('Address to listen on; `0.0.0.0` for all networks. Other machines should reach it through a TLS proxy.'),
  DATA_DIR: z.string().default('.data').describe('Folder of all data. One service at a time uses it.'),
  TRUSTED_PROXIES: z
    .string()
    .default('127.0.0.0/8,::1')
    .transform((text, context) => {
      const parts = text === 'none' ? [] : text.split(',').map((part) => part.trim());
      try {
        return trustedProxies(parts);
      } catch (error) {
        context.addIssue((error as Error).message);
        return z.NEVER;
      }
    })
    .describe(
      'Addresses and CIDR ranges of proxies, separated by commas, whose `X-Forwarded-For` and `X-Forwarded-Proto` are ' +
        'trusted. `none`: trust no proxy.',
    ),
  METRICS_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .describe(
      "Port on 127.0.0.1 for [the operator's metrics](install.md#metrics-of-the-service), `GET /metrics` without a key; " +
        '0: any free port. Empty: no metrics.',
    ),
  LOG_LEVEL: z
    .enum(LOG_LEVELS)
    .default('info')
    .describe('`info`, `warn`, `error` or `silent`. Logs are JSON lines on stderr.'),
});
type HostSettings = z.output<typeof HostSettings>;

/** Names of all settings on one machine; TABLE_NAME selects a deployed table for the admin commands. */
export const SETTING_NAMES = [...Object.keys(HostSettings.shape), ...Object.keys(SettingsSchema.shape), 'TABLE_NAME'];

/** Reads the settings of a machine from its environment. Throws an Error that names unknown or invalid settings. */
export function readHostSettings(env: Record<string, string | undefined>): { host: HostSettings; settings: Settings } {
  const unknown = unknownSettings(Object.keys(env), SETTING_NAMES);
  if (unknown.length > 0) throw settingsError(unknown);
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => value !== undefined && (value !== '' || MAY_BE_EMPTY.has(name))),
  );
  return { host: readSettings(given, HostSettings), settings: readSettings({ ...ONE_MACHINE_DEFAULTS, ...given }) };
}
