import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import { DIGEST_FILE } from '#infra/docs/api-digest.ts';
import { committedFiles } from '#infra/docs/committed-files.ts';
import { EXAMPLES_FILE } from '#infra/docs/examples.ts';
import { generate } from '#infra/docs/generate.ts';
import { endpointOf, type OpenApi } from '#infra/docs/openapi.ts';
import { placesIn, readPages } from '#infra/docs/pages.ts';
import { recordExamples } from '#infra/docs/record.ts';
import { tablesOf } from '#infra/docs/tables.ts';
import { AlertRecord } from '#infra/docs/webhooks.ts';
import { allRoutes } from '#lib/all-routes.ts';
import { channelTypes } from '#lib/channels/registry.ts';
import { webhook } from '#lib/channels/types/webhook.ts';
import { checkTypes } from '#lib/checks/types/registry.ts';
import { assertDescribed } from '#test/support/described.ts';
import { examples as alerts } from '#test/unit/channels/example-alerts.ts';
import { membersOf } from './described-members.ts';

let made: Record<string, string>;
let document: OpenApi;
beforeAll(async () => {
  const examples = await recordExamples();
  made = committedFiles(examples);
  // As a client gets it.
  document = JSON.parse(JSON.stringify(generate(examples).document));
});

const onDisk = (file: string) => readFileSync(join(import.meta.dirname, '../../..', file), 'utf8');

const linesOf = (text: string) => text.split('\n');

/** Every operation as `[method, path, operation]`. */
const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

describe('the API description', () => {
  it.each([DIGEST_FILE, EXAMPLES_FILE, ...readPages().keys()])('%s is up to date', (file) => {
    const changed = linesOf(made[file]!).filter((line) => !linesOf(onDisk(file)).includes(line));
    expect(changed, 'npm run generate updates it').toEqual([]);
    expect(onDisk(file) === made[file], 'npm run generate updates it').toBe(true);
  });

  it('stands in one page each, table by table', () => {
    const places = [...readPages().values()].flatMap(placesIn);
    expect(places.toSorted()).toEqual(Object.keys(tablesOf(document)).toSorted());
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
        const { example } = Object.values(content)[0]!;
        expect(example, `${method} ${path}`).toBeDefined();
        assertDescribed(method, path, { status: Number(status), body: example });
      }
    }
  });

  it('says of every member of every request, answer and event what it means', () => {
    const members = membersOf(document);
    expect(members.length).toBeGreaterThan(700);
    const mute = members.filter(({ schema }) => !/^\S.*\S$/.test(schema.description ?? ''));
    expect(mute.map(({ place }) => place)).toEqual([]);
  });

  /** Words that say nothing by themselves. */
  const TOLD = ['error_kind', 'cause', 'reason', 'kind', 'dispatch_status', 'trigger_type'];

  it.each(TOLD)('tells what each value of %s means', (name) => {
    const all = membersOf(document).filter(({ place }) => place.endsWith(`.${name}`));
    // Some are a sentence, and have no values.
    const members = all.flatMap((one) => {
      const values: string[] | undefined = one.schema.enum ?? one.schema.anyOf?.[0].enum;
      return values ? [{ ...one, values }] : [];
    });
    expect(members.length).toBeGreaterThan(0);
    for (const { place, schema, values } of members) {
      expect(values.filter((value) => !schema.description.includes(`${value}:`) && !isListed(schema, value))).toEqual(
        [],
      );
      expect(values.length, place).toBeGreaterThan(1);
    }
  });

  /** `check_disabled, check_enabled: …` */
  const isListed = ({ description }: { description: string }, value: string) =>
    new RegExp(`\\b${value}(, \\w+)*:`).test(description);

  it('says of every group of endpoints what it is about', () => {
    expect(document.tags.filter(({ description }: { description?: string }) => !description)).toEqual([]);
  });

  it('tells alternatives apart by a member, and gives each a title', () => {
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
  ])('shows a good request of each kind to %s', (endpoint, kinds) => {
    const [method, path] = endpoint.toLowerCase().split(' ') as [string, string];
    const { examples } = document.paths[path]![method].requestBody.content['application/json'];
    expect(Object.keys(examples).toSorted()).toEqual(kinds().toSorted());
    const { body } = allRoutes.find((row) => endpointOf(row) === endpoint)!;
    for (const [name, { value }] of Object.entries<{ value: unknown }>(examples)) {
      expect(body!.safeParse(value).error, name).toBeUndefined();
    }
  });

  it('shows the event that a webhook gets, member for member', () => {
    const { example } = document.webhooks.state_change.post.requestBody.content['application/json'];
    const sent = webhook.render(alerts.state_change, { url: 'https://x.example.com/' });
    const body = sent.via === 'http' ? sent.body : '';
    expect(Object.keys(AlertRecord.parse(example))).toEqual(Object.keys(example));
    expect(Object.keys(JSON.parse(body))).toEqual(Object.keys(example));
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
  const failure = (code: string, more: object = {}) => ({ error: 'It is so.', code, ...more });

  it.each([
    ['a record', answer(201, relation)],
    ['an error that its row states', answer(409, failure('CONFLICT'))],
    ['a path that is no endpoint', () => assertDescribed('GET', '/v1/none', { status: 404, body: {} })],
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
    ['a body where none is stated', () => assertDescribed('DELETE', '/v1/relations/x', { status: 204, body: {} })],
  ])('is refused: %s', (_name, check) => {
    expect(check).toThrow(/POST|DELETE/);
  });
});
