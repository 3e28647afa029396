import type { Rule } from './rule.ts';
import { acknowledged, notTold } from './rules/acknowledged.ts';
import { catchUpOff, notWatched, toldAlready } from './rules/catch-ups.ts';
import { configuration } from './rules/configuration.ts';
import { cooldown } from './rules/cooldown.ts';
import { degradedOff } from './rules/degraded-off.ts';
import { dependency } from './rules/dependency.ts';
import { flapping } from './rules/flapping.ts';
import { initial } from './rules/initial.ts';
import { maintenance } from './rules/maintenance.ts';
import { noChannels } from './rules/no-channels.ts';
import { recoveryOff } from './rules/recovery-off.ts';
import { remediation } from './rules/remediation.ts';
import { repeats } from './rules/repeats.ts';
import { silenced } from './rules/silenced.ts';

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
