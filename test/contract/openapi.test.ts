import { expect, it } from 'vitest';
import { generate } from '#infra/docs/generate.ts';
import { clientOf } from '#test/support/client.ts';
import { target } from '#test/support/service.ts';

it('returns the document generated from the routes at GET /v1/openapi.json, without a key', async () => {
  const response = await clientOf((await target()).url, '').get('/v1/openapi.json');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(JSON.stringify(response.body)).toBe(JSON.stringify(generate().openApi));
});
