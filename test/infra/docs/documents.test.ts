import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import { DIGEST_FILE } from '#infra/docs/api-digest.ts';
import { committedFiles } from '#infra/docs/committed-files.ts';
import { EXAMPLES_FILE } from '#infra/docs/examples.ts';
import { generate } from '#infra/docs/generate.ts';
import { endpointOf, type OpenApi } from '#infra/docs/openapi.ts';
import { readPages, tableNamesIn } from '#infra/docs/pages.ts';
import { recordExamples } from '#infra/docs/record.ts';
import { tablesOf } from '#infra/docs/tables.ts';
import { AlertRecord } from '#infra/docs/webhooks.ts';
import { allRoutes } from '#lib/all-routes.ts';
import { channelTypes } from '#lib/channels/registry.ts';
import { webhook } from '#lib/channels/types/webhook.ts';
import { checkTypes } from '#lib/checks/types/registry.ts';
import { assertDescribed } from '#test/support/described.ts';
import { examples as alerts } from '#test/unit/channels/example-alerts.ts';
import { propertiesOf } from './described-properties.ts';

let made: Record<string, string>;
let document: OpenApi;
beforeAll(async () => {
  const examples = await recordExamples();
  made = committedFiles(examples);
  // As a client receives it.
  document = JSON.parse(JSON.stringify(generate(examples).openApi));
});

const onDisk = (file: string) => readFileSync(join(import.meta.dirname, '../../..', file), 'utf8');

const linesOf = (text: string) => text.split('\n');

/** Returns all operations with their methods and paths. */
const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

