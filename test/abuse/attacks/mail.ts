import { type Attack, HOSTILE, MAIL_PORT, Tally } from '#test/abuse/attack.ts';
import { newEntity, newPushCheck } from '#test/abuse/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { startSmtpSink } from '#test/support/smtp-sink.ts';
import { flipUntil } from './pushes.ts';

const [CHECKS, ADDRESSES, EVERY_MS] = [4, 10, 100];
/** Text of the attacker, which a stranger must not get. */
const TEMPLATES = { title_template: 'Your account was suspended', body_template: 'Pay at {{check_url}}' };
const OWN = 'own@evil.example';
/** Requests to confirm: to one address, and to all addresses, at once and per hour (docs/operate/limits.md#mail). */
const [MAX_SAME, MAX_ALL, ALL_PER_HOUR] = [3, 20, 20];
/** Mails with alerts to one address, at once and per second. */
const [MAX_OWN, OWN_PER_SECOND] = [10, 10 / 60];

/** Alerts by mail, with the attacker's own text, to strangers and to one address that the attacker has confirmed. */
export const mail: Attack = async ({ member, seconds, stack }) => {
  const sink = stack.use(await startSmtpSink(HOSTILE, MAIL_PORT));
  const mailsTo = (address: string) => sink.mails.filter(({ to }) => to.includes(address));
  await member.need('POST', '/v1/blueprints', { slug: 'service', name: 'Service' });
  const entity = await newEntity(member, 'hostile');
  const checks: string[] = [];
  for (let n = 0; n < CHECKS; n++) {
    const id = await newPushCheck(member, entity, []);
    const strangers = Array.from({ length: ADDRESSES }, (_, i) => `stranger${n * ADDRESSES + i}@victim.example`);
    for (const to of [strangers.join(','), OWN]) {
      const config = { to, ...TEMPLATES };
      await member.need('POST', `/v1/checks/${id}/policy/channels`, { channel_type: 'email', config });
    }
    checks.push(id);
  }
  // A release without confirmations does not send this link.
  const link = await eventually(() => /\/a\/confirm\/\w+/.exec(mailsTo(OWN)[0]?.text ?? '')?.[0], 5000).catch(() => '');
  if (link) await member.send('POST', link);

  const asked = new Tally();
  const ask = async (until: number) => {
    while (Date.now() < until) {
      for (let n = 0; n < CHECKS * ADDRESSES && Date.now() < until; n++) {
        const body = { address: `stranger${n}@victim.example` };
        const response = await member.send('POST', '/v1/notify/addresses/ask', body).catch(() => undefined);
        asked.add(response?.body?.code ?? response?.status ?? 'none');
      }
    }
  };
  let pushed: Tally[] = [];
  return {
    run: async (until) => {
      const flips = checks.map((check) => flipUntil(member, check, EVERY_MS, until));
      [pushed] = await Promise.all([Promise.all(flips), ask(until)]);
    },
    conclude: async () => {
      const strangers = new Tally();
      const own = mailsTo(OWN).length;
      let worded = 0;
      for (const { to, text } of sink.mails) {
        for (const address of to) if (address !== OWN) strangers.add(address);
        if (to.some((address) => address !== OWN) && text.includes('suspended')) worded++;
      }
      const most = Math.max(0, ...strangers.counts.values());
      const outcomes = new Tally();
      for (const { error, status } of await member.need('GET', '/v1/notify/logs?limit=1000'))
        outcomes.add(`${status} ${error.replace(/\w+@[\w.]+/g, '…').slice(0, 60)}`);
      const reasons = outcomes.toString();
      const all = Math.ceil(MAX_ALL + (seconds * ALL_PER_HOUR) / 3600) + 1;
      return {
        evidence: [
          `pushes: ${pushed.map(String).join('; ')}; responses to requests to confirm: ${asked}`,
          `mails to strangers: ${strangers.total}, at most ${most} to one, ${worded} with the attacker's text; to the attacker: ${own}`,
          `delivery log: ${reasons.slice(0, 400)}`,
        ],
        facts: [
          { holds: pushed.some((one) => one.of(201) > 0), fact: 'the attack took place' },
          { holds: worded === 0, fact: 'no stranger gets a text of the attacker' },
          { holds: most <= MAX_SAME, fact: `no stranger gets more than ${MAX_SAME} mails` },
          { holds: strangers.total <= all, fact: `strangers get no more than ${all} mails together` },
          {
            holds: own > 1 && own <= 1 + MAX_OWN + Math.ceil((seconds + 60) * OWN_PER_SECOND),
            fact: "the attacker's confirmed address gets alerts, but not more than the limit of an address",
          },
          {
            holds: reasons.includes('is not confirmed') && reasons.includes('waits: '),
            fact: "the attacker's delivery log names the missing confirmation and the limit",
          },
          {
            holds: asked.of('RATE_LIMITED') > 0,
            fact: 'the attacker gets the reason why no confirmation mail is sent',
          },
        ],
      };
    },
  };
};
