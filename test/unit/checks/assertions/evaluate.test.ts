import { describe, expect, it } from 'vitest';
import type { Assertion } from '#lib/checks/assertions/assertion.ts';
import { evaluateAssertions } from '#lib/checks/assertions/evaluate.ts';
import { expiryOf } from '#lib/checks/assertions/expiry.ts';
import type { ProbeFacts } from '#lib/checks/assertions/observation.ts';
import { succeeded, withAssertionResults } from '#lib/checks/outcome.ts';
import { unlimitedCpu } from '#test/support/probe-world.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const body = (text: string, type = 'application/json') => ({
  text,
  bytes: Buffer.byteLength(text),
  isCut: false,
  type,
});
const DB = body('{"db":{"name":"orders","version":3},"code":200,"list":[1,2],"ok":true,"error":"boom","none":null}');
const HEADERS: Record<string, string> = {
  'x-remaining': 'n/a',
  'x-left': '12.5',
  'set-cookie': 'a=1, b=2',
  server: 'nginx',
};

const FACTS: ProbeFacts = {
  status_code: 503,
  latency_ms: 912,
  body: DB,
  header: (name) => HEADERS[name],
  expiry: expiryOf('certificate', NOW + 9.5 * 86_400_000, NOW, 'tls'),
  tls_version: 'TLSv1.2',
  issuer: "Let's Encrypt",
  fingerprint_sha256: 'AB:CD',
  records: {
    values: ['192.0.2.1', '192.0.2.2'],
    same: (a, b) => a.toLowerCase() === b.toLowerCase(),
    none: 'none',
  },
  rcode: 'NXDOMAIN',
};

const one = (assertion: Partial<Assertion>): Assertion => ({ severity: 'fail', ...assertion }) as Assertion;
/** Evaluates an assertion. Returns the message if it failed, else undefined. */
const failureMessage = async (assertion: Partial<Assertion>, facts: Partial<ProbeFacts> = {}) => {
  const { failures, evaluated } = await evaluateAssertions(
    [one(assertion)],
    { ...FACTS, ...facts },
    { cpu: unlimitedCpu, withDetails: true },
  );
  expect(evaluated[0]!.passed).toBe(failures.length === 0);
  return failures[0]?.message;
};
const json = (property: string, operator: Assertion['operator'], value?: unknown) =>
  ({ source: 'json', property, operator, ...(value !== undefined && { value }) }) as Partial<Assertion>;

