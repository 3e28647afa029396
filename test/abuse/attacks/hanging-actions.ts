import { type Attack, HOSTILE, Tally } from '#test/abuse/attack.ts';
import { newEntity, newPushCheck } from '#test/abuse/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { httpTarget } from '#test/support/socket-target.ts';
import { flipUntil } from './pushes.ts';

const ACTIONS = 10;
const EVERY_MS = 200;
/** Maximum timeout of an action. */
const TIMEOUT_MS = 15_000;
const PATIENCE_MS = 40_000;

/** Executions, ten at a time and fifty a second, that call a target that never responds. */
export const hangingActions: Attack = async ({ admin, member, stack }) => {
  let requests = 0;
  const target = stack.use(await httpTarget(() => void requests++, HOSTILE));
  await member.need('POST', '/v1/blueprints', { slug: 'service', name: 'Service' });
  const check_id = await newPushCheck(member, await newEntity(member, 'hostile'), []);
  const actions: string[] = [];
  for (let n = 0; n < ACTIONS; n++) {
    const action = { name: `Hang ${n}`, url: `${target.url}/${n}`, timeout_ms: TIMEOUT_MS };
    const made = await admin.need('POST', '/v1/actions', { ...action, trigger_type: 'state_change', check_id });
    actions.push(made.id);
  }
  let pushed = new Tally();
  return {
    run: async (until) => {
      pushed = await flipUntil(member, check_id, EVERY_MS, until);
    },
    conclude: async () => {
      const runs = async () =>
        (await Promise.all(actions.map((id) => member.all(`/v1/actions/${id}/executions`)))).flat();
      const failed = ({ dispatch_status, error_message }: Record<string, string>) =>
        dispatch_status === 'failed' && error_message !== '';
      const reported = await eventually(async () => (await runs()).some(failed), PATIENCE_MS).catch(() => false);
      const outcomes = new Tally();
      for (const { dispatch_status, error_message } of await runs()) outcomes.add(error_message || dispatch_status);
      return {
        evidence: [`pushes: ${pushed}; requests without a response: ${requests}; executions: ${outcomes}`],
        facts: [
          { holds: requests > 0, fact: 'the attack took place' },
          { holds: reported, fact: 'executions of the attacker report that the target did not respond' },
        ],
      };
    },
  };
};
