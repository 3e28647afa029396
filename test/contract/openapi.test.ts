import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clientOf } from '#test/support/client.ts';
import { target } from '#test/support/service.ts';

it('GET /v1/openapi.json needs no key and is the document that is checked in', async () => {
  const answer = await clientOf((await target()).url, '').get('/v1/openapi.json');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.body).toEqual(JSON.parse(readFileSync(join(import.meta.dirname, '../../lib/openapi.json'), 'utf8')));
});
