import { acknowledgeAlert } from './acknowledge-alert.ts';
import { addIncidentNote } from './add-incident-note.ts';
import { createHttpCheck } from './create-check.ts';
import { explainAlert } from './explain-alert.ts';
import { getCheckResults } from './get-check-results.ts';
import { getEntity } from './get-entity.ts';
import { getExecution } from './get-execution.ts';
import { getHistory } from './get-history.ts';
import { getIncident } from './get-incident.ts';
import { getStatusSummary } from './get-status-summary.ts';
import { listBlueprints } from './list-blueprints.ts';
import { listChanges } from './list-changes.ts';
import { listEntities } from './list-entities.ts';
import { listIncidents } from './list-incidents.ts';
import { listPings } from './list-pings.ts';
import { runCheckNow } from './run-check.ts';
import { silence } from './silence.ts';
import { testCheck } from './test-check.ts';
import type { Tool } from './tool.ts';

/** Every built-in tool by its name. A new one is a file beside this and a word here. */
export const builtInTools: ReadonlyMap<string, Tool> = new Map(
  [
    getStatusSummary,
    listEntities,
    getEntity,
    listBlueprints,
    listIncidents,
    getIncident,
    addIncidentNote,
    listChanges,
    getCheckResults,
    explainAlert,
    acknowledgeAlert,
    getHistory,
    listPings,
    getExecution,
    createHttpCheck,
    testCheck,
    runCheckNow,
    silence,
  ].map((tool) => [tool.name, tool]),
);
