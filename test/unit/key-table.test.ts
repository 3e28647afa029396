import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { keyTable, stamp } from '#lib/keys.ts';
import type { Key } from '#lib/platform/ports.ts';

const page = readFileSync(new URL('../../lib/KEYS.md', import.meta.url), 'utf8');
const keys = keyTable({ BUCKETS: 4, SHARDS: 4 });
const tenant = 'acc_01';

/** A key of each item, made by the code. */
const made: Record<string, Key> = {
  account: keys.account(tenant),
  'account pointer': keys.accountPointer(tenant),
  'accounts of an e-mail address': keys.accountEmail('ab12'),
  'user, also an invited one': keys.user(tenant, 'usr_1'),
  'rate of an account, on AWS': keys.rate(tenant, 'push'),
  'count of checks': keys.checkCount(tenant),
  'count of relations': keys.relationCount(tenant),
  team: keys.team(tenant),
  invitation: keys.invitation('ab12'),
  'API key': keys.apiKey('ab12'),
  'API key pointer': keys.apiKeyPointer(tenant, 'key_1'),
  catalog: keys.catalog(tenant),
  blueprint: keys.blueprint(tenant, 'server'),
  'entity pointer': keys.entitySlug(tenant, 'server', 'web-1'),
  'entity, aggregate, status row': keys.entity(tenant, 'ent_1'),
  relation: keys.relation(tenant, 'rel_1'),
  'relation, at its start': keys.relationOut(tenant, 'ent_1', 'depends_on', 'ent_2'),
  'relation, at its end': keys.relationIn(tenant, 'ent_2', 'depends_on', 'ent_1'),
  'check: settings and state': keys.check(tenant, 'chk_1'),
  'policy with its channels': keys.policy(tenant, 'chk_1'),
  'last delivery of a channel': keys.lastDelivery(tenant, 'chk_1', 'chn_1'),
  'settings revision': keys.revision(tenant, 'chk_1', 3),
  result: keys.result(tenant, 'chk_1', 1_700_000_000_000, '1'),
  'push key': keys.pushKey(tenant, 'chk_1', 'ab12'),
  'gap note': keys.gapNote(tenant, 'chk_1', 1_700_000_000_000),
  transition: keys.transition(tenant, 'chk_1', 1_700_000_000_000, 7),
  'action that a check may fire': keys.boundAction(tenant, 'chk_1', 'act_1'),
  'count of actions': keys.actionCount(tenant),
  action: keys.action(tenant, 'act_1'),
  'run in the history of its action': keys.run(tenant, 'act_1', 1_700_000_000_000, 'exe_1'),
  execution: keys.execution(tenant, 'exe_1'),
  'reported log lines': keys.logLines(tenant, 'exe_1', 1),
  'feed entry of a transition': keys.feedEntry(tenant, 'ent_1', 1_700_000_000_000, 'trn_1'),
  'channel pointer': keys.channelPointer(tenant, 'chn_1'),
  "pace of a channel's URL": keys.pace(tenant, 'ab12'),
  'count of skills': keys.skillCount(tenant),
  skill: keys.skill(tenant, 'catalog-ops'),
  'open MCP stream': keys.mcpStream(tenant, 'key_1', '0b5c'),
  'who opened an MCP stream last': keys.mcpOpening(tenant),
  'message for an MCP stream': keys.replyPart(tenant, '0b5c', 'msg_1', 0),
  'unsent delivery': keys.unsentDelivery('dlv_1'),
  'last failed delivery': keys.lastFailure,
  'last late probe': keys.lastLateProbe,
  delivery: keys.delivery(tenant, 'dlv_1'),
  'schedule entry': keys.entry('probe', tenant, 'ent_1', 'chk_1'),
  watermark: keys.watermark(0),
  outage: keys.outage(0, 1_700_000_000_000),
};

/** The rows of the page's first table: item → its pk and sk patterns. */
const rows = new Map<string, { pk: string; sk: string }>();
let pk = '';
for (const line of page.slice(page.indexOf('## Items'), page.indexOf('## What')).split('\n')) {
  const [, item, pkCell, skCell] = line.split('|').map((cell) => cell.trim());
  if (!item || item === 'item' || item.startsWith('-')) continue;
  pk = pkCell === 'same' ? pk : (pkCell ?? '');
  rows.set(item, { pk, sk: skCell ?? '' });
}

/** `T#<tenant>#KEYS` as an expression that its keys match. */
const pattern = (cell: string) =>
  new RegExp(
    `^${cell
      .replaceAll('`', '')
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replace(/<[^>]+>/g, '[^#]+')}$`,
  );

describe('the key table', () => {
  it('has a row for every item the code makes a key for, and no other', () => {
    expect([...rows.keys()].sort()).toEqual(Object.keys(made).sort());
  });

  it.each(Object.entries(made))('says truly where this stands: %s', (item, key) => {
    expect(key.pk).toMatch(pattern(rows.get(item)!.pk));
    expect(key.sk).toMatch(pattern(rows.get(item)!.sk));
  });

  it('names every key builder', () => {
    const builders = Object.keys(keys).filter((name) => typeof keys[name as keyof typeof keys] === 'function');
    const answersKey = builders.filter((name) => {
      const answer = (keys[name as keyof typeof keys] as (...args: unknown[]) => unknown)(
        'probe',
        'acc_1',
        'ent_1',
        'chk_1',
      );
      return typeof answer === 'object';
    });
    // lastFailure and lastLateProbe are keys by themselves, not builders.
    expect(answersKey).toHaveLength(Object.keys(made).length - 2);
  });

  it('sorts times like numbers', () => {
    expect(stamp(999) < stamp(1000)).toBe(true);
  });
});
