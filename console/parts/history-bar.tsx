import { type Bucket, barPaths, barSummary } from '#console/rules/history-bar.ts';

const WIDTH = 144;
const HEIGHT = 20;

/** Bar of a history, with a text alternative. @param title `Last 24 h` */
export function HistoryBar({ buckets, title }: { buckets: readonly Bucket[]; title: string }) {
  const paths = barPaths(buckets, WIDTH, HEIGHT);
  const summary = barSummary(buckets, title);
  return (
    <svg
      class="history-bar"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={summary}
    >
      <title>{summary}</title>
      <path class="up" d={paths.up} />
      <path class="degraded" d={paths.degraded} />
      <path class="down" d={paths.part} />
      <path class="down" d={paths.down} />
      <path class="unknown" d={paths.gap} />
    </svg>
  );
}
