import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  actionOf,
  actorOf,
  auditPath,
  auditValueText,
  ndjsonOf,
  partsOfAction,
  TARGET_NAMES,
  VERB_NAMES,
} from '#console/rules/audit.ts';
import { fieldsOf, readText, textOf } from '#console/rules/form-fields.ts';
import {
  firstCall,
  firstCommand,
  KEY_PERMISSIONS,
  keyRequest,
  OVERLAPS,
  permissionText,
  restrictionText,
} from '#console/rules/keys.ts';
import { readLines, withLine, withoutLine } from '#console/rules/lines.ts';
import { credentialsOf, signInMethodsOf } from '#console/rules/team.ts';
import { timeOf, typedTime } from '#console/rules/time.ts';
import { NewKey, Rotation } from '#lib/access/new-key.ts';
import { TARGET_TYPES, VERBS } from '#lib/audit/entry.ts';
import { AuditFilter } from '#lib/audit/query.ts';
import { SCOPES } from '#lib/platform/http/access.ts';

const unrestricted = { scopes: null, is_read_only: false, check_ids: null, entity_ids: null, skills: null };
const check = 'chk_01m7yhxbs8d8fb3b5f55a1c852';
const entity = 'ent_01m7yhx8vgcb4aec889ac858d5';

describe('keyRequest', () => {
  it('builds a valid request for all choices', () => {
    const typed = fc.record({
      label: fc.constant('job'),
      may: fc.constantFrom(...Object.values(KEY_PERMISSIONS)),
      scopes: fc.subarray([...SCOPES], { minLength: 1 }),
      check_ids: fc.constantFrom(undefined, [check]),
      entity_ids: fc.constantFrom(undefined, [entity]),
      skills: fc.constantFrom(undefined, ['runbook']),
    });
    fc.assert(
      fc.property(typed, (one) => {
        const key = NewKey.parse(keyRequest(one));
        expect(key.is_read_only).toBe(one.may === KEY_PERMISSIONS.read);
        expect(key.scopes).toEqual(one.may === KEY_PERMISSIONS.some ? one.scopes : null);
      }),
    );
  });

  it('sends an empty list if no scope is chosen, so that the API reports it', () => {
    const { error } = NewKey.safeParse(keyRequest({ label: 'job', may: KEY_PERMISSIONS.some }));
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['scopes']);
  });

  it('keeps the restrictions that the scopes allow', () => {
    const typed = { label: 'job', may: KEY_PERMISSIONS.some, check_ids: [check], skills: ['runbook'] };
    expect(keyRequest({ ...typed, scopes: ['push'] })).toEqual({ label: 'job', scopes: ['push'], check_ids: [check] });
    expect(keyRequest({ ...typed, scopes: ['mcp', 'read'] })).toEqual({
      label: 'job',
      scopes: ['mcp', 'read'],
      skills: ['runbook'],
    });
    expect(keyRequest({ ...typed, may: KEY_PERMISSIONS.all, scopes: ['push'] })).toEqual({ label: 'job' });
  });

  it('offers only overlaps that the API accepts', () => {
    for (const overlap_seconds of Object.values(OVERLAPS)) Rotation.parse({ overlap_seconds });
  });
});

describe('description of a key', () => {
  it('lists permissions and restrictions', () => {
    expect(permissionText(unrestricted)).toBe('all permissions of the owner');
    expect(permissionText({ ...unrestricted, is_read_only: true })).toBe('read only');
    expect(permissionText({ ...unrestricted, scopes: ['mcp', 'read'] })).toBe('mcp, read');
    const names = new Map([[check, 'nightly']]);
    const nameOf = (id: string) => names.get(id) ?? id;
    expect(restrictionText({ ...unrestricted, check_ids: [check], entity_ids: ['ent_1'] }, nameOf)).toBe(
      'checks of ent_1 and nightly',
    );
    expect(restrictionText({ ...unrestricted, skills: ['runbook'] }, nameOf)).toBe('skill runbook');
    expect(restrictionText(unrestricted, nameOf)).toBe('');
  });

  it('includes an allowed example request', () => {
    expect(firstCall(unrestricted).path).toBe('/v1/me');
    expect(firstCall({ ...unrestricted, scopes: ['audit', 'read'] }).path).toBe('/v1/me');
    expect(firstCall({ ...unrestricted, scopes: ['audit'] }).path).toBe('/v1/audit');
    expect(firstCall({ ...unrestricted, scopes: ['mcp', 'read'], skills: ['runbook'] }).path).toBe('/v1/mcp');
    expect(firstCall({ ...unrestricted, scopes: ['push'], check_ids: [check] }).path).toBe(
      `/v1/checks/${check}/heartbeat`,
    );
    expect(firstCommand({ ...unrestricted, key: 'fw_1' }, 'https://status.example.com')).toBe(
      'export FLEETWATCH_KEY=fw_1\ncurl -sS \'https://status.example.com/v1/me\' \\\n  -H "Authorization: Bearer $FLEETWATCH_KEY"',
    );
  });
});

