import { randomBytes } from 'node:crypto';
import { type Call, caller, expected, StepError } from '#infra/smoke/call.ts';

type Address = { name: string; url: string };

export type Given = {
  addresses: Address[];
  /** Whether CloudFront is in front; then the stream URL rejects direct requests. */
  cdn: boolean;
  key: string;
  hosts: { ipv6: string; smtp: string; tls: { host: string; port: number } };
  /** Time without heartbeats in the item `missed heartbeats`, in minutes. */
  minutes: number;
  /** Timeout of the first result of a check in seconds. */
  patience: number;
};

/** Blueprint and entities that the items use; deleted at the end. */
export type Fixtures = Given & {
  name: string;
  call: Call;
  stream: string;
  callable: (Address & { call: Call })[];
  /** Ids of several entities, because an entity has at most 25 checks. */
  entities: string[];
};

export function fixturesOf(given: Given): Fixtures {
  const { addresses, cdn, key } = given;
  const isOpen = (one: Address) => !(cdn && one.name === 'StreamUrlmcp');
  const callable = addresses.filter(isOpen).map((one) => ({ ...one, call: caller(one.url, key) }));
  const { url, call } = callable[0]!;
  const stream = cdn ? url : (addresses.find((one) => one.name === 'StreamUrlmcp')?.url ?? url);
  return { ...given, name: `checklist-${randomBytes(4).toString('hex')}`, call, callable, stream, entities: [] };
}

const SLUGS = ['one', 'two', 'three', 'four'];

/** Creates the blueprint and the entities. Throws StepError. */
export async function createFixtures({ call, name, entities }: Fixtures): Promise<void> {
  expected(await call('POST', '/v1/blueprints', { slug: name, name: 'Checklist' }), 201, 'POST /v1/blueprints');
  for (const slug of SLUGS) {
    const made = await call('POST', `/v1/blueprints/${name}/entities`, { slug, name: `Checklist ${slug}` });
    entities.push(expected(made, 201, 'POST entities').id);
  }
}

/** Deletes the blueprint, the entities and their checks. Throws StepError. */
export async function deleteFixtures({ call, name }: Fixtures): Promise<void> {
  for (const slug of SLUGS) await call('DELETE', `/v1/blueprints/${name}/entities/${slug}`);
  const { status } = await call('DELETE', `/v1/blueprints/${name}`);
  if (status !== 204 && status !== 404)
    throw new StepError(`The blueprint ${name} was not deleted (${status}): delete it manually.`);
}
