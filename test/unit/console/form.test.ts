import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { automation } from '#console/api/automation-schemas.ts';
import { schemas } from '#console/api/schemas.ts';
import { schemaOfFields } from '#console/rules/catalog.ts';
import { withRecipientNames } from '#console/rules/escalation.ts';
import { escaped, unescaped } from '#console/rules/escapes.ts';
import { bodyOf, draftOf, isSet, sortErrors, startingFrom } from '#console/rules/form-draft.ts';
import {
  type FieldKind,
  type FormSchema,
  fieldsOf,
  groupsOf,
  labelOf,
  readText,
  textOf,
} from '#console/rules/form-fields.ts';
import { lineOf, rowsIn } from '#console/rules/rows.ts';
import { PolicyBody } from '#lib/alerting/configure/policy-schemas.ts';
import { POLICY_DEFAULTS } from '#lib/alerting/policy/settings.ts';
import { channelTypes } from '#lib/channels/registry.ts';
import { CheckInput } from '#lib/checks/settings/model.ts';
import { checkTypes } from '#lib/checks/types/registry.ts';

const specOf = (kind: FieldKind, texts = false) => ({ kind, texts, columns: [], single: false });

describe('form of a schema', () => {
  it('has a field for every setting of every check type, and builds valid requests', () => {
    for (const { type, examples } of checkTypes.values()) {
      const specs = fieldsOf(schemas.checks[type]!);
      for (const example of examples.valid) {
        const record = { entity_id: 'ent_1', check_type: type, ...example };
        const draft = {
          ...draftOf(specs, undefined),
          ...draftOf(
            specs.map((spec) => ({ ...spec, secret: false })),
            record,
          ),
        };
        const known = Object.fromEntries(Object.entries(draft).filter(([, text]) => text !== ''));
        const body = { check_type: type, ...bodyOf(specs, { ...draftOf(specs, undefined), ...known }) };
        const parsed = CheckInput.parse(body);
        expect(parsed).toEqual(CheckInput.parse(record));
      }
    }
  });

  it('has a field for every setting of every channel type', () => {
    for (const { type, config, examples } of channelTypes) {
      const specs = fieldsOf(schemas.channels[type]!).map((spec) => ({ ...spec, secret: false }));
      for (const example of examples.valid) {
        const body = bodyOf(specs, draftOf(specs, { config: example }));
        expect(config.parse(body.config)).toEqual(config.parse(example));
      }
    }
  });

  it('has a field for every policy setting, with channel names in the escalation', () => {
    const steps = [{ after_seconds: 900, channel_ids: ['chn_1'] }];
    const policy = { ...POLICY_DEFAULTS, impact_update: false, escalation: steps };
    const { escalation, ...settings } = schemas.policy.properties;
    const specs = fieldsOf({
      properties: {
        ...settings,
        escalation: withRecipientNames(escalation, steps, [{ id: 'chn_1', name: 'On call' }], []),
      },
    });
    expect(specs.at(-1)?.columns[1]).toMatchObject({ kind: 'set', titles: { chn_1: 'On call' } });
    expect(draftOf(specs, policy)).toMatchObject({ impact_update: 'false', cooldown_seconds: '300' });
    expect(PolicyBody.parse(bodyOf(specs, draftOf(specs, policy)))).toMatchObject({
      impact_update: false,
      escalation: steps,
    });
  });

  it('lists required fields first', () => {
    const [first, second] = fieldsOf(schemas.checks.http!, ['entity_id']);
    expect(first).toMatchObject({ path: 'target_url', label: 'Target URL', kind: 'url', required: true });
    expect(second?.required).toBe(false);
  });

  it('shows the target and the usual settings first, and folds the others in groups', () => {
    const { visible, groups } = groupsOf(fieldsOf(schemas.checks.http!, ['entity_id', 'entity']));
    expect(visible.map(({ label }) => label)).toEqual([
      'Target URL',
      'Expected status',
      'Body contains',
      'Name',
      'Interval',
      'Failure threshold',
      'Assertions',
    ]);
    expect(groups.map(({ title }) => title)).toEqual(['Request', 'Timing', 'Details']);
  });

  it('counts settings that differ from the default, also in a copy and with a stored secret', () => {
    const specs = fieldsOf(schemas.checks.http!);
    const changed = (record: object | undefined, of = specs) =>
      of.filter((spec) => isSet(spec, draftOf(of, record), record)).map(({ path }) => path);
    expect(changed(undefined)).toEqual([]);
    const check = { timeout_ms: 5000, method: 'POST', labels: {}, config: { body: '********' } };
    expect(changed(check)).toEqual(['method', 'config.body']);
    expect(changed(undefined, startingFrom(specs, { timeout_ms: 900 }))).toEqual(['timeout_ms']);
  });

  it('has a switch for an optional object, which removes it or sets its defaults', () => {
    const specs = fieldsOf(automation.action);
    const remediation = { max_attempts: 5, cooldown_seconds: 60, lock: 'db' };
    const stored = { remediation };
    expect(bodyOf(specs, draftOf(specs, stored), stored)).toMatchObject({ remediation });
    const off = { ...draftOf(specs, stored), remediation: 'false' };
    expect(bodyOf(specs, off, stored)).toMatchObject({ remediation: null });
    const none = { remediation: null };
    const on = { ...draftOf(specs, none), remediation: 'true' };
    expect(bodyOf(specs, on, none)).toMatchObject({
      remediation: { max_attempts: 3, cooldown_seconds: 600, alert_after_remediation: false },
    });
    const details = [{ path: 'remediation.lock', message: 'must be a name' }];
    expect(sortErrors(specs, { message: '', details }).byPath).toEqual({ 'remediation.lock': 'must be a name' });
  });

  it('hides stored secrets and leaves them unchanged', () => {
    const specs = fieldsOf(schemas.channels.webhook!);
    const record = { config: { url: '********', secret: '********' } };
    expect(draftOf(specs, record)).toEqual({ 'config.url': '', 'config.secret': '', group_seconds: '' });
    expect(bodyOf(specs, draftOf(specs, record), record)).toEqual({});
  });

  it('removes emptied values', () => {
    const specs = fieldsOf(schemas.checks.push!);
    const record = { name: 'nightly', config: { grace_seconds: 60 } };
    const draft = { ...draftOf(specs, record), 'config.grace_seconds': '' };
    expect(bodyOf(specs, draft, record)).toMatchObject({ name: 'nightly', config: { grace_seconds: null } });
  });

  it('converts maps, lists and numbers to text and back', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9-]+$/).filter((text) => text !== '__proto__');
    const value = fc.stringMatching(/^[!-~]+( [!-~]+)*$/);
    const scalar = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    );
    fc.assert(
      fc.property(fc.dictionary(name, value, { noNullPrototype: true }), (map) => {
        expect(readText(specOf('map'), textOf(specOf('map'), map))).toEqual(map);
      }),
    );
    fc.assert(
      fc.property(fc.array(scalar), (list) => {
        const written = JSON.parse(JSON.stringify(list));
        expect(readText(specOf('list'), textOf(specOf('list'), written))).toEqual(written);
      }),
    );
    fc.assert(
      fc.property(fc.integer(), (n) => {
        expect(readText(specOf('number'), textOf(specOf('number'), n))).toBe(n);
      }),
    );
  });

  it('sends an invalid number unchanged, so that the API reports it', () => {
    expect(readText(specOf('number'), 'ten')).toBe('ten');
  });

  it('keeps user-defined names with dots', () => {
    const schema = {
      type: 'object',
      properties: { fields: schemaOfFields([{ name: 'on.call', field_type: 'string', required: true }]) },
    };
    const specs = fieldsOf(schema);
    expect(specs).toMatchObject([{ path: 'fields.on.call', label: 'on.call', required: true }]);
    expect(bodyOf(specs, { 'fields.on.call': 'Ann' })).toEqual({ fields: { 'on.call': 'Ann' } });
  });

  it('assigns errors to fields, and shows the others above the form', () => {
    const specs = fieldsOf(schemas.checks.http!);
    const details = [
      { path: 'target_url', message: 'must be a URL' },
      { path: 'config.headers.a b', message: 'is not a name' },
      { path: 'color', message: 'is unknown' },
    ];
    expect(sortErrors(specs, { message: '3 errors.', details })).toEqual({
      byPath: { target_url: 'must be a URL', 'config.headers': 'a b is not a name' },
      otherErrors: ['color: is unknown'],
    });
    expect(sortErrors(specs, { message: 'Not today.', details: [] }).otherErrors).toEqual(['Not today.']);
  });

  it('derives labels from property names', () => {
    expect(['target_url', 'timeout_ms', 'verify_tls', 'name'].map(labelOf)).toEqual([
      'Target URL',
      'Timeout in ms',
      'Verify TLS',
      'Name',
    ]);
  });
});