describe('time field', () => {
  it('converts a time and back in both zones, to the minute', () => {
    const at = fc.date({ min: new Date('1971-01-01'), max: new Date('2200-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(at, fc.constantFrom('local', 'utc'), (date, zone) => {
        const minute = new Date(Math.floor(date.getTime() / 60_000) * 60_000).toISOString();
        const typed = typedTime(date.toISOString(), zone);
        expect(typed).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/);
        // The repeated hour of a clock change is ambiguous.
        const again = Math.abs(Date.parse(timeOf(typed, zone)) - Date.parse(minute));
        expect(zone === 'utc' ? again : again % 1_800_000).toBe(0);
      }),
    );
    expect(typedTime('2026-11-22T17:14:05.000Z', 'utc')).toBe('2026-11-22T17:14');
    expect(timeOf('2026-11-22T17:14', 'utc')).toBe('2026-11-22T17:14:00.000Z');
  });

  it('is empty for an invalid time', () => {
    for (const zone of ['local', 'utc'] as const) {
      expect([typedTime('', zone), typedTime('soon', zone), timeOf('', zone), timeOf('soon', zone)]).toEqual([
        '',
        '',
        '',
        '',
      ]);
    }
  });
});

describe('set field', () => {
  it('converts to the list of the API', () => {
    const [scopes, at] = fieldsOf({
      properties: {
        scopes: { type: 'array', items: { type: 'string', enum: ['read', 'push'] } },
        at: { type: 'string', format: 'date-time' },
      },
    });
    expect(scopes).toMatchObject({ kind: 'set', options: ['read', 'push'] });
    expect(at).toMatchObject({ kind: 'instant' });
    expect(readText(scopes!, textOf(scopes!, ['read', 'push']))).toEqual(['read', 'push']);
  });

  it('adds an option once, and removes it', () => {
    const two = withLine(withLine(withLine('', 'a'), 'b'), 'a');
    expect(readLines(two)).toEqual(['a', 'b']);
    expect(withoutLine(two, 'a')).toBe('b');
    expect(readLines('')).toEqual([]);
  });
});

describe('audit log', () => {
  it('offers all filters of the API', () => {
    expect(Object.keys(TARGET_NAMES)).toEqual(Object.keys(TARGET_TYPES));
    expect(Object.keys(VERB_NAMES)).toEqual(Object.keys(VERBS));
    for (const target of Object.keys(TARGET_NAMES)) {
      for (const verb of ['', ...Object.keys(VERB_NAMES)]) {
        const action = actionOf(target, verb);
        AuditFilter.parse({ action });
        expect(partsOfAction(action)).toEqual({ target, verb });
      }
    }
    expect(actionOf('', 'update')).toBe('');
  });

  it('ignores unknown and empty filters in the address of the page', () => {
    expect(auditPath(new URLSearchParams('actor=ann%40example.com&tv=1&kind='))).toBe(
      '/v1/audit?actor=ann%40example.com',
    );
    expect(auditPath(new URLSearchParams())).toBe('/v1/audit');
  });

  it('formats values', () => {
    expect([null, undefined].map(auditValueText)).toEqual([undefined, undefined]);
    expect([60, false, 'down', '', ['a', 1], { a: { b: 1 } }].map(auditValueText)).toEqual([
      '60',
      'false',
      'down',
      '""',
      '[ "a", 1 ]',
      '{ "a": { "b": 1 } }',
    ]);
  });

  it('exports one record per line', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ name: fc.string({ unit: 'grapheme' }) })), (records) => {
        const lines = ndjsonOf(records).split('\n');
        expect(lines.pop()).toBe('');
        expect(lines.map((line) => JSON.parse(line))).toEqual(records);
      }),
    );
  });

  it('returns the actor filter of an entry', () => {
    const actor = { type: 'user', user_id: 'usr_1', email: 'ann@example.com', key_id: null, key_label: null } as const;
    expect(actorOf(actor)).toBe('ann@example.com');
    expect(actorOf({ ...actor, type: 'operator', user_id: null, email: null })).toBe('operator');
    expect(actorOf({ ...actor, type: 'system', user_id: null, email: null })).toBe('');
  });
});

describe('team member', () => {
  it('lists credentials and sign-in methods', () => {
    expect(credentialsOf({ passkeys: 1, identities: 2 }, 3)).toBe(
      '3 API keys, 1 passkey, 2 linked identities and all sessions',
    );
    expect(credentialsOf({ passkeys: 0, identities: 0 }, 0)).toBe('all sessions');
    expect(signInMethodsOf({ passkeys: 2, identities: 0 })).toBe('2 passkeys');
    expect(signInMethodsOf({ passkeys: 0, identities: 0 })).toBe('');
  });
});
