import { describe, expect, it } from 'vitest';
import { parseCheck } from '#lib/checks/settings/model.ts';
import { HTTP_CHECK, refused } from '#test/support/refused-check.ts';

const TCP = { entity_id: 'ent_1', check_type: 'tcp' };

const refusedAssertions = (assertions: unknown, more: object = {}) => refused({ ...more, config: { assertions } });
const status = { source: 'status_code', operator: 'equals', value: 200 };
const json = { source: 'json', property: '$.a', operator: 'equals', value: 1 };

describe('an invalid assertion', () => {
  it.each<[string, unknown, string, string | RegExp]>([
    ['an object instead of the list', status, '', 'must be a list'],
    ['21 assertions', Array.from({ length: 21 }, () => status), '', 'must have at most 20 items'],
    ['no source', [{ operator: 'equals', value: 1 }], '0.source', /^is required: an http check has status_code, body/],
    [
      'an unknown source',
      [{ ...status, source: 'status' }],
      '0.source',
      'is not known: an http check has status_code, body, json, header, latency_ms and days_left',
    ],
    ['a source of another type', [{ ...status, source: 'rcode' }], '0.source', /an http check has/],
    ['an unknown operator', [{ ...status, operator: 'is' }], '0.operator', /^must be one of equals, not_equals/],
    [
      'an operator of other sources',
      [{ ...status, operator: 'contains', value: 'a' }],
      '0.operator',
      /^is not supported for status_code; use equals, not_equals, one_of, not_one_of, less_than/,
    ],
    ['an unknown severity', [{ ...status, severity: 'error' }], '0.severity', 'must be one of fail, warn'],
    ['one_of without a list', [{ ...status, operator: 'one_of' }], '0.value', 'must be a list of 1 to 50 values'],
    ['one_of with an empty list', [{ ...status, operator: 'one_of', value: [] }], '0.value', /list of 1 to 50/],
    [
      'one_of with 51 values',
      [{ ...status, operator: 'one_of', value: Array.from({ length: 51 }, () => 200) }],
      '0.value',
      /list of 1 to 50/,
    ],
    ['no value', [{ source: 'status_code', operator: 'equals' }], '0.value', 'is required'],
    ['a value with exists', [{ ...json, operator: 'exists' }], '0.value', 'is not accepted for exists; omit it'],
    [
      'a status as text',
      [{ ...status, value: '200' }],
      '0.value',
      'must be a status (100 to 599), as a number; for a class such as "2xx" or a range use one_of',
    ],
    [
      'the class 6xx',
      [{ ...status, operator: 'one_of', value: [200, '6xx'] }],
      '0.value.1',
      'must be a status (100 to 599), a class such as "2xx" or a range such as "200-299"',
    ],
    [
      'a range that ends before it begins',
      [{ ...status, operator: 'one_of', value: ['299-200'] }],
      '0.value.0',
      /a range/,
    ],
    ['a status of 600', [{ ...status, value: 600 }], '0.value', /100 to 599/],
    [
      'a path that descends',
      [{ ...json, property: '$..a' }],
      '0.property',
      'must be a path to one value, such as $.items[0].id',
    ],
    ['a path to several values', [{ ...json, property: '$.a[*]' }], '0.property', /path to one value/],
    ['a path without its root', [{ ...json, property: 'a.b' }], '0.property', /path to one value/],
    ['half a path', [{ ...json, property: '$.a[' }], '0.property', /path to one value/],
    ['a filter', [{ ...json, property: '$[?@.a]' }], '0.property', /path to one value/],
    [
      'a missing path',
      [{ ...json, property: undefined }],
      '0.property',
      'is required: a path to one value, such as $.items[0].id',
    ],
    [
      'an invalid header name',
      [{ source: 'header', property: 'a b', operator: 'exists' }],
      '0.property',
      'must be the name of a header',
    ],
    [
      'a property of a source without one',
      [{ ...status, property: '$' }],
      '0.property',
      'is not accepted for status_code; omit it',
    ],
    ['a list as a JSON value', [{ ...json, value: [1] }], '0.value', 'must be text, a number, true, false or null'],
    ['an object as a JSON value', [{ ...json, value: {} }], '0.value', /^must be text, a number/],
    ['a bound that is text', [{ ...json, operator: 'less_than', value: '5' }], '0.value', 'must be a number'],
    [
      'half a millisecond',
      [{ source: 'latency_ms', operator: 'less_than', value: 0.5 }],
      '0.value',
      'must be a whole number',
    ],
    [
      'a text that every text contains',
      [{ source: 'body', operator: 'not_contains', value: '' }],
      '0.value',
      'must not be empty, because every text contains it',
    ],
    [
      'a text of 4,097 characters',
      [{ source: 'body', operator: 'contains', value: 'x'.repeat(4097) }],
      '0.value',
      'must have at most 4096 characters',
    ],
    [
      'an expression of 257 characters',
      [{ source: 'body', operator: 'matches', value: 'x'.repeat(257) }],
      '0.value',
      'must be an RE2 expression of 1 to 256 characters',
    ],
    ['an expression that is a number', [{ source: 'body', operator: 'matches', value: 5 }], '0.value', 'must be text'],
    [
      'an unknown property',
      [{ ...status, comparison: 'a' }],
      '0.comparison',
      /^`config.assertions.0.comparison` is not known/,
    ],
  ])('is rejected: %s', (_what, assertions, at, message) => {
    const path = ['config.assertions', at].filter(Boolean).join('.');
    const found = refusedAssertions(assertions).filter((one) => one.path === path);
    expect(found).toEqual([{ path, message: typeof message === 'string' ? message : expect.stringMatching(message) }]);
  });

  it('is rejected for body and json if the method has no body', () => {
    const list = [status, json, { source: 'body', operator: 'contains', value: 'ok' }];
    expect(refusedAssertions(list, { method: 'HEAD' })).toEqual(
      [1, 2].map((i) => ({
        path: `config.assertions.${i}.source`,
        message: 'cannot be evaluated: a HEAD response has no body; use GET',
      })),
    );
  });

  it('is rejected if it is a warning that never appears', () => {
    const warn = (operator: string, value: number) => ({ source: 'days_left', operator, value, severity: 'warn' });
    const tls = (least: number, assertion: object) =>
      refused(
        { config: { host: 'shop.example.com', min_days_remaining: least, assertions: [assertion] } },
        { entity_id: 'ent_1', check_type: 'tls' },
      );
    const errorsFor = (days: number) => [
      {
        path: 'config.assertions.0.value',
        message: `a warning at ${days} days never appears, because the check fails below 30`,
      },
    ];
    expect(tls(30, warn('at_least', 21))).toEqual(errorsFor(21));
    expect(tls(30, warn('at_least', 30))).toEqual(errorsFor(30));
    expect(tls(30, warn('greater_than', 29))).toEqual(errorsFor(30));
    expect(tls(30, warn('at_least', 31))).toEqual([]);
    expect(tls(30, { ...warn('at_least', 21), severity: 'fail' })).toEqual([]);
  });

  it('is rejected if its source belongs to another type', () => {
    expect(refused({ config: { host: 'a', port: 1, assertions: [json] } }, TCP)).toEqual([
      { path: 'config.assertions.0.source', message: 'is not known: a tcp check has latency_ms' },
    ]);
  });

  it('is rejected in a config of more than 8 KB', () => {
    const value = 'x'.repeat(4096);
    const list = [1, 2].map(() => ({ source: 'body', operator: 'contains', value }));
    expect(refusedAssertions(list)).toEqual([{ path: 'config', message: 'must have at most 8192 bytes as JSON' }]);
  });
});

describe('valid assertions', () => {
  it('keep their order and get defaults', () => {
    const list = [status, { ...json, value: null }, { source: 'json', property: "$['a b'][-1]", operator: 'exists' }];
    const { config } = parseCheck({ ...HTTP_CHECK, config: { assertions: list } }, { minInterval: 1, now: 0 });
    expect(config.assertions).toEqual(list.map((one) => ({ ...one, severity: 'fail' })));
  });
});