describe('list of objects', () => {
  const steps: FormSchema = {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        send: { type: 'string', format: 'bytes', writeOnly: true },
        expect: { type: 'string', format: 'bytes' },
        starttls: { type: 'boolean', const: true },
      },
    },
  };
  const [spec] = fieldsOf({ type: 'object', properties: { config: { type: 'object', properties: { steps } } } });
  const value = [{ send: 'a "b"\r\n\u0000' }, { expect: 'c\\d\u00ff' }, { starttls: true }];

  it('has a row per object and a field per property, and converts back', () => {
    expect(spec).toMatchObject({ path: 'config.steps', kind: 'rows' });
    const typed = textOf(spec!, value);
    expect(rowsIn(typed)).toEqual([
      { send: 'a "b"\\r\\n\\u0000', expect: '', starttls: 'false' },
      { send: '', expect: 'c\\\\d\u00ff', starttls: 'false' },
      { send: '', expect: '', starttls: 'true' },
    ]);
    expect(readText(spec!, typed)).toEqual(value);
  });

  it('summarizes each row without secrets', () => {
    const lines = rowsIn(textOf(spec!, value)).map((row) => lineOf(spec!.columns, row));
    expect(lines).toEqual(['send ********', 'expect c\\\\d\u00ff', 'starttls']);
  });

  it('assigns errors to row fields, and the others to the list', () => {
    const details = [
      { path: 'config.steps.1.expect', message: 'must not be empty' },
      { path: 'config.steps.2', message: 'must have one' },
    ];
    expect(sortErrors([spec!], { message: 'no', details })).toEqual({
      byPath: { 'config.steps.1.expect': 'must not be empty', 'config.steps': '2 must have one' },
      otherErrors: [],
    });
  });

  it('is empty when all rows are removed', () => {
    expect(bodyOf([spec!], { 'config.steps': '[]' }, { config: { steps: value } })).toEqual({ config: { steps: [] } });
    expect(bodyOf([spec!], {}, { config: {} })).toEqual({});
  });
});

it('escapes any text to one line, and converts it back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(escaped(text)).not.toMatch(/[\r\n]/);
      expect(unescaped(escaped(text))).toBe(text);
    }),
  );
  expect(unescaped('no \\x escape')).toBe('no \\x escape');
});
