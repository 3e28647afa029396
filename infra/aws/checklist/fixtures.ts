import { randomBytes } from 'node:crypto';
import { type Call, caller, expected, StepError } from '#infra/smoke/call.ts';

type Address = { name: string; url: string };

export type Given = {
  /** The outputs Url, ApiUrl and StreamUrlmcp, as far as they are given. */
  addresses: Address[];
  /** Whether CloudFront stands in front: then the address that streams takes no calls of ours. */
  cdn: boolean;
  key: string;
  hosts: { ipv6: string; smtp: string; tls: { host: string; port: number } };
  /** How long a check is left silent. */
  minutes: number;
  /** How long a first result may take, in seconds. */
  patience: number;
};

/** What the items work with: entities of their own, taken away at the end. */
export type Fixtures = Given & {
  name: string;
  call: Call;
  /** Base address of streams. */
  stream: string;
  /** Addresses that take a call with a key. */
  callable: (Address & { call: Call })[];
  /** Ids; a check goes onto one of them, as an entity takes 25 at most. */
  entities: string[];
};

export function siteOf(given: Given): Fixtures {
  const { addresses, cdn, key } = given;
  const isOpen = (one: Address) => !(cdn && one.name === 'StreamUrlmcp');
  const callable = addresses.filter(isOpen).map((one) => ({ ...one, call: caller(one.url, key) }));
  const { url, call } = callable[0]!;
  const stream = cdn ? url : (addresses.find((one) => one.name === 'StreamUrlmcp')?.url ?? url);
  return { ...given, name: `checklist-${randomBytes(4).toString('hex')}`, call, callable, stream, entities: [] };
}

const SLUGS = ['one', 'two', 'three', 'four'];

/** Makes its blueprint and entities. Throws StepError. */
export async function createFixtures({ call, name, entities }: Fixtures): Promise<void> {
  expected(await call('POST', '/v1/blueprints', { slug: name, name: 'Checklist' }), 201, 'POST /v1/blueprints');
  for (const slug of SLUGS) {
    const made = await call('POST', `/v1/blueprints/${name}/entities`, { slug, name: `Checklist ${slug}` });
    entities.push(expected(made, 201, 'POST entities').id);
  }
}

/** Takes away what `furnish` has made, and with the entities their checks. Throws StepError. */
export async function deleteFixtures({ call, name }: Fixtures): Promise<void> {
  for (const slug of SLUGS) await call('DELETE', `/v1/blueprints/${name}/entities/${slug}`);
  const { status } = await call('DELETE', `/v1/blueprints/${name}`);
  if (status !== 204 && status !== 404) throw new StepError(`The blueprint ${name} is left (${status}): delete it.`);
}
