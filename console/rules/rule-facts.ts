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

/** Next event of a check. */
export const NEXT: Readonly<Record<NonNullable<Explanation['next']>['what'], string>> = {
  probe: 'next probe',
  silence: 'heartbeat deadline',
  repeat: 'reminder',
  catch_up: 'recheck after a suppression',
  escalation: 'next escalation step',
  hold: 'recheck of the held alert',
};

type UpstreamEntity = Explanation['looks'][number]['ancestors'][number];

/** Status of an upstream entity at the evaluation. */
export const UPSTREAM_STATUS: Readonly<Record<UpstreamEntity['status'], string>> = {
  failed: 'failed',
  fine: 'was healthy',
  blind: 'has no data',
};

/** Source of that status. */
export const KNOWN_BY: Readonly<Record<UpstreamEntity['known_by'], string>> = {
  state: ', from the state of its checks',
  result: ', from a push',
  asked: ', from an upstream probe',
  nothing: '',
};
