import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, clientOf } from '#test/support/client.ts';
import { runCommand } from '#test/support/command.ts';
import { everything, got, newBlueprint, newCheck } from '#test/support/fleet.ts';
import { pingPathOf, sendPing } from '#test/support/pings.ts';
import { makeRandom } from '#test/support/random.ts';
import type { Lives } from './lives.ts';
import { unlessCut } from './unless-cut.ts';

/** A ping; `answered`: whether it got a 2xx response. */
type Sent = { kind: 'start' | 'success' | 'fail'; rid: string; slug: string; answered: boolean };

/** Jobs that ping, in a separate account, through all lives of the service. */
export type PingJobs = {
  /** Returns the number of acknowledged pings. */
  answered(): number;
  /** Lets jobs ping until the service is gone or they are stopped. @returns a function that stops them */
  start(seed: number): () => Promise<void>;
  /** Returns the violations, a sentence each. */
  wrong(): Promise<string[]>;
};

const JOBS = 4;
const DAY = { interval_seconds: 86_400, failure_threshold: 1 };

/** Creates the account, a check with a ping URL, and a ping key that can create checks. */
export async function beginPings({ service }: Lives): Promise<PingJobs> {
  const args = ['account', 'create', '--email', 'jobs@example.com', '--name', 'Jobs', '--json'];
  const { code, out, err } = await runCommand('infra/admin/main.ts', args, { DATA_DIR: service.dir });
  if (code !== 0) throw new Error(err);
  const client = clientOf(service.url, JSON.parse(out).key.key ?? JSON.parse(out).key);
  const blueprint_slug = await newBlueprint(client);
  const { key } = got(await client.post('/v1/ping-keys', { label: 'all', blueprint_slug }), 201);
  const known = await newCheck(client, { ...DAY, slug: 'known', entity_id: await entityOf(client, blueprint_slug) });
  const sent: Sent[] = [];

  /** @returns whether it was acknowledged @throws if the response is not a 2xx */
  async function ping(path: string, one: Omit<Sent, 'answered'>): Promise<boolean> {
    const attempt: Sent = { ...one, answered: false };
    sent.push(attempt);
    const response = await unlessCut(sendPing(path, {}, service.url));
    if (!response) return false;
    if (response.status >= 300) throw new Error(`A ping returned ${response.status} ${response.text}.`);
    attempt.answered = true;
    return true;
  }

  return {
    answered: () => sent.filter((one) => one.answered).length,

    start(seed) {
      let stopped = false;
      const jobs = Array.from({ length: JOBS }, async (_, number) => {
        const random = makeRandom(seed * 100 + number);
        for (let n = 0; !stopped; n++) {
          const rid = randomUUID();
          // Two jobs ping the known check; the two others ping checks that their pings create.
          const slug = number < 2 ? 'known' : `made-${seed}-${Math.floor(n / 3)}`;
          const base = slug === 'known' && number === 0 ? pingPathOf(known.ping_url) : `/ping/${key}/${slug}`;
          const query = `?rid=${rid}&create=1`;
          if (!(await ping(`${base}/start${query}`, { kind: 'start', rid, slug }))) return;
          await pause(random.int(0, 30));
          const fails = random.chance(0.2);
          const end = fails ? ({ kind: 'fail', path: '/3' } as const) : ({ kind: 'success', path: '' } as const);
          if (!(await ping(`${base}${end.path}${query}`, { kind: end.kind, rid, slug }))) return;
        }
      });
      const all = Promise.all(jobs);
      all.catch(() => {});
      return async () => {
        stopped = true;
        await all;
      };
    },

    async wrong() {
      const broken: string[] = [];
      const checks = (await everything(client, '/v1/checks')) as { id: string; slug: string }[];
      const bySlug = Map.groupBy(checks, ({ slug }) => slug);
      for (const [slug, same] of bySlug) if (same.length > 1) broken.push(`${slug} was created ${same.length} times`);
      for (const [slug, pings] of Map.groupBy(sent, (one) => one.slug)) {
        const answered = pings.filter((one) => one.answered);
        const check = bySlug.get(slug)?.[0];
        if (!check) {
          if (answered.length > 0) broken.push(`${slug} was pinged but does not exist`);
          continue;
        }
        const kept = await pingsOf(client, check.id);
        const there = new Set(kept.map(({ kind, rid }) => `${kind} ${rid}`));
        for (const { kind, rid } of answered) {
          if (!there.has(`${kind} ${rid}`))
            broken.push(`the ping ${kind} ${rid} of ${slug} was acknowledged but is lost`);
        }
        const { runs = [] } = got(await client.get(`/v1/checks/${check.id}`), 200) as { runs?: { rid: string }[] };
        const ended = new Set(answered.filter(({ kind }) => kind !== 'start').map(({ rid }) => rid));
        for (const { rid } of runs) if (ended.has(rid)) broken.push(`the job run ${rid} of ${slug} ended but is open`);
      }
      return broken;
    },
  };
}

async function entityOf(client: Client, blueprint: string): Promise<string> {
  const path = `/v1/blueprints/${blueprint}/entities`;
  return got(await client.post(path, { slug: 'known', name: 'Known' }), 201).id;
}

async function pingsOf(client: Client, id: string): Promise<{ kind: string; rid: string }[]> {
  const all: { kind: string; rid: string }[] = [];
  for (let cursor = ''; ; ) {
    const page = got(await client.get(`/v1/checks/${id}/pings?limit=500${cursor && `&cursor=${cursor}`}`), 200);
    all.push(...page.pings);
    if (page.next_cursor === null) return all;
    cursor = page.next_cursor;
  }
}
