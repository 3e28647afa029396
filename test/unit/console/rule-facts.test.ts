import { expect, it } from 'vitest';
import { piecesOf } from '#console/rules/rule-facts.ts';

const at = '2026-11-22T12:00:00.000Z';

it.each([
  ['', []],
  ['the entity depends on nothing', ['the entity depends on nothing']],
  [`last alert ${at}; cooldown until ${at}`, ['last alert ', { at }, '; cooldown until ', { at }]],
  [
    `window win_0mi8w2 is open until ${at}`,
    ['window ', { id: 'win_0mi8w2', href: '#/alerts/windows/win_0mi8w2' }, ' is open until ', { at }],
  ],
  [
    'action act_0mi8w2 had until 2026-11-22T12:00:00Z to repair it',
    [
      'action ',
      { id: 'act_0mi8w2', href: '#/actions/act_0mi8w2' },
      ' had until ',
      { at: '2026-11-22T12:00:00Z' },
      ' to repair it',
    ],
  ],
  ['an attempt of fact_1, on 2026-11-22', ['an attempt of fact_1, on 2026-11-22']],
])('splits %j at times and linkable ids', (text, pieces) => {
  expect(piecesOf(text)).toEqual(pieces);
});
