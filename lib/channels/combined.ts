import { type Alert, NOTHING_KNOWN } from './alert.ts';

/** Maximum number of alerts in one message. */
export const MAX_COMBINED = 50;

const STATES = ['down', 'degraded', 'up'] as const;

const severityRank = ({ reports_state }: Alert): number =>
  reports_state === null ? STATES.length : STATES.indexOf(reports_state);

/** Combines alerts, the most severe first, in one alert that has the ids of the first given one and no links. Pure. */
export function combinedAlert(alerts: readonly [Alert, ...Alert[]], following: number): Alert {
  const ordered = alerts.toSorted((a, b) => severityRank(a) - severityRank(b));
  return {
    ...alerts[0],
    ...NOTHING_KNOWN,
    urgency: alerts.some(({ urgency }) => urgency === 'high') ? 'high' : 'low',
    reports_state: ordered[0]!.reports_state,
    error_message: '',
    urls: { check: null, incident: null, runbook: null, dashboard: null },
    combined: { alerts: ordered, following },
  };
}

/** Formats the numbers of alerts by state: `3 alerts: 2 down, 1 up`. */
export function combinedTitle(alerts: readonly Alert[]): string {
  const counts = STATES.flatMap((state) => {
    const count = alerts.filter(({ reports_state }) => reports_state === state).length;
    return count > 0 ? [`${count} ${state}`] : [];
  });
  return `${alerts.length} alerts: ${counts.join(', ')}`;
}

/** Maximum length of the list of alerts in a text; most receivers accept this length. */
const MAX_LIST = 2_800;

/** Joins as many entries as fit, and adds the number of omitted ones. */
export function combinedList(entries: readonly string[]): string {
  let length = 0;
  const firstBeyond = entries.findIndex((entry) => {
    length += entry.length + 2;
    return length > MAX_LIST;
  });
  const shown = firstBeyond < 0 ? entries : entries.slice(0, Math.max(1, firstBeyond));
  const left = entries.length - shown.length;
  return [...shown, ...(left > 0 ? [`And ${left} more.`] : [])].join('\n\n');
}
