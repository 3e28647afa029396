import { maintenance } from '#lib/alerting/decide/hold-rules.ts';
import { cooldown } from '#lib/alerting/decide/quiet-rules.ts';
import type { Rule } from '#lib/alerting/decide/rule.ts';
import { catchUpOff, notWatched, toldAlready } from '#lib/alerting/decide/state-rules.ts';
import { acknowledged, notTold } from '#lib/health/alerting/rules/acknowledged.ts';
import { configuration } from '#lib/health/alerting/rules/configuration.ts';
import { degradedOff } from '#lib/health/alerting/rules/degraded-off.ts';
import { dependency } from '#lib/health/alerting/rules/dependency.ts';
import { flapping } from '#lib/health/alerting/rules/flapping.ts';
import { initial } from '#lib/health/alerting/rules/initial.ts';
import { noChannels } from '#lib/health/alerting/rules/no-channels.ts';
import { recoveryOff } from '#lib/health/alerting/rules/recovery-off.ts';
import { remediation } from '#lib/health/alerting/rules/remediation.ts';
import { repeats } from '#lib/health/alerting/rules/repeats.ts';
import { silenced } from '#lib/health/alerting/rules/silenced.ts';

/**
 * All rules of alerting, in the order in which they are asked (docs/CONTRACT.md#alerts): the first that stops an alert
 * is its reason. What is explained runs this very list.
 */
export const RULES: readonly Rule[] = [
  configuration,
  ...repeats,
  catchUpOff,
  notWatched,
  notTold,
  acknowledged,
  silenced,
  initial,
  degradedOff,
  toldAlready,
  recoveryOff,
  flapping,
  cooldown,
  dependency,
  maintenance,
  remediation,
  noChannels,
];
