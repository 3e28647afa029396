import { type Attack, Tally } from '#test/abuse/attack.ts';
import type { ApiResponse } from '#test/abuse/client.ts';

/** Numbers of schemas in `anyOf`, highest first. The service may reject some; the first accepted one is used. */
const SCHEMAS = [195, 100, 50, 20];
/** Number of arguments that match none of the schemas: each is validated against each schema. */
const VALUES = 999;
const BATCHES = [31, 10, 1];

/** Batches of calls of a tool whose schema is expensive to validate. Any member can register such a tool. */
export const mcpBatch: Attack = async ({ admin, member }) => {
  const action = await admin.need('POST', '/v1/actions', {
    name: 'Never run',
    url: 'http://127.77.0.6:9/',
    trigger_type: 'manual',
  });
  const registered = new Tally();
  for (const schemas of SCHEMAS) {
    const anyOf = Array.from({ length: schemas }, (_, i) => ({ type: 'string', minLength: 9999 + i }));
    const inputSchema = { type: 'object', additionalProperties: { anyOf } };
    const tools = [{ name: 'expensive', inputSchema, action_id: action.id }];
    const { status } = await member.send('POST', '/v1/skills', { slug: 'expensive', name: 'Expensive', tools });
    registered.add(`${schemas} schemas ${status}`);
    if (status === 201) break;
  }
  const args = Object.fromEntries(Array.from({ length: VALUES }, (_, i) => [i.toString(36), '']));
  const batchOf = (count: number) =>
    Array.from({ length: count }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'expensive', arguments: args },
    }));
  const responses = new Map(BATCHES.map((count) => [count, new Tally()]));
  let longest = 0;
  return {
    run: async (until) => {
      for (let n = 0; Date.now() < until; n++) {
        const count = BATCHES[n % BATCHES.length]!;
        const began = Date.now();
        const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-03-26' };
        const outcome = await member
          .send('POST', '/v1/mcp', batchOf(count), headers)
          .then(summary, () => 'no response');
        longest = Math.max(longest, Date.now() - began);
        responses.get(count)!.add(outcome);
      }
    },
    conclude: async () => {
      const [largest] = BATCHES;
      const answered = responses.get(largest!)!.of('answered');
      return {
        evidence: [
          `registered: ${registered}; longest response ${longest} ms`,
          ...BATCHES.map((count) => `${count} calls in one POST: ${responses.get(count)}`),
        ],
        facts: [
          { holds: responses.get(largest!)!.total > 0, fact: 'the attack took place' },
          { holds: answered === 0, fact: `a batch of ${largest} calls is rejected` },
        ],
      };
    },
  };
};

/** Returns `answered` if a call of a batch was processed, else the error. */
const summary = ({ status, body }: ApiResponse): string =>
  Array.isArray(body) && body.some(({ result }) => result)
    ? 'answered'
    : `${status} ${body?.error?.message ?? body?.code}`;
