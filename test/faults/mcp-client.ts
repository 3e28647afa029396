import type { ActionItem } from '#lib/actions/action-item.ts';
import type { Random } from '#test/support/random.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';
import type { Observations } from './observations.ts';
import { actionsIn } from './operator.ts';
import { type Client, insist } from './requests.ts';

type World = { random: Random; clock: VirtualClock; seen: Observations; client: Client; end: number };
type Reply = { result?: { isError?: boolean; structuredContent?: Record<string, number> } };

/** Simulates a user who reads the status over MCP, and occasionally runs an action, by a tool or over the API. */
export async function runMcpClient(world: World): Promise<void> {
  const { random, clock, seen, client, end } = world;
  const skill = { slug: 'ops', name: 'Ops', tools: [] as object[] };
  for (; clock.now() < end; await clock.sleep(random.int(30_000, 240_000))) {
    const actions = actionsIn(seen);
    const kind = actions.length === 0 ? 1 : random.int(1, 4);
    if (kind <= 2) await readStatus(world);
    else if (kind === 3) await client('POST', `/v1/actions/${random.pick(actions).id}/run`, {});
    else {
      const action = random.pick(actions);
      const tools = [toolOf(action)];
      const method = skill.tools.length === 0 ? 'POST' : 'PUT';
      const path = method === 'POST' ? '/v1/skills' : '/v1/skills/ops';
      const stored = await insist(random, clock, () => client(method, path, { ...skill, tools }));
      if (stored) skill.tools = tools;
      await call(client, 'run_it');
    }
  }
}

const toolOf = ({ id }: ActionItem): object => ({
  name: 'run_it',
  description: 'Runs it.',
  inputSchema: { type: 'object' },
  action_id: id,
});

const call = (client: Client, name: string) =>
  client('POST', '/v1/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } });

async function readStatus({ seen, client }: World): Promise<void> {
  const response = await call(client, 'get_status_summary');
  const { result } = (response?.body ?? {}) as Reply;
  if (!result || result.isError) return;
  const { total, up = 0, degraded = 0, down = 0, unknown = 0 } = result.structuredContent ?? {};
  seen.statuses.push({ total: total ?? -1, sum: up + degraded + down + unknown });
}
