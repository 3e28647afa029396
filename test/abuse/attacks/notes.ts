import { type Attack, HOSTILE, Tally } from '#test/abuse/attack.ts';
import { Caller } from '#test/abuse/client.ts';

const AT_ONCE = 6;
/** Maximum notes of an incident, and unresolved manual incidents of an account (docs/operate/limits.md). */
const [MAX_NOTES, MAX_OPEN] = [200, 100];

/** Notes of 16 KB in as many incidents as possible, with keys of one account, to fill the disk of all tenants. */
export const notes: Attack = async ({ member }) => {
  const incidents = new Map<string, number>();
  const responses = new Tally();
  const callers: Caller[] = [];
  for (let n = 0; n < AT_ONCE; n++) {
    const { key } = await member.need('POST', '/v1/auth/keys', { label: `Key ${n}` });
    callers.push(new Caller(member.url, key, HOSTILE));
  }
  const text = '\u{1f642}'.repeat(4000);
  const write = async (caller: Caller, until: number) => {
    let id: string | undefined;
    while (Date.now() < until) {
      const [path, body] = id
        ? [`/v1/incidents/${id}/notes`, { text }]
        : ['/v1/incidents', { title: 'Flood', impact: 'none' }];
      const response = await caller.send('POST', path, body).catch(() => undefined);
      responses.add(response?.body?.code ?? response?.status ?? 'none');
      if (response?.status !== 201) id = id ? undefined : [...incidents.keys()].at(-1);
      else if (id) incidents.set(id, incidents.get(id)! + 1);
      else {
        id = response.body.id as string;
        incidents.set(id, 0);
      }
    }
  };
  return {
    run: async (until) => {
      await Promise.all(callers.map((caller) => write(caller, until)));
    },
    conclude: async () => {
      const most = Math.max(0, ...incidents.values());
      return {
        evidence: [`responses: ${responses}`, `${incidents.size} incidents, at most ${most} notes in one`],
        facts: [
          { holds: responses.of(201) > 0, fact: 'the attack took place' },
          { holds: most <= MAX_NOTES, fact: `no incident has more than ${MAX_NOTES} notes` },
          { holds: incidents.size <= MAX_OPEN, fact: `at most ${MAX_OPEN} manual incidents are open` },
          {
            holds: responses.of('LIMIT_EXCEEDED') + responses.of('RATE_LIMITED') > 0,
            fact: 'the attacker gets the reason why notes are rejected',
          },
        ],
      };
    },
  };
};
