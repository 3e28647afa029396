import { checksIn } from '#test/oracle/inside.ts';
import type { OperatorWorld } from './alert-bodies.ts';
import { newCheck } from './new-check.ts';
import { entitiesIn } from './operator.ts';

const SLUGS = ['one', 'two', 'three'];

/**
 * Pipelines that state checks by their slugs, often two the same at once, while others delete such checks or give their
 * slugs to others. Nobody insists: the next run of the pipeline does.
 */
export async function runAppliers({ random, clock, seen, client }: OperatorWorld, end: number): Promise<void> {
  const bodies = new Map<string, object>();
  let number = 2000;

  const apply = async (slug: string, body: object): Promise<void> => {
    const answer = await client('PUT', `/v1/checks/by-slug/${slug}`, body);
    if (!answer) return;
    const { status, replayed } = answer;
    if (status < 300) seen.applied.push({ slug, status, replayed, id: (answer.body as { id: string }).id });
    // Its entity is gone, or the slug has come to a check of another type or entity.
    else if (status < 500) bodies.delete(slug);
  };
  const disturb = async (slug: string): Promise<void> => {
    const checks = checksIn(seen);
    if (checks.length === 0) return;
    const path = `/v1/checks/${random.pick(checks).id}`;
    await (random.chance(0.5)
      ? client('DELETE', `/v1/checks/by-slug/${slug}`)
      : client('PUT', path, { slug: random.chance(0.7) ? slug : '' }));
  };

  for (;;) {
    await clock.sleep(random.int(5_000, 90_000));
    const entities = entitiesIn(seen);
    if (clock.now() >= end || entities.length === 0) return;
    const slug = random.pick(SLUGS);
    const settings = bodies.get(slug) ?? newCheck(random, random.pick(entities), number++);
    bodies.set(slug, settings);
    const body = { ...settings, labels: { run: String(random.int(1, 3)) } };
    const work = Array.from({ length: random.int(1, 3) }, () => apply(slug, body));
    if (random.chance(0.4)) work.push(disturb(slug));
    await Promise.all(work);
  }
}
