import type { Push } from './load.ts';
import type { Story } from './told.ts';

/**
 * The pushes of one check against its results: what was answered stands there once and as it was answered, a keyed one
 * once however often it was sent, one without an answer once at most, and nothing that nobody sent.
 */
export function judgePushes(pushes: Push[], results: Story['feed']): string[] {
  const wrong: string[] = [];
  const byId = Map.groupBy(results, (one) => String(one.id));
  for (const [id, same] of byId) if (same.length > 1) wrong.push(`result ${id} stands there ${same.length} times`);
  for (const push of pushes) {
    const kept = push.answer && byId.get(push.answer.record.id)?.[0];
    if (push.answer && !kept) wrong.push(`${nameOf(push)} was answered ${push.answer.record.id}, and is lost`);
    else if (push.answer && JSON.stringify(kept) !== JSON.stringify(push.answer.record))
      wrong.push(`${nameOf(push)} was answered ${JSON.stringify(push.answer.record)}, kept is ${JSON.stringify(kept)}`);
  }
  return [...wrong, ...judgeTags(pushes, results), ...judgeBeats(pushes, results)];
}

const nameOf = ({ kind, tag, sent_at }: Push): string => `the ${kind} push "${tag || new Date(sent_at).toISOString()}"`;

/** Results that were pushed with a text, found again by it. */
function judgeTags(pushes: Push[], results: Story['feed']): string[] {
  const wrong: string[] = [];
  const sent = new Set(pushes.map((push) => push.tag));
  const tagged = results.filter((one) => one.error_kind !== 'silence' && one.error_message !== '');
  for (const [tag, same] of Map.groupBy(tagged, (one) => String(one.error_message))) {
    if (!sent.has(tag)) wrong.push(`nobody sent "${tag}"`);
    if (same.length > 1) wrong.push(`"${tag}" was sent once and counts ${same.length} times`);
  }
  return wrong;
}

/** Heartbeats carry no text: there may be as many more than were answered as went without an answer. */
function judgeBeats(pushes: Push[], results: Story['feed']): string[] {
  const beats = pushes.filter((push) => push.kind === 'beat');
  const kept = results.filter((one) => one.error_message === '').length;
  if (beats.length === 0 || kept <= beats.length) return [];
  return [`${beats.length} heartbeats were sent, ${kept} are kept`];
}