describe('a failed assertion', () => {
  it.each<[Partial<Assertion>, string]>([
    [
      { source: 'status_code', operator: 'one_of', value: ['2xx', 304] },
      'expected status_code to be one of 2xx, 304, got 503 (Service Unavailable)',
    ],
    [
      { source: 'status_code', operator: 'equals', value: 200 },
      'expected status_code to equal 200, got 503 (Service Unavailable)',
    ],
    [
      { source: 'body', operator: 'not_contains', value: 'error' },
      'expected body not to contain "error" (searched 97 bytes)',
    ],
    [{ source: 'body', operator: 'equals', value: 'pong' }, 'expected body to equal "pong" (it has 97 bytes)'],
    [{ source: 'body', operator: 'matches', value: '^ok$' }, 'expected body to match "^ok$" (searched 97 bytes)'],
    [json('$.db.name', 'equals', 'ok'), 'expected json $.db.name to equal "ok", got "orders"'],
    [json('$.code', 'equals', '200'), 'expected json $.code to equal "200" (text), got 200 (a number)'],
    [json('$.db.name', 'equals', 3), 'expected json $.db.name to equal 3 (a number), got "orders" (text)'],
    [json('$.ok', 'equals', 'true'), 'expected json $.ok to equal "true" (text), got true'],
    [
      json('$.db', 'equals', 1),
      'expected json $.db to equal 1 (a number), got {"name":"orders","version":3} (an object)',
    ],
    [json('$.code', 'contains', '2'), 'expected json $.code to contain "2", got 200 (a number)'],
    [json('$.error', 'at_least', 1), 'expected json $.error to be at least 1, got "boom" (text)'],
    [json('$.list.length', 'greater_than', 2), 'expected json $.list.length to be greater than 2, got 2'],
    [json('$.error', 'not_exists'), 'expected json $.error not to exist, got "boom"'],
    [json('$.none', 'not_exists'), 'expected json $.none not to exist, got null'],
    [json('$.db.status', 'equals', 'ok'), 'json $.db.status does not exist; $.db has name, version'],
    [json('$.list[5]', 'exists'), 'json $.list[5] does not exist; $.list has 2 items'],
    [json('$.db.name.x', 'exists'), 'json $.db.name.x does not exist; $.db.name is text'],
    [json('$.ok.x', 'exists'), 'json $.ok.x does not exist; $.ok is true'],
    [
      { source: 'latency_ms', operator: 'less_than', value: 800 },
      'expected latency_ms to be less than 800, got {latency_ms}',
    ],
    [
      { source: 'days_left', operator: 'at_least', value: 21 },
      'certificate expires on 2026-12-02, in 9 days; at least 21 are required: renew it',
    ],
    [
      { source: 'days_left', operator: 'greater_than', value: 21 },
      'certificate expires on 2026-12-02, in 9 days; at least 22 are required: renew it',
    ],
    [{ source: 'days_left', operator: 'less_than', value: 9 }, 'expected days_left to be less than 9, got 9'],
    [
      { source: 'header', property: 'X-Remaining', operator: 'at_least', value: 10 },
      'expected header X-Remaining to be at least 10, got "n/a" (not a number)',
    ],
    [
      { source: 'header', property: 'x-left', operator: 'at_least', value: 13 },
      'expected header x-left to be at least 13, got "12.5"',
    ],
    [{ source: 'header', property: 'x-none', operator: 'exists' }, 'header x-none does not exist'],
    [
      { source: 'header', property: 'Set-Cookie', operator: 'not_contains', value: 'a=1' },
      'expected header Set-Cookie not to contain "a=1", got ********',
    ],
    [
      { source: 'tls_version', operator: 'equals', value: 'TLSv1.3' },
      'expected tls_version to equal "TLSv1.3", got "TLSv1.2"',
    ],
    [
      { source: 'issuer', operator: 'not_contains', value: 'Encrypt' },
      'expected issuer not to contain "Encrypt", got "Let\'s Encrypt"',
    ],
    [
      { source: 'any_record', operator: 'equals', value: '192.0.2.9' },
      'expected any_record to equal "192.0.2.9", got 192.0.2.1, 192.0.2.2',
    ],
    [
      { source: 'all_records', operator: 'one_of', value: ['192.0.2.1'] },
      'expected all_records to be one of "192.0.2.1", got 192.0.2.1, 192.0.2.2',
    ],
    [{ source: 'record_count', operator: 'equals', value: 1 }, 'expected record_count to equal 1, got 2'],
    [{ source: 'rcode', operator: 'equals', value: 'NOERROR' }, 'expected rcode to equal NOERROR, got NXDOMAIN'],
  ])('has a message: %o', async (assertion, message) => {
    expect(await failureMessage(assertion)).toBe(message);
  });

  it.each([
    [1.5, 'certificate expires on 2026-11-24, in 1 day; at least 7 are required: renew it'],
    [-1.5, 'certificate expired on 2026-11-21: renew it'],
  ])('states the expiry of a certificate %d days ahead', async (days, message) => {
    const expiry = expiryOf('certificate', NOW + days * 86_400_000, NOW, 'tls');
    expect(await failureMessage({ source: 'days_left', operator: 'at_least', value: 7 }, { expiry })).toBe(message);
  });

  it('quotes up to 100 characters of the found value, and never the body', async () => {
    const secret = 'x'.repeat(300);
    const found = await failureMessage(json('$.a', 'equals', 'b'), { body: body(JSON.stringify({ a: secret })) });
    expect(found).toBe(`expected json $.a to equal "b", got "${'x'.repeat(98)}…`);
    const whole = await failureMessage({ source: 'body', operator: 'equals', value: 'b' }, { body: body(secret) });
    expect(whole).not.toContain('x'.repeat(10));
  });
});

