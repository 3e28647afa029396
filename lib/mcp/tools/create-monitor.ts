import * as z from 'zod';
import { createMonitor, MonitorBody } from '#lib/alerting/configure/monitors.ts';
import { defineTool } from './tool.ts';

/** Settings without the channel, because its secrets are for a user to enter, not for a model. */
const { channel: _channel, ...settings } = MonitorBody.shape;

export const createMonitorTool = defineTool({
  description:
    'Monitor a URL, host, or cron job in one call: creates an entity named after the host and a check with recommended settings. Returns both, and the account channels that receive its alerts. A repeated call returns them and creates nothing.',
  input: z.strictObject(settings),
  run: async (context, input) => (await createMonitor(context, input)).monitor,
});
