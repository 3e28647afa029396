import { lazy } from '#lib/platform/lazy.ts';
import { CHANGES, DELETES, type LazyTool, REACHES_OUT, READS } from './tool.ts';

/** Built-in tools by name, with their access; a new tool is a file in this folder and an entry here. */
export const builtInTools: ReadonlyMap<string, LazyTool> = new Map(
  Object.entries<LazyTool>({
    get_status_summary: {
      access: 'read',
      annotations: READS,
      load: lazy(async () => (await import('#lib/mcp/tools/get-status-summary.ts')).getStatusSummary),
    },
    list_entities: {
      access: 'read',
      annotations: READS,
      load: lazy(async () => (await import('#lib/mcp/tools/list-entities.ts')).listEntities),
    },
    get_entity: {
      access: 'read',
      annotations: READS,
      load: lazy(async () => (await import('#lib/mcp/tools/get-entity.ts')).getEntity),
    },
    list_blueprints: {
      access: 'read',
      annotations: READS,
      load: lazy(async () => (await import('#lib/mcp/tools/list-blueprints.ts')).listBlueprints),
    },
    list_incidents: {
      access: 'read',
      annotations: READS,
      load: lazy(async () => (await import('#lib/mcp/tools/list-incidents.ts')).listIncidents),
    },
    get_incident: {
      access: 'read',
      annotations: READS,
      load: lazy(async () => (await import('#lib/mcp/tools/get-incident.ts')).getIncident),
    },
    add_incident_note: {
      access: 'respond',
      annotations: CHANGES,
      load: lazy(async () => (await import('#lib/mcp/tools/add-incident-note.ts')).addIncidentNote),
    },
    post_incident_update: {
      access: 'respond',
      annotations: CHANGES,
      load: lazy(async () => (await import('#lib/mcp/tools/post-incident-update.ts')).postIncidentUpdate),
    },
    list_changes: {
      access: 'changes',
      annotations: READS,
      load: lazy(async () => (await import('#lib/mcp/tools/list-changes.ts')).listChanges),
    },
    get_check_results: {
      access: 'read',
      annotations: READS,
      load: lazy(async () => (await import('#lib/mcp/tools/get-check-results.ts')).getCheckResults),
    },
    explain_alert: {
      access: 'read',
      annotations: READS,
      load: lazy(async () => (await import('#lib/mcp/tools/explain-alert.ts')).explainAlert),
    },
    acknowledge_alert: {
      access: 'respond',
      annotations: REACHES_OUT,
      load: lazy(async () => (await import('#lib/mcp/tools/acknowledge-alert.ts')).acknowledgeAlert),
    },
    get_history: {
      access: 'read',
      annotations: READS,
      load: lazy(async () => (await import('#lib/mcp/tools/get-history.ts')).getHistory),
    },
    list_slos: {
      access: 'read',
      annotations: READS,
      load: lazy(async () => (await import('#lib/mcp/tools/list-slos.ts')).listSlos),
    },
    get_report: {
      access: 'read',
      annotations: READS,
      load: lazy(async () => (await import('#lib/mcp/tools/get-report.ts')).getReport),
    },
    list_status_pages: {
      access: 'read',
      annotations: READS,
      load: lazy(async () => (await import('#lib/mcp/tools/status-pages.ts')).listStatusPages),
    },
    get_status_page: {
      access: 'read',
      annotations: READS,
      load: lazy(async () => (await import('#lib/mcp/tools/status-pages.ts')).getStatusPage),
    },
    list_subscribers: {
      access: 'read',
      annotations: READS,
      load: lazy(async () => (await import('#lib/mcp/tools/subscribers.ts')).listSubscribers),
    },
    add_subscriber: {
      access: 'configure',
      annotations: CHANGES,
      load: lazy(async () => (await import('#lib/mcp/tools/subscribers.ts')).addSubscriberTool),
    },
    delete_subscriber: {
      access: 'configure',
      annotations: DELETES,
      load: lazy(async () => (await import('#lib/mcp/tools/subscribers.ts')).deleteSubscriberTool),
    },
    list_pings: {
      access: 'read',
      annotations: READS,
      load: lazy(async () => (await import('#lib/mcp/tools/list-pings.ts')).listPings),
    },
    get_execution: {
      access: 'read',
      annotations: READS,
      load: lazy(async () => (await import('#lib/mcp/tools/get-execution.ts')).getExecution),
    },
    who_is_on_call: {
      access: 'read',
      annotations: READS,
      load: lazy(async () => (await import('#lib/mcp/tools/who-is-on-call.ts')).whoIsOnCall),
    },
    create_monitor: {
      access: 'write',
      annotations: REACHES_OUT,
      load: lazy(async () => (await import('#lib/mcp/tools/create-monitor.ts')).createMonitorTool),
    },
    create_check: {
      access: 'write',
      annotations: REACHES_OUT,
      load: lazy(async () => (await import('#lib/mcp/tools/create-check.ts')).createHttpCheck),
    },
    test_check: {
      access: 'write',
      annotations: REACHES_OUT,
      load: lazy(async () => (await import('#lib/mcp/tools/test-check.ts')).testCheck),
    },
    run_check: {
      access: 'respond',
      annotations: REACHES_OUT,
      load: lazy(async () => (await import('#lib/mcp/tools/run-check.ts')).runCheckNow),
    },
    silence: {
      access: 'suppress',
      annotations: CHANGES,
      load: lazy(async () => (await import('#lib/mcp/tools/silence.ts')).silence),
    },
  }),
);
