import { checkActions } from './actions.ts';
import { checkAlerts } from './alerts.ts';
import { checkAudit } from './audit.ts';
import { checkCells } from './cells.ts';
import { checkChains } from './chains.ts';
import { checkCpuBudget } from './cpu-budget.ts';
import { checkDisabledAccount } from './disabled-account.ts';
import { checkEscalation } from './escalation.ts';
import { checkEventLoopStalls } from './event-loop-stalls.ts';
import { checkExplained } from './explained.ts';
import { checkFailures } from './failures.ts';
import { checkFullDisk } from './full-disk.ts';
import { checkFunctionRuns } from './function-runs.ts';
import type { History } from './history.ts';
import { checkHolds } from './holds.ts';
import type { Inside } from './inside.ts';
import { checkJobs } from './jobs.ts';
import { checkLineage } from './lineage.ts';
import { checkManualRuns } from './manual-runs.ts';
import { checkMessages } from './messages.ts';
import { checkMissedHeartbeats } from './missed-heartbeats.ts';
import { checkNetwork } from './network.ts';
import { checkNotifiedStates } from './notified-states.ts';
import { checkOrphans } from './orphans.ts';
import { checkPings } from './pings.ts';
import { checkPushes } from './pushes.ts';
import { checkQuietResults } from './quiet-results.ts';
import { checkRecoveries } from './recoveries.ts';
import { checkRelations } from './relations.ts';
import { checkRemediation } from './remediation.ts';
import { checkRepeatedPages } from './repeated-pages.ts';
import { checkReports } from './reports.ts';
import { checkResultReads } from './result-reads.ts';
import { checkRetries } from './retries.ts';
import { checkRollups } from './rollups.ts';
import { checkSchedules } from './schedules.ts';
import { checkSlots } from './slots.ts';
import { checkSlugs } from './slugs.ts';
import { checkStates } from './states.ts';
import { checkSubscribers } from './subscribers.ts';
import { checkTenants } from './tenants.ts';
import { checkUpstreamProbes } from './upstream-probes.ts';
import { checkWithheldAlerts } from './withheld-alerts.ts';

/** Returns the violations of a promise, one sentence each. */
type Check = (history: History) => string[];

/** Wraps a promise that only the simulation can check. */
const fromInside =
  (check: (inside: Inside) => string[]): Check =>
  ({ inside }) =>
    inside ? check(inside) : [];

/** The promises of the service by name. The docstring of each function states the promise that it checks. */
export const promises: Record<string, Check> = {
  states: fromInside(checkStates),
  chains: checkChains,
  'quiet results': fromInside(checkQuietResults),
  'result reads': fromInside(checkResultReads),
  rollups: fromInside(checkRollups),
  cells: fromInside(checkCells),
  pushes: checkPushes,
  pings: fromInside(checkPings),
  'full disk': fromInside(checkFullDisk),
  holds: fromInside(checkHolds),
  'withheld alerts': fromInside(checkWithheldAlerts),
  recoveries: fromInside(checkRecoveries),
  'repeated pages': fromInside(checkRepeatedPages),
  'upstream probes': fromInside(checkUpstreamProbes),
  relations: fromInside(checkRelations),
  tenants: fromInside(checkTenants),
  'missed heartbeats': checkMissedHeartbeats,
  slots: checkSlots,
  jobs: fromInside(checkJobs),
  'manual runs': fromInside(checkManualRuns),
  retries: fromInside(checkRetries),
  network: fromInside(checkNetwork),
  'event loop stalls': fromInside(checkEventLoopStalls),
  'cpu budget': fromInside(checkCpuBudget),
  actions: checkActions,
  remediation: (history) => (history.inside ? checkRemediation(history, history.inside) : []),
  schedules: (history) => (history.inside ? checkSchedules(history, history.inside) : []),
  reports: checkReports,
  'disabled account': fromInside(checkDisabledAccount),
  'function runs': fromInside(checkFunctionRuns),
  alerts: checkAlerts,
  explained: fromInside(checkExplained),
  escalation: fromInside(checkEscalation),
  audit: fromInside(checkAudit),
  'notified states': fromInside(checkNotifiedStates),
  failures: fromInside(checkFailures),
  messages: fromInside(checkMessages),
  lineage: fromInside((inside) => checkLineage(inside)),
  slugs: fromInside(checkSlugs),
  orphans: fromInside(checkOrphans),
  subscribers: fromInside(checkSubscribers),
};

/** Returns the violations of all promises, one sentence each. @param only the name of a single promise */
export const violationsOf = (history: History, only?: string): string[] =>
  Object.entries(promises)
    .filter(([name]) => only === undefined || name === only)
    .flatMap(([name, check]) => check(history).map((text) => `${name}: ${text}`));
