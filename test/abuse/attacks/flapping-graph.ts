import { setTimeout as pause } from 'node:timers/promises';
import { type Attack, HOSTILE } from '#test/abuse/attack.ts';
import { type Caller, newEntity } from '#test/abuse/client.ts';
import { inParallel } from '#test/long/fleet.ts';
import { httpTarget } from '#test/support/socket-target.ts';

const ENTITIES = 300;
/** Each entity depends on the next eleven of a circle: 3,300 relations. */
const DEPENDENCIES = 11;
const FLIP_MS = 4_000;

/** Three hundred checks of a dense graph. Their target fails for four seconds, then works for four, and so on. */
export const flappingGraph: Attack = async ({ member, stack }) => {
  let alerts = 0;
  const target = stack.use(
    await httpTarget((request, response) => {
      if (request.url === '/alert') alerts++;
      const isFailing = request.url !== '/alert' && Math.floor(Date.now() / FLIP_MS) % 2 === 1;
      response.writeHead(isFailing ? 500 : 200).end();
    }, HOSTILE),
  );
  await makeGraph(member, target.url);
  return {
    run: async (until) => {
      await pause(Math.max(0, until - Date.now()));
    },
    conclude: async () => {
      const transitions = (await member.need('GET', '/v1/status/transitions?limit=500')) as unknown[];
      return {
        evidence: [
          `entities: ${ENTITIES}, relations: ${ENTITIES * DEPENDENCIES}, latest transitions: ${transitions.length}, alerts: ${alerts}`,
        ],
        facts: [{ holds: transitions.length >= ENTITIES, fact: 'the attack took place' }],
      };
    },
  };
};

/** Creates the entities, their relations, and one check each. */
async function makeGraph(member: Caller, url: string): Promise<void> {
  await member.need('POST', '/v1/blueprints', { slug: 'service', name: 'Service' });
  await member.need('POST', '/v1/notify/channels', {
    name: 'All',
    channel_type: 'slack',
    config: { url: `${url}/alert` },
  });
  const numbers = Array.from({ length: ENTITIES }, (_, n) => n);
  const entities = await inParallel(numbers, 10, (n) => newEntity(member, `hostile-${n}`));
  await inParallel(numbers, 10, async (n) => {
    for (let i = 1; i <= DEPENDENCIES; i++) {
      const to_entity_id = entities[(n + i) % ENTITIES];
      const relation = { from_entity_id: entities[n], to_entity_id, relation_type: 'depends_on' };
      await member.need('POST', '/v1/relations', relation);
    }
  });
  await inParallel(numbers, 10, async (n) => {
    const settings = { check_type: 'http', target_url: `${url}/${n}`, interval_seconds: 1, failure_threshold: 1 };
    const made = { ...settings, entity_id: entities[n] };
    await member.need('POST', '/v1/checks', made);
  });
}