describe('API description', () => {
  it.each([DIGEST_FILE, EXAMPLES_FILE, ...readPages().keys()])('%s is up to date', (file) => {
    const changed = linesOf(made[file]!).filter((line) => !linesOf(onDisk(file)).includes(line));
    expect(changed, 'npm run generate updates it').toEqual([]);
    expect(onDisk(file) === made[file], 'npm run generate updates it').toBe(true);
  });

  it('has each table in exactly one page', () => {
    const places = [...readPages().values()].flatMap(tableNamesIn);
    expect(places.toSorted()).toEqual(Object.keys(tablesOf(document)).toSorted());
  });

  it('is a valid OpenAPI document', async () => {
    expect(await new Validator().validate(structuredClone(document))).toMatchObject({ valid: true });
  });

  it('has a recorded example of every response, which matches the schema', () => {
    for (const { method, path, operation } of operations()) {
      if (path === '/v1/openapi.json') continue;
      for (const [status, { content }] of Object.entries<{ content?: Record<string, { example: unknown }> }>(
        operation.responses,
      )) {
        if (!content) continue;
        const { example } = Object.values(content)[0]!;
        expect(example, `${method} ${path}`).toBeDefined();
        assertDescribed(method, path, { status: Number(status), body: example });
      }
    }
  });

  it('describes every property of requests, responses and events', () => {
    const properties = propertiesOf(document);
    expect(properties.length).toBeGreaterThan(700);
    const undescribed = properties.filter(({ schema }) => !/^\S.*\S$/.test(schema.description ?? ''));
    expect(undescribed.map(({ place }) => place)).toEqual([]);
  });

  /** Enum properties. Each of their values needs a description. */
  const ENUMS = ['error_kind', 'cause', 'reason', 'kind', 'dispatch_status', 'trigger_type'];

  it.each(ENUMS)('describes each value of %s', (name) => {
    const all = propertiesOf(document).filter(({ place }) => place.endsWith(`.${name}`));
    // Some are free texts without fixed values.
    const properties = all.flatMap((one) => {
      const values: string[] | undefined = one.schema.enum ?? one.schema.anyOf?.[0].enum;
      return values ? [{ ...one, values }] : [];
    });
    expect(properties.length).toBeGreaterThan(0);
    for (const { place, schema, values } of properties) {
      expect(values.filter((value) => !schema.description.includes(`${value}:`) && !isListed(schema, value))).toEqual(
        [],
      );
      expect(values.length, place).toBeGreaterThan(1);
    }
  });

  /** Whether the description explains the value with others: `check_disabled, check_enabled: …`. */
  const isListed = ({ description }: { description: string }, value: string) =>
    new RegExp(`\\b${value}(, \\w+)*:`).test(description);

  it('describes every group of endpoints', () => {
    expect(document.tags.filter(({ description }: { description?: string }) => !description)).toEqual([]);
  });

  it('has a discriminator and titles for alternatives', () => {
    const schemas = Object.entries<{ oneOf?: { $ref: string }[]; discriminator?: object }>(document.components.schemas);
    const unions = schemas.filter(([, { oneOf }]) => oneOf);
    expect(unions.map(([name]) => name)).toEqual([
      'Check',
      'CheckInList',
      'CheckWithLastResult',
      'NewAccountChannel',
      'NewChannel',
      'NewCheck',
    ]);
    for (const [name, { oneOf, discriminator }] of unions) {
      const [types, member] = name.endsWith('Channel')
        ? [channelTypes.map(({ type }) => type), 'channel_type']
        : [[...checkTypes.keys()], 'check_type'];
      const place = (type: string) => `#/components/schemas/${name}_${type}`;
      expect(oneOf).toEqual(types.map((type) => ({ $ref: place(type) })));
      const mapping = Object.fromEntries(types.map((type) => [type, place(type)]));
      expect(discriminator).toEqual({ propertyName: member, mapping });
      for (const type of types) expect(document.components.schemas[`${name}_${type}`].title).toMatch(/\S/);
    }
  });

  it.each([
    ['POST /v1/checks', () => [...checkTypes.keys()]],
    ['POST /v1/checks/{check_id}/policy/channels', () => channelTypes.map(({ type }) => type)],
    ['POST /v1/actions', () => ['state_change', 'manual', 'schedule']],
  ])('has a valid example of each type of request to %s', (endpoint, kinds) => {
    const [method, path] = endpoint.toLowerCase().split(' ') as [string, string];
    const { examples } = document.paths[path]![method].requestBody.content['application/json'];
    expect(Object.keys(examples).toSorted()).toEqual(kinds().toSorted());
    const { body } = allRoutes.find((row) => endpointOf(row) === endpoint)!;
    for (const [name, { value }] of Object.entries<{ value: unknown }>(examples)) {
      expect(body!.safeParse(value).error, name).toBeUndefined();
    }
  });

  it('has an example of the webhook event with all properties', () => {
    const { example } = document.webhooks.state_change.post.requestBody.content['application/json'];
    const sent = webhook.render(alerts.state_change, { url: 'https://x.example.com/' });
    const body = sent.via === 'http' ? sent.body : '';
    expect(Object.keys(AlertRecord.parse(example))).toEqual(Object.keys(example));
    expect(Object.keys(JSON.parse(body))).toEqual(Object.keys(example));
  });

  it('gives every operation a unique name', () => {
    const names = operations().map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('assertDescribed', () => {
  const relation = {
    id: 'rel_1',
    from_entity_id: 'ent_1',
    from_entity: 'service/shop',
    to_entity_id: 'ent_2',
    to_entity: 'service/database',
    relation_type: 'depends_on',
    propagates_failure: true,
    group: null,
    required: null,
    when: 'down',
    created_at: '2026-11-21T08:00:00.000Z',
  };
  const answer = (status: number, body: unknown) => () => assertDescribed('POST', '/v1/relations', { status, body });
  const failure = (code: string, more: object = {}) => ({ error: 'An error.', code, ...more });

  it.each([
    ['a record', answer(201, relation)],
    ['an error that its route lists', answer(409, failure('CONFLICT'))],
    ['a path without an endpoint', () => assertDescribed('GET', '/v1/none', { status: 404, body: {} })],
  ])('accepts %s', (_name, check) => {
    expect(check).not.toThrow();
  });

  it.each([
    ['an undocumented property', answer(201, { ...relation, color: 'red' })],
    ['a missing property', answer(201, { ...relation, id: undefined })],
    ['a property of another type', answer(201, { ...relation, id: 7 })],
    ['an invalid time', answer(201, { ...relation, created_at: 'today' })],
    ['an undocumented status', answer(200, relation)],
    ['an undocumented code', answer(409, failure('LOG_LIMIT'))],
    ['an error with undocumented properties', answer(409, failure('CONFLICT', { stack: '' }))],
    ['an undocumented body', () => assertDescribed('DELETE', '/v1/relations/x', { status: 204, body: {} })],
  ])('rejects %s', (_name, check) => {
    expect(check).toThrow(/POST|DELETE/);
  });
});
