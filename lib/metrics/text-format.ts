/** Gauge with its samples, which must be together in the text format. */
export type Family = { name: string; help: string; samples: string[] };

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

const escaped = (value: string): string => value.replace(/[\\"\n]/g, (character) => ESCAPES[character]!);

/** Formats labels for samples: `check="Web shop",entity="service/shop"`. Pure. */
export const labelsText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',');

/** Formats a sample. Pure. @param labels as `labelsText` returns them, or empty */
export const sampleText = (name: string, labels: string, value: number): string =>
  `${name}${labels === '' ? '' : `{${labels}}`} ${value}\n`;

/** Formats gauges in the Prometheus text format 0.0.4; omits gauges without samples. Pure. */
export const metricsText = (families: readonly Family[]): string =>
  families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, samples }) => `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${samples.join('')}`)
    .join('');
