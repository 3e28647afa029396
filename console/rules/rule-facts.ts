import type { Explanation } from '#console/api/records.ts';

/** A piece of a text: words, a time (ISO 8601), or an id with the address of what it names. */
export type Piece = string | { at: string } | { id: string; href: string };

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/;
const ID = /\b(?:win|act)_[0-9a-z]+/;
const MARKED = new RegExp(`(${TIME.source}|${ID.source})`);

/** Splits a text of the API at its times and at the ids that have a page. */
export const piecesOf = (text: string): Piece[] =>
  text.split(MARKED).flatMap((part, i): Piece[] => {
    if (part === '') return [];
    if (i % 2 === 0) return [part];
    if (TIME.test(part)) return [{ at: part }];
    return [{ id: part, href: `${part.startsWith('win_') ? '#/alerts/windows' : '#/actions'}/${part}` }];
  });

/** What comes next for a check. */
export const NEXT: Readonly<Record<NonNullable<Explanation['next']>['what'], string>> = {
  probe: 'it is probed',
  missed_heartbeat: 'it fails if nothing comes',
  reminder: 'a reminder goes out',
  late: 'what was held back is looked at',
  escalation: 'the escalation calls others',
  hold: 'its held alert is looked at',
};

type Ancestor = Explanation['evaluations'][number]['ancestors'][number];

/** What was known of an entity that the failing one depends on. */
export const STATUS_OF_ANCESTOR: Readonly<Record<Ancestor['status'], string>> = {
  failed: 'failed',
  healthy: 'was fine',
  no_data: 'was not known',
};

/** From where that was known, to follow it. */
export const KNOWN_BY: Readonly<Record<Ancestor['evidence'], string>> = {
  state: ', by the state of its checks',
  result: ', by a push',
  asked: ', as it was probed for this',
  nothing: '',
};
