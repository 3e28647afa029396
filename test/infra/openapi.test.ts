import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import { documents } from '#infra/docs/documents.ts';
import type { OpenApi } from '#lib/platform/openapi.ts';
import { mustBeDescribed } from '#test/support/described.ts';

let made: Record<string, string>;
let document: OpenApi;
beforeAll(async () => {
  made = await documents();
  document = JSON.parse(made['lib/openapi.json']!);
});

const onDisk = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');

/** Every operation as `[method, path, operation]`. */
const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

describe('the API description', () => {
  it.each(['lib/openapi.json', 'lib/ENDPOINTS.md'])('%s is what the rows say: else run npm run openapi', (file) => {
    expect(onDisk(file) === made[file]).toBe(true);
  });

  it('is a valid OpenAPI document', async () => {
    expect(await new Validator().validate(structuredClone(document))).toMatchObject({ valid: true });
  });

  it('has a real example of every answer that fits its schema, member for member', () => {
    for (const { method, path, operation } of operations()) {
      if (path === '/v1/openapi.json') continue;
      for (const [status, { content }] of Object.entries<{ content?: Record<string, { example: unknown }> }>(
        operation.responses,
      )) {
        if (!content) continue;
        const { example } = content['application/json']!;
        expect(example, `${method} ${path}`).toBeDefined();
        mustBeDescribed(method, path, { status: Number(status), body: example });
      }
    }
  });

  it('gives every operation a name of its own', () => {
    const names = operations().map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('an answer that is held to the description', () => {
  const relation = {
    id: 'rel_1',
    from_entity_id: 'ent_1',
    to_entity_id: 'ent_2',
    relation_type: 'depends_on',
    created_at: '2026-11-21T08:00:00.000Z',
  };
  const answer = (status: number, body: unknown) => () => mustBeDescribed('POST', '/v1/relations', { status, body });
  const failure = (code: string, more: object = {}) => ({ error: 'It is so.', code, ...more });

  it.each([
    ['a record', answer(201, relation)],
    ['an error that its row states', answer(409, failure('CONFLICT'))],
    ['a path that is no endpoint', () => mustBeDescribed('GET', '/v1/none', { status: 404, body: {} })],
  ])('passes: %s', (_name, check) => {
    expect(check).not.toThrow();
  });

  it.each([
    ['a member that is not stated', answer(201, { ...relation, colour: 'red' })],
    ['a member that is missing', answer(201, { ...relation, id: undefined })],
    ['a member of another type', answer(201, { ...relation, id: 7 })],
    ['a time that is none', answer(201, { ...relation, created_at: 'today' })],
    ['a status that is not stated', answer(200, relation)],
    ['a code that is not stated', answer(409, failure('LOG_LIMIT'))],
    ['an error with more than its row states', answer(409, failure('CONFLICT', { stack: '' }))],
    ['a body where none is stated', () => mustBeDescribed('DELETE', '/v1/relations/x', { status: 204, body: {} })],
  ])('is refused: %s', (_name, check) => {
    expect(check).toThrow(/POST|DELETE/);
  });
});
