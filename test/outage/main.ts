import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeAuthority } from '#test/support/certificates.ts';
import { eventually } from '#test/support/eventually.ts';
import { type KeptMail, peerPython, startMailbox } from '#test/support/peers/peers.ts';
import { startRealService } from '#test/support/real-service.ts';
import { type Received, startReceiver } from '#test/support/webhook-receiver.ts';
import { createCatalog, startShop } from './shop.ts';

/**
 * `npm run test:nightly -- outage --minutes 10`: the database of a shop of 40 entities is down for that time, in three
 * concurrent setups: with a complete catalog, with a missing relation, with a broken channel of the database team.
 * Prints the alerts of each team with their times. It asserts nothing: the rules have their own tests.
 */
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
const length = Number(values.minutes) * 60_000;
/** Time for checks to settle before the outage, and for held alerts to be decided after it (ms). */
const BEFORE_MS = 100_000;
const AFTER_MS = 420_000;

const say = (line: string) => process.stdout.write(`${line}\n`);

type Alert = { at: number; line: string };

/** Returns the time and the printed line of an alert that a webhook received. */
function alertOf({ at, body, headers }: Received): Alert {
  const { title, entity, root, affected, check_to_state, urgency } = JSON.parse(body);
  const kind = headers['x-service-kind'];
  const about = root ? `; root ${root.entity_name}` : '';
  const more = affected?.count ? `; ${affected.count} affected` : '';
  return { at, line: `${kind}, ${urgency}: ${title ?? `${entity?.slug} ${check_to_state}`}${about}${more}` };
}

/** Returns the subject of a mail. A long subject is folded into several lines (RFC 5322, 2.2.3). */
const subjectOf = (mail: KeptMail): string =>
  (/^subject: (.*(?:\r?\n[ \t].*)*)/im.exec(mail.data)?.[1] ?? '').replaceAll(/\r?\n[ \t]+/g, ' ');

/** Runs one setup. @returns the printed alerts */
async function runSetup(name: string, { lacksRelation = false, isChannelBroken = false }) {
  const authority = await makeAuthority();
  const tls = await authority.issue({ names: ['127.0.0.1', '127.77.0.1'] });
  await using mailbox = await startMailbox(tls, 'fleet', 'secret');
  const trusted = join(mkdtempSync(join(tmpdir(), 'fleetwatch-outage-')), 'authority.pem');
  writeFileSync(trusted, authority.cert);
  const mails: Alert[] = [];
  const [database, services, shop] = await Promise.all([startReceiver({ tls }), startReceiver({ tls }), startShop()]);
  if (isChannelBroken) database.behave({ status: 410, body: 'This channel was archived.' });
  await using service = await startRealService({
    SMTP_URL: `smtp://fleet:secret@${mailbox.host}:${mailbox.port}`,
    MAIL_FROM: 'Fleetwatch <alerts@example.com>',
    PUBLIC_URL: 'https://fleet.example.com',
    NODE_EXTRA_CA_CERTS: trusted,
  });
  const to = { database_team: database.url, service_team: services.url, mail: 'services@example.com' };
  const entities = await createCatalog(service.client, shop, to, { lacksRelation });
  const request = await eventually(() => mailbox.kept[0]?.data.replace(/=\r?\n/g, ''), 10_000);
  await fetch(service.url + /\/a\/confirm\/\w+/.exec(request)![0], { method: 'POST' });
  await pause(BEFORE_MS);

  const began = Date.now();
  shop.break();
  let seen = mailbox.kept.length;
  const note = setInterval(() => {
    for (; seen < mailbox.kept.length; seen++) mails.push({ at: Date.now(), line: subjectOf(mailbox.kept[seen]!) });
  }, 200);
  await pause(length);
  await shop.repair();
  await pause(AFTER_MS);
  clearInterval(note);

  const list = (recipient: string, alerts: Alert[]) => [
    `${recipient}: ${alerts.length}`,
    ...alerts.map(({ at, line }) => `  ${((at - began) / 1000).toFixed(1).padStart(6)} s  ${line}`),
  ];
  const lines = [
    `${name} (${entities} entities; the database is down from 0 to ${length / 1000} s)`,
    ...list('database team, webhook', database.received.map(alertOf)),
    ...list('service team, webhook', services.received.map(alertOf)),
    ...list('service team, mail', mails),
    '',
  ];
  await Promise.all([database.close(), services.close()]);
  return lines.join('\n');
}

if (!peerPython()) throw new Error('A mail server is required: see peerPython in test/support/peers/peers.ts.');
const reports = await Promise.all([
  runSetup('A complete catalog', {}),
  runSetup('A relation is missing: payments to the database', { lacksRelation: true }),
  runSetup('The channel of the database team is broken', { isChannelBroken: true }),
]);
say(reports.join('\n'));
process.exit(0);
