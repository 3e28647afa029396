import { describe, expect, it } from 'vitest';
import { assertionsIn, draftOfAssertions, newRow, rowsIn, withSource } from '#console/rules/assertion-rows.ts';

const roundTrip = (assertion: object) => assertionsIn(draftOfAssertions([assertion as never]));

describe('assertion rows', () => {
  it.each([
    { source: 'status_code', operator: 'one_of', value: ['2xx', 304, '200-299'], severity: 'fail' },
    { source: 'status_code', operator: 'less_than', value: 300, severity: 'warn' },
    { source: 'body', operator: 'contains', value: '200', severity: 'fail' },
    { source: 'body', operator: 'one_of', value: ['a, b', ' c', '[d]'], severity: 'fail' },
    { source: 'json', property: '$.a', operator: 'equals', value: 'ok', severity: 'fail' },
    { source: 'json', property: '$.a', operator: 'equals', value: 'true', severity: 'fail' },
    { source: 'json', property: '$.a', operator: 'equals', value: null, severity: 'fail' },
    { source: 'json', property: '$.a', operator: 'one_of', value: ['1', 1, true, null, 'a'], severity: 'fail' },
    { source: 'json', property: '$.a', operator: 'exists', severity: 'fail' },
    { source: 'header', property: 'x-left', operator: 'at_least', value: 1.5, severity: 'fail' },
    { source: 'rcode', operator: 'not_one_of', value: ['SERVFAIL', 'REFUSED'], severity: 'fail' },
  ])('convert to form values and back: %o', (assertion) => {
    expect(roundTrip(assertion)).toEqual([assertion]);
  });

  it('send invalid values unchanged, so that the API reports them', () => {
    const [row] = [{ ...newRow('latency_ms'), value: 'fast' }];
    expect(assertionsIn(JSON.stringify([row]))).toEqual([
      { source: 'latency_ms', operator: 'equals', value: 'fast', severity: 'fail' },
    ]);
    expect(assertionsIn(JSON.stringify([newRow('json')]))).toEqual([
      { source: 'json', operator: 'equals', severity: 'fail' },
    ]);
  });

  it('keep matching values when the source changes', () => {
    const row = { source: 'json', property: '$.a', operator: 'contains', value: 'x', severity: 'warn' };
    expect(withSource(row, 'body')).toEqual({ ...row, source: 'body', property: '' });
    expect(withSource(row, 'latency_ms')).toEqual({ ...row, source: 'latency_ms', property: '', operator: 'equals' });
  });

  it('are empty without assertions', () => {
    expect([draftOfAssertions([]), rowsIn(''), assertionsIn('')]).toEqual(['', [], []]);
  });
});
