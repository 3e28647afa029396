import { callPage } from '#console/api/call.ts';
import type { Transition } from '#console/api/records.ts';
import { type Incident, incidentAt, isPast } from '#console/rules/incidents.ts';

/** So much of what was before it is looked at for its beginning. */
const BEFORE = 100;
const PAGE = 200;

/**
 * What an entity had at a moment, or had last before it; undefined where there was nothing. It is read from some
 * changes before the moment on until it is over. Throws ApiFailure.
 * @param at epoch ms
 */
export async function readIncident(entity: string, at: number, signal: AbortSignal): Promise<Incident | undefined> {
  const feed = `/v1/status/transitions?entity_id=${encodeURIComponent(entity)}`;
  const until = new Date(at + 1).toISOString();
  const transitions = await some(`${feed}&limit=${BEFORE}&until=${encodeURIComponent(until)}`, signal);
  const [last] = transitions;
  if (!last) return undefined;
  const moment = new Date(at).toISOString();
  for (let next: string | undefined = `${feed}&limit=${PAGE}&after=${last.id}`; next !== undefined; ) {
    const page: { value: Transition[]; next: string | undefined } = await callPage<Transition[]>(next, { signal });
    transitions.push(...page.value);
    next = page.next;
    const incident = incidentAt(transitions, moment);
    if (!incident || isPast(incident, transitions)) break;
  }
  return incidentAt(transitions, moment);
}

/** The first page of a list that has something: of a busy account one may be empty, and more behind it. */
async function some(path: string, signal: AbortSignal): Promise<Transition[]> {
  for (let next: string | undefined = path; next !== undefined; ) {
    const page: { value: Transition[]; next: string | undefined } = await callPage<Transition[]>(next, { signal });
    if (page.value.length > 0) return [...page.value];
    next = page.next;
  }
  return [];
}
