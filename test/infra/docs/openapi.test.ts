import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { errorCodes } from '#infra/docs/openapi.ts';
import { route } from '#lib/platform/http/route.ts';

describe('errorCodes', () => {
  const row = route<object>();
  const always = ['RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE'];
  const keyed = ['UNAUTHORIZED', 'ACCOUNT_DISABLED'];
  const base = { summary: '', status: 204 as const, run: async () => undefined };

  it.each([
    ['an open route', row({ ...base, method: 'GET', path: '/v1/a', access: 'open' }), ['VALIDATION_ERROR', ...always]],
    [
      'a read',
      row({ ...base, method: 'GET', path: '/v1/a', access: 'read' }),
      ['VALIDATION_ERROR', ...keyed, 'FORBIDDEN', ...always],
    ],
    [
      'a list',
      row({ ...base, method: 'GET', path: '/v1/a', access: 'read', query: z.object({}) }),
      ['VALIDATION_ERROR', ...keyed, 'FORBIDDEN', ...always],
    ],
    [
      'a change by an admin, with its own code',
      row({
        ...base,
        method: 'PUT',
        path: '/v1/a/{id}',
        access: 'configure',
        body: z.object({}),
        errors: ['CONFLICT'],
      }),
      [
        ...['VALIDATION_ERROR', ...keyed, 'FORBIDDEN', 'READ_ONLY', 'NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'CONFLICT'],
        ...always,
      ],
    ],
  ])('follow from the route: %s', (_name, made, codes) => {
    expect(errorCodes(made as never)).toEqual(codes);
  });
});
