import { checksIn } from '#test/oracle/inside.ts';
import type { OperatorWorld } from './alerting-bodies.ts';
import { newCheck } from './new-check.ts';
import { entitiesIn } from './operator.ts';

const SLUGS = ['one', 'two', 'three'];

/**
 * Runs pipelines that PUT checks by slug, often with several identical requests at once, while other requests delete
 * such checks or move their slugs. A failed request is not retried, but the next run of the pipeline repeats it.
 */
export async function runAppliers({ random, clock, seen, client }: OperatorWorld, end: number): Promise<void> {
  const bodies = new Map<string, object>();
  let number = 2000;

  const apply = async (slug: string, body: object): Promise<void> => {
    const response = await client('PUT', `/v1/checks/by-slug/${slug}`, body);
    if (!response) return;
    const { status, replayed } = response;
    if (status < 300) seen.applied.push({ slug, status, replayed, id: (response.body as { id: string }).id });
    // A later run uses other settings: the entity is deleted, or the slug belongs to a check of another type or entity.
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
