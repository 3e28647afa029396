import { expect, it } from 'vitest';
import { generate } from '#infra/docs/generate.ts';
import { clientOf } from '#test/support/client.ts';
import { target } from '#test/support/service.ts';

it('GET /v1/openapi.json needs no key and returns the document generated from the routes', async () => {
  const answer = await clientOf((await target()).url, '').get('/v1/openapi.json');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(JSON.stringify(answer.body)).toBe(JSON.stringify(generate().document));
});
