import { checkActions } from './check-actions.ts';
import { checkAlerts } from './check-alerts.ts';
import { checkChains } from './check-chains.ts';
import { checkDisabled } from './check-disabled.ts';
import { checkJobs } from './check-jobs.ts';
import { checkLineage } from './check-lineage.ts';
import { checkMessages } from './check-messages.ts';
import { checkNetwork } from './check-network.ts';
import { checkOrphans } from './check-orphans.ts';
import { checkPushes } from './check-pushes.ts';
import { checkQuiet } from './check-quiet.ts';
import { checkReports } from './check-reports.ts';
import { checkRuns } from './check-runs.ts';
import { checkSilence } from './check-silence.ts';
import { checkSlots } from './check-slots.ts';
import { checkStalls } from './check-stalls.ts';
import { checkStates } from './check-states.ts';
import type { Run } from './simulate.ts';

/** Each promise by its name: says of a run how it was broken, one sentence each. */
export const promises = {
  states: checkStates,
  chains: checkChains,
  'quiet results': checkQuiet,
  pushes: checkPushes,
  silence: checkSilence,
  slots: checkSlots,
  jobs: checkJobs,
  network: checkNetwork,
  standstills: checkStalls,
  actions: checkActions,
  reports: checkReports,
  'disabled account': checkDisabled,
  runs: checkRuns,
  alerts: checkAlerts,
  messages: checkMessages,
  lineage: (run: Run) => checkLineage(run),
  orphans: checkOrphans,
};

/** What a run broke, one sentence each; empty when every promise held. @param only the promise of this name */
export const verdict = (run: Run, only?: string): string[] =>
  Object.entries(promises)
    .filter(([name]) => only === undefined || name === only)
    .flatMap(([name, check]) => check(run).map((text) => `${name}: ${text}`));
