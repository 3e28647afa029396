/** A sample of the Prometheus text format. */
export type Sample = { name: string; labels: Record<string, string>; value: number };

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
// prom-client writes `Nan`; Prometheus ignores the case.
const VALUE = /^(?:nan|[+-]Inf|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/i;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y;

/**
 * Parses the Prometheus text format 0.0.4 without timestamps. Throws for samples before their HELP and TYPE, families
 * in two parts, duplicate series, and `_total` in the wrong place, as the format or `promtool check metrics` requires.
 */
export function parseMetrics(text: string): Sample[] {
  if (text !== '' && !text.endsWith('\n')) throw new Error('The last line does not end.');
  const samples: Sample[] = [];
  const series = new Set<string>();
  const types = new Map<string, string>();
  let helped = '';
  let current = '';
  for (const line of text.split('\n').slice(0, -1)) {
    const fail = (why: string) => new Error(`${why}: ${line}`);
    if (line.startsWith('# HELP ')) {
      const [, name = '', help = ''] = /^# HELP (\S+) (.+)$/.exec(line) ?? [];
      if (!NAME.test(name) || help === '') throw fail('HELP without name or text');
      helped = name;
    } else if (line.startsWith('# TYPE ')) {
      const [, name = '', type = ''] = /^# TYPE (\S+) (counter|gauge|histogram|summary|untyped)$/.exec(line) ?? [];
      if (name !== helped) throw fail('TYPE is unknown or does not follow its HELP');
      if (types.has(name)) throw fail('family is a duplicate');
      if ((type === 'counter') !== name.endsWith('_total'))
        throw fail('a counter must end in _total, and nothing else may');
      types.set(name, type);
      current = name;
    } else if (line !== '') {
      const sample = parseSample(line);
      if (!sample) throw fail('not a sample');
      const isPart = ['histogram', 'summary'].includes(types.get(current) ?? '');
      const family = isPart ? sample.name.replace(/_(?:bucket|sum|count)$/, '') : sample.name;
      if (family !== current) throw fail(`sample does not belong to the family ${current}`);
      const id = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
      if (series.has(id)) throw fail('series is a duplicate');
      series.add(id);
      samples.push(sample);
    }
  }
  return samples;
}

function parseSample(line: string): Sample | undefined {
  const [, name = '', inner = '', value = ''] = /^([^\s{]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (!NAME.test(name) || !VALUE.test(value)) return undefined;
  const labels: Record<string, string> = {};
  for (LABEL.lastIndex = 0; LABEL.lastIndex < inner.length; ) {
    const [, key = '', raw = ''] = LABEL.exec(inner) ?? [];
    if (key === '' || key in labels) return undefined;
    labels[key] = raw.replace(/\\(.)/g, (_, escaped) => (escaped === 'n' ? '\n' : escaped));
  }
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) };
}
