import type { TimelineEntry } from '#console/api/records.ts';

/** Line of a timeline: an entry, or consecutive entries of a check that was down several times, newest first. */
export type TimelineLine = {
  entries: readonly TimelineEntry[];
  downs: number;
  alerts: number;
  /** Time from the oldest to the newest entry, in ms. */
  lasted: number;
};

const MIN_DOWNS = 2;

const checkOf = ({ transition, alert }: TimelineEntry): string | undefined => (transition ?? alert)?.check_id;

/** Joins consecutive entries of a check that was down several times. @param entries newest first */
export function timelineLines(entries: readonly TimelineEntry[]): TimelineLine[] {
  const groups: TimelineEntry[][] = [];
  for (const entry of entries) {
    const group = groups.at(-1);
    const check = checkOf(entry);
    if (group && check !== undefined && checkOf(group[0]!) === check) group.push(entry);
    else groups.push([entry]);
  }
  return groups.flatMap((group) => {
    const line = lineOf(group);
    return line.downs < MIN_DOWNS ? group.map((entry) => lineOf([entry])) : [line];
  });
}

const lineOf = (entries: readonly TimelineEntry[]): TimelineLine => ({
  entries,
  downs: entries.filter(({ transition }) => transition?.check_to_state === 'down').length,
  alerts: entries.filter(({ alert }) => alert !== null).length,
  lasted: Date.parse(entries[0]!.at) - Date.parse(entries.at(-1)!.at),
});

/** Returns the id of the newest transition entry of each check: only these entries explain their alert decision. */
export function explainedEntries(entries: readonly TimelineEntry[]): ReadonlySet<string> {
  const newest = new Map<string, string>();
  for (const { id, transition } of entries) {
    if (transition && !newest.has(transition.check_id)) newest.set(transition.check_id, id);
  }
  return new Set(newest.values());
}