describe('a value that cannot be read', () => {
  it.each<[string, Partial<ProbeFacts>, Partial<Assertion>, string]>([
    [
      'a body that is not JSON',
      { body: body('<html>', 'text/html') },
      json('$.a', 'not_equals', 1),
      'the body is not JSON (text/html, 6 bytes)',
    ],
    ['an empty body', { body: body('', '') }, json('$.a', 'not_exists'), 'the body is not JSON (0 bytes)'],
    [
      'a body that ends early',
      { body: body('{"a":') },
      json('$.a', 'equals', 1),
      'the body is not JSON (application/json, 5 bytes)',
    ],
    [
      'a body over 1 MB',
      { body: { text: '1', bytes: 1024 * 1024, isCut: true, type: '' } },
      json('$', 'equals', 1),
      'the body has more than 1 MB',
    ],
    [
      'a certificate without dates',
      { expiry: expiryOf('certificate', Number.NaN, NOW, 'tls') },
      { source: 'days_left', operator: 'less_than', value: 1 },
      'certificate does not say when it expires',
    ],
  ])('fails every assertion: %s', async (_what, facts, assertion, message) => {
    expect(await failureMessage(assertion, facts)).toBe(message);
  });

  it('does not fail an assertion if it was not measured', async () => {
    const { latency_ms: _none, ...unmeasured } = FACTS;
    const results = await evaluateAssertions(
      [one({ source: 'latency_ms', operator: 'less_than', value: 1 })],
      unmeasured,
      { cpu: unlimitedCpu, withDetails: true },
    );
    expect(results).toMatchObject({ failures: [], evaluated: [{ passed: true, actual: null }] });
  });
});

describe('unusual bodies', () => {
  it.each<[string, string, Partial<Assertion>, boolean]>([
    ['an infinite number', '{"a":1e999}', json('$.a', 'greater_than', 1), true],
    ['a repeated property, of which the last counts', '{"a":1,"a":2}', json('$.a', 'equals', 2), true],
    ['a byte order mark', '\ufeff{"a":1}', json('$.a', 'equals', 1), true],
    [
      'bytes that are not characters',
      `{"a":"${new TextDecoder().decode(Buffer.from([0xff]))}"}`,
      json('$.a', 'equals', '\ufffd'),
      true,
    ],
    ['100,000 levels', `${'['.repeat(100_000)}1${']'.repeat(100_000)}`, json('$[0][0]', 'exists'), true],
    ['a property that all objects inherit', '{}', json('$.constructor', 'exists'), false],
    ['__proto__', '{"__proto__":{"a":1}}', json('$.__proto__.a', 'equals', 1), true],
  ])('are evaluated: %s', async (_what, text, assertion, holds) => {
    expect((await failureMessage(assertion, { body: body(text) })) === undefined).toBe(holds);
  });

  it('show an infinite number as such', async () => {
    const found = await failureMessage(json('$.a', 'equals', 1), { body: body('{"a":1e999}') });
    expect(found).toBe('expected json $.a to equal 1, got Infinity');
  });
});

describe('several assertions', () => {
  const slow = one({ source: 'latency_ms', operator: 'less_than', value: 800, severity: 'warn' });
  const wrong = one({ source: 'status_code', operator: 'equals', value: 200 });
  const missing = one(json('$.x', 'exists'));
  const fine = one({ source: 'rcode', operator: 'equals', value: 'NXDOMAIN' });

  it('are all evaluated in order; the message has the first failure and warning, and the number of others', async () => {
    const results = await evaluateAssertions([slow, missing, fine, wrong, slow, missing], FACTS, {
      cpu: unlimitedCpu,
      withDetails: true,
    });
    expect(results.evaluated.map(({ passed }) => passed)).toEqual([false, false, true, false, false, false]);
    expect(withAssertionResults(succeeded(912, 503), results)).toMatchObject({
      success: false,
      error_kind: 'body',
      error_message: 'json $.x does not exist; $ has db, code, list, ok, error, none (and 2 more)',
      warning_message: 'expected latency_ms to be less than 800, got {latency_ms} (and 1 more)',
    });
  });

  it('do not change a success if they only warn', async () => {
    const outcome = withAssertionResults(
      succeeded(912, 200),
      await evaluateAssertions([slow], FACTS, { cpu: unlimitedCpu, withDetails: true }),
    );
    expect(outcome).toMatchObject({ success: true, error_kind: null, error_message: '' });
    expect(outcome.warning_message).toBe('expected latency_ms to be less than 800, got {latency_ms}');
  });

  it('add nothing if the list is empty', async () => {
    expect(
      withAssertionResults(
        succeeded(5, 200),
        await evaluateAssertions(undefined, FACTS, { cpu: unlimitedCpu, withDetails: true }),
      ),
    ).toEqual(succeeded(5, 200));
  });
});
