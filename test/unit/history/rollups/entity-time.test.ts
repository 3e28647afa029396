import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Classified,
  type ClassifiedSpan,
  divide,
  entityTime,
  timeOf,
} from '#lib/history/rollups/classify-time.ts';

const END = 30;
const WINDOW = { from: 0, to: END };

const all = (as: Classified['as'], in_maintenance = false): ClassifiedSpan[] => [{ ...WINDOW, as, in_maintenance }];

/** Returns the kind that an entity with these checks has in the whole window. */
function kindOf(...checks: ClassifiedSpan[][]): string {
  const [span, ...more] = entityTime(checks, WINDOW);
  expect(more).toEqual([]);
  return `${span!.as}${span!.in_maintenance ? ' in maintenance' : ''}`;
}

describe('an entity', () => {
  it.each([
    ['up', ['up', 'up']],
    ['up', ['up', 'unknown']],
    ['degraded', ['up', 'down']],
    ['degraded', ['up', 'degraded']],
    ['degraded', ['degraded', 'degraded']],
    ['down', ['down', 'unknown']],
    ['unknown', ['unknown', 'unknown']],
    ['up', ['up', 'gap']],
    ['down', ['gap', 'down']],
    ['unknown', ['gap', 'unknown']],
    ['gap', ['gap', 'gap']],
    ['gap', ['gap', 'not_monitored']],
    ['down', ['not_monitored', 'down']],
    ['not_monitored', ['not_monitored', 'not_monitored']],
    ['not_monitored', []],
  ] as const)('is %s while its checks are %j', (expected, checks) => {
    expect(kindOf(...checks.map((as) => all(as)))).toBe(expected);
  });

  it('ignores checks in maintenance while others are not', () => {
    expect(kindOf(all('down', true), all('up'))).toBe('up');
    expect(kindOf(all('up', true), all('down'))).toBe('down');
    expect(kindOf(all('up', true), all('gap'))).toBe('gap');
  });

  it('is in maintenance while all of its checks are, and keeps their hidden states', () => {
    expect(kindOf(all('down', true), all('down', true), all('not_monitored'))).toBe('down in maintenance');
    expect(kindOf(all('up', true), all('down', true))).toBe('degraded in maintenance');
    expect(kindOf(all('gap', true))).toBe('gap in maintenance');
    expect(timeOf(entityTime([all('down', true)], WINDOW)).down_in_maintenance_ms).toBe(END);
  });

  it('is down only while all of its checks are down', () => {
    const downIn = (from: number, to: number) =>
      divide(WINDOW, [from, to], (at) => ({ as: at >= from && at < to ? 'down' : 'up', in_maintenance: false }));
    const { ms } = timeOf(entityTime([downIn(0, 20), downIn(10, 30)], WINDOW));
    expect([ms.degraded, ms.down]).toEqual([20, 10]);
  });
});

const kind = fc.oneof(
  fc.record({
    as: fc.constantFrom<Classified['as']>('up', 'degraded', 'down', 'unknown', 'gap'),
    in_maintenance: fc.boolean(),
  }),
  fc.constant<Classified>({ as: 'not_monitored', in_maintenance: false }),
);
/** Random spans of one check. */
const check = fc
  .tuple(fc.array(fc.nat({ max: END }), { maxLength: 4 }), fc.array(kind, { minLength: 5, maxLength: 5 }))
  .map(([borders, kinds]) => {
    let i = 0;
    return divide(WINDOW, borders, () => kinds[i++]!);
  });

describe('the time of an entity', () => {
  it('is derived from its checks at each instant', () => {
    fc.assert(
      fc.property(fc.array(check, { maxLength: 4 }), (checks) => {
        const found = entityTime(checks, WINDOW);
        for (let at = 0; at < END; at++) {
          const spanAt = (spans: ClassifiedSpan[]) => spans.find(({ from, to }) => from <= at && at < to)!;
          const moment = { from: at, to: at + 1 };
          const alone = entityTime(
            checks.map((spans) => [{ ...spanAt(spans), ...moment }]),
            moment,
          );
          expect({ ...spanAt(found), ...moment }).toEqual(alone[0]);
        }
      }),
    );
  });

  it('equals the time of its only monitored check', () => {
    fc.assert(
      fc.property(check, (spans) => {
        expect(entityTime([spans], WINDOW)).toEqual(spans);
        expect(entityTime([all('not_monitored'), spans, []], WINDOW)).toEqual(spans);
      }),
    );
  });

  it('does not depend on the order of its checks', () => {
    fc.assert(
      fc.property(fc.array(check, { maxLength: 4 }), (checks) => {
        expect(entityTime(checks.toReversed(), WINDOW)).toEqual(entityTime(checks, WINDOW));
      }),
    );
  });
});
