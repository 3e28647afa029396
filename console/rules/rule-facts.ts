import type { Explanation } from '#console/api/records.ts';

/** Part of a text: plain text, a time (ISO 8601), or an id with its link. */
export type Piece = string | { at: string } | { id: string; href: string };

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/;
const ID = /\b(?:win|act)_[0-9a-z]+/;
const MARKED = new RegExp(`(${TIME.source}|${ID.source})`);

/** Splits a text of the API at times and linkable ids. */
export const piecesOf = (text: string): Piece[] =>
  text.split(MARKED).flatMap((part, i): Piece[] => {
    if (part === '') return [];
    if (i % 2 === 0) return [part];
    if (TIME.test(part)) return [{ at: part }];
    return [{ id: part, href: `${part.startsWith('win_') ? '#/alerts/windows' : '#/actions'}/${part}` }];
  });

export const NEXT: Readonly<Record<NonNullable<Explanation['next']>['what'], string>> = {
  probe: 'next probe',
  missed_heartbeat: 'heartbeat deadline',
  reminder: 'reminder',
  late: 'recheck after a suppression',
  escalation: 'next escalation step',
  hold: 'recheck of the held alert',
};

type UpstreamEntity = Explanation['evaluations'][number]['ancestors'][number];

/** Status of an upstream entity at the evaluation. */
export const UPSTREAM_STATUS: Readonly<Record<UpstreamEntity['status'], string>> = {
  failed: 'failed',
  healthy: 'was healthy',
  no_data: 'has no data',
};

/** Source of that status. */
export const EVIDENCE: Readonly<Record<UpstreamEntity['evidence'], string>> = {
  state: ', from the state of its checks',
  result: ', from a push',
  probe: ', from an upstream probe',
  none: '',
};
