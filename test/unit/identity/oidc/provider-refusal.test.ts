import { expect, it } from 'vitest';
import { signInRefusal } from '#lib/identity/oidc/provider.ts';
import { NetError } from '#lib/net/net.ts';

const named = (name: string, message: string, more: object = {}) =>
  Object.assign(new Error(message), { name, ...more });

it('reports a network error as unreachable', () => {
  const net = new NetError('connect', 'connection refused by 127.0.0.1:5556');
  const error = named('ClientError', 'something went wrong', { cause: net });
  expect(signInRefusal(error, [])).toMatchObject({ reason: 'unreachable', message: net.message });
});

it.each([
  ['access_denied', 'denied'],
  ['temporarily_unavailable', 'unreachable'],
  ['server_error', 'unreachable'],
  ['invalid_client', 'failed'],
  ['constructor', 'failed'],
])('maps the provider error %s to %s', (error, reason) => {
  const response = named('ResponseBodyError', 'server responded with an error', { error, error_description: 'why' });
  expect(signInRefusal(response, [])).toMatchObject({ reason, message: `it returned ${error}: why` });
});

it('removes secrets from the description of a provider and limits its length', () => {
  const error_description = `code abc and secret s+c/r=t, ${'x'.repeat(10_000)}`;
  const response = named('ResponseBodyError', '', { error: 'invalid_grant', error_description });
  const { message } = signInRefusal(response, ['abc', 's+c/r=t', '']);
  expect(message).toMatch(/^it returned invalid_grant: code \*{8} and secret \*{8}, x+…$/);
  expect(message.length).toBeLessThan(600);
});

it('reports errors that quote their input, such as parser errors, only by name', () => {
  const parser = named('SyntaxError', 'Unexpected token in eyJhbGciOi');
  const error = named('ClientError', 'parsing error', {
    cause: named('OperationProcessingError', 'no JSON', { cause: parser }),
  });
  expect(signInRefusal(error, [])).toMatchObject({ reason: 'failed', message: 'parsing error: no JSON: SyntaxError' });
});
