import type { EntityItem } from '#lib/catalog/entity.ts';
import { entityPath } from '#lib/catalog/entity-path.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { type Family, labelsText, sampleText } from './text-format.ts';

/** A check as its metrics show it. */
type MeasuredCheck = {
  check: CheckItem;
  entity: EntityItem;
  /** Newest result; undefined without one. */
  last: ResultItem | undefined;
  is_stale: boolean;
  is_in_maintenance: boolean;
};

type CheckMetric = {
  name: string;
  help: string;
  /** Returns the value; undefined: no sample. */
  value: (measured: MeasuredCheck) => number | undefined;
};

const numeric = (is: boolean): number => (is ? 1 : 0);

/** Whether the check has a state that a dashboard may average: it is enabled and not unknown. */
const isKnown = ({ check }: MeasuredCheck): boolean => check.enabled && check.state !== 'unknown';

/** Metrics of each check after `fleetwatch_check_info`, in the order of the text. */
const CHECK_METRICS: readonly CheckMetric[] = [
  {
    name: 'fleetwatch_check_up',
    help: '1 if the check is up or degraded, 0 if it is down. No sample while it is unknown or disabled.',
    value: (one) => (isKnown(one) ? numeric(one.check.state !== 'down') : undefined),
  },
  {
    name: 'fleetwatch_check_degraded',
    help: '1 if the check is degraded. No sample while it is unknown or disabled.',
    value: (one) => (isKnown(one) ? numeric(one.check.state === 'degraded') : undefined),
  },
  {
    name: 'fleetwatch_check_stale',
    help: '1 if a result is overdue, so that the state may be outdated.',
    value: ({ is_stale }) => numeric(is_stale),
  },
  {
    name: 'fleetwatch_check_in_maintenance',
    help: '1 while a maintenance window of the check is running.',
    value: ({ is_in_maintenance }) => numeric(is_in_maintenance),
  },
  {
    name: 'fleetwatch_check_last_run_success',
    help: '1 if the newest result is a success or a warning, 0 if it is a failure.',
    value: ({ last }) => last && numeric(last.success),
  },
  {
    name: 'fleetwatch_check_last_run_duration_seconds',
    help: 'Latency of the newest result.',
    value: ({ last }) => last && last.latency_ms / 1000,
  },
  {
    name: 'fleetwatch_check_last_run_timestamp_seconds',
    help: 'Time of the newest result.',
    value: ({ last }) => last && Date.parse(last.checked_at) / 1000,
  },
  {
    name: 'fleetwatch_check_certificate_expiry_timestamp_seconds',
    help: 'Expiry of the certificate or domain, as of the newest result.',
    value: ({ check, last }) => {
      const { expires_at } = { ...check.noted, ...last?.noted } as { expires_at?: string };
      return expires_at === undefined ? undefined : Date.parse(expires_at) / 1000;
    },
  },
];

const INFO = 'fleetwatch_check_info';

/** Returns the label name of a label key: `label_team`. `.` and `-` are not allowed in names. */
const labelName = (key: string): string => `label_${key.replace(/[.-]/g, '_')}`;

/** Returns the chosen labels of a check; of keys with the same name, the first by key. */
function chosenLabels({ check, entity }: MeasuredCheck, keys: readonly string[]): Record<string, string> {
  const all: Record<string, string> = { ...entity.labels, ...check.labels };
  const chosen: Record<string, string> = {};
  for (const key of keys.toSorted()) {
    const value = all[key];
    if (value !== undefined) chosen[labelName(key)] ??= value;
  }
  return chosen;
}

/**
 * Returns a function that adds the samples of a check, and the families that it fills. Pure.
 * @param labelKeys labels that `fleetwatch_check_info` shows
 */
export function checkFamilies(labelKeys: readonly string[]): { add(one: MeasuredCheck): void; families: Family[] } {
  const info: Family = { name: INFO, help: 'Always 1, with the type and chosen labels of the check.', samples: [] };
  const metrics = CHECK_METRICS.map(({ value, ...named }) => ({
    value,
    family: { ...named, samples: [] as string[] },
  }));
  return {
    families: [info, ...metrics.map(({ family }) => family)],
    add(one) {
      const { check, entity } = one;
      // A check without a name is shown by its type. Elsewhere it is its target, which can be an internal address.
      const labels = { check_id: check.id, check: check.name ?? check.check_type, entity: entityPath(entity) };
      const more = { ...labels, check_type: check.check_type, ...chosenLabels(one, labelKeys) };
      info.samples.push(sampleText(INFO, labelsText(more), 1));
      const shared = labelsText(labels);
      for (const { value, family } of metrics) {
        const sample = value(one);
        if (sample !== undefined) family.samples.push(sampleText(family.name, shared, sample));
      }
    },
  };
}

/** Returns a gauge with the number of things per state. Pure. */
export const countsByState = (name: string, help: string, counts: ReadonlyMap<string, number>): Family => ({
  name,
  help,
  samples: [...counts].map(([state, count]) => sampleText(name, labelsText({ state }), count)),
});
