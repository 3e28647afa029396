import type { EntityItem } from '#lib/catalog/entity.ts';
import { entityPath } from '#lib/catalog/entity-path.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { type Family, labelsText, sampleText } from './text-format.ts';

type MeasuredCheck = {
  check: CheckItem;
  entity: EntityItem;
  /** Newest result; undefined if no result exists. */
  last: ResultItem | undefined;
  is_stale: boolean;
  is_in_maintenance: boolean;
};

type CheckMetric = {
  name: string;
  help: string;
  /** Returns the value; undefined for no sample. */
  value: (measured: MeasuredCheck) => number | undefined;
};

const numeric = (value: boolean): number => (value ? 1 : 0);

const isKnown = ({ check }: MeasuredCheck): boolean => check.enabled && check.state !== 'unknown';

const CHECK_METRICS: readonly CheckMetric[] = [
  {
    name: 'fleetwatch_check_up',
    help: '1 if the check is up or degraded, 0 if it is down. No sample while it is unknown or disabled.',
    value: (one) => (isKnown(one) ? numeric(one.check.state !== 'down') : undefined),
  },
  {
    name: 'fleetwatch_check_degraded',
    help: '1 if the check is degraded, else 0. No sample while it is unknown or disabled.',
    value: (one) => (isKnown(one) ? numeric(one.check.state === 'degraded') : undefined),
  },
  {
    name: 'fleetwatch_check_stale',
    help: '1 if the state may be outdated, because a probe is overdue or the service was late, else 0.',
    value: ({ is_stale }) => numeric(is_stale),
  },
  {
    name: 'fleetwatch_check_in_maintenance',
    help: '1 during a maintenance window of the check, else 0.',
    value: ({ is_in_maintenance }) => numeric(is_in_maintenance),
  },
  {
    name: 'fleetwatch_check_last_run_success',
    help: '1 if the newest result is a success or a warning, 0 if it is a failure.',
    value: ({ last }) => last && numeric(last.success),
  },
  {
    name: 'fleetwatch_check_last_run_duration_seconds',
    help: 'Latency of the newest result, in seconds.',
    value: ({ last }) => last && last.latency_ms / 1000,
  },
  {
    name: 'fleetwatch_check_last_run_timestamp_seconds',
    help: 'Time of the newest result, as a Unix timestamp.',
    value: ({ last }) => last && Date.parse(last.checked_at) / 1000,
  },
  {
    name: 'fleetwatch_check_certificate_expiry_timestamp_seconds',
    help: 'Expiry of the certificate or domain, as a Unix timestamp, as last seen by the check.',
    value: ({ check, last }) => {
      const { expires_at } = { ...check.noted, ...last?.noted } as { expires_at?: string };
      return expires_at === undefined ? undefined : Date.parse(expires_at) / 1000;
    },
  },
];

const INFO = 'fleetwatch_check_info';

/** Returns the Prometheus label name of a label key: `label_team`. Names must not contain `.` and `-`. */
const labelName = (key: string): string => `label_${key.replace(/[.-]/g, '_')}`;

/** Returns the chosen labels of a check by Prometheus name. If two keys have the same name, the first one wins. */
function chosenLabels({ check, entity }: MeasuredCheck, keys: readonly string[]): Record<string, string> {
  const all: Record<string, string> = { ...entity.labels, ...check.labels };
  const chosen: Record<string, string> = {};
  for (const key of keys.toSorted()) {
    const value = all[key];
    if (value !== undefined) chosen[labelName(key)] ??= value;
  }
  return chosen;
}

/** Returns families to which `add` adds the samples of a check. @param labelKeys labels in `fleetwatch_check_info` */
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
      // Without a name, `check` is the type, not the target as elsewhere, because a target can be internal.
      const labels = { check_id: check.id, check: check.name ?? check.check_type, entity: entityPath(entity) };
      const infoLabels = { ...labels, check_type: check.check_type, ...chosenLabels(one, labelKeys) };
      info.samples.push(sampleText(INFO, labelsText(infoLabels), 1));
      const shared = labelsText(labels);
      for (const { value, family } of metrics) {
        const sample = value(one);
        if (sample !== undefined) family.samples.push(sampleText(family.name, shared, sample));
      }
    },
  };
}

/** Returns a gauge with a sample per state. Pure. */
export const countsByState = (name: string, help: string, counts: ReadonlyMap<string, number>): Family => ({
  name,
  help,
  samples: [...counts].map(([state, count]) => sampleText(name, labelsText({ state }), count)),
});
