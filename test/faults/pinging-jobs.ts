import type { PingAttempt } from '#test/oracle/history.ts';
import { checksIn } from '#test/oracle/inside.ts';
import type { OperatorWorld } from './alerting-bodies.ts';
import { insist } from './requests.ts';

const SLUGS = ['job-a', 'job-b', 'job-c'];

type JobWorld = OperatorWorld & { end: number };

/** Runs two jobs per slug. Their pings create the check, and report starts, logs and ends, most with a run id. */
export async function runPingingJobs(world: JobWorld): Promise<void> {
  const { random, clock, client } = world;
  const body = { label: 'jobs', blueprint_slug: 'service' };
  const response = await insist(random, clock, () => client('POST', '/v1/ping-keys', body));
  if (response?.status !== 201) return;
  const { key } = response.body as { key: string };
  for (const slug of SLUGS) for (let i = 0; i < 2; i++) void runJob(world, slug, `/ping/${key}/${slug}`);
}

/** Runs one job, which pings by slug or with the ping URL of its check, and occasionally rotates that URL. */
async function runJob(world: JobWorld, slug: string, bySlug: string): Promise<void> {
  const { random, clock, seen, client, end } = world;
  /** Replaced URLs, and the time until which they can work (epoch ms). */
  const retired: { path: string; until: number }[] = [];
  // The jobs of a slug start at the same time.
  await clock.sleep(5_000);
  while (clock.now() < end) {
    const check = checksIn(seen).find((one) => one.slug === slug && one.ping);
    const byUuid = check && `/ping/${check.ping!.uuid}`;
    const path = byUuid && random.chance(0.5) ? byUuid : bySlug;
    const rid = random.chance(0.8) ? uuidOf(random.bytes(16)) : undefined;
    const query = `?create=1${rid ? `&rid=${rid}` : ''}`;
    const send = (kind: PingAttempt['kind'], rest: string, more: Partial<PingAttempt> = {}) =>
      ping(world, { slug, kind, ...(rid && { rid }), ...more }, (more.retired ?? path) + rest + query);
    if (random.chance(0.7)) await retried(world, () => send('start', '/start'));
    await clock.sleep(random.int(0, 15_000));
    if (random.chance(0.2)) await send('log', '/log');
    const fails = random.chance(0.3);
    const rest = fails ? random.pick(['/fail', '/1', '/255']) : random.pick(['', '/0']);
    await retried(world, () => send(fails ? 'fail' : 'success', rest));
    const old = retired.find(({ until }) => until < clock.now());
    if (old) await send('success', '', { retired: old.path, dead_since: old.until });
    if (byUuid && random.chance(0.2)) {
      const keep_old_seconds = random.pick([0, 10, 30]);
      const response = await client('POST', `/v1/checks/${check.id}/rotate-ping-url`, { keep_old_seconds });
      if (response?.status === 200) retired.push({ path: byUuid, until: clock.now() + keep_old_seconds * 1000 });
    }
    await clock.sleep(random.int(2_000, 90_000));
  }
}

/** Repeats a request that gets no response or a 5xx, like curl --retry. */
async function retried({ random, clock }: JobWorld, send: () => Promise<number | undefined>): Promise<void> {
  for (let i = random.int(1, 5); i > 0; i--) {
    const status = await send();
    if (status !== undefined && status < 500) return;
    await clock.sleep(random.int(500, 4000));
  }
}

type PingContent = Omit<PingAttempt, 'started_at' | 'started_n' | 'answered'>;

async function ping(
  { seen, clock, client }: JobWorld,
  content: PingContent,
  path: string,
): Promise<number | undefined> {
  const one: PingAttempt = { ...content, started_n: seen.next(), started_at: clock.now() };
  seen.pings.push(one);
  const response = await client('GET', path);
  if (!response) return undefined;
  one.answered = { n: seen.next(), at: clock.now(), status: response.status };
  return response.status;
}

/** Formats sixteen bytes as a UUID. */
export const uuidOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
