import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { schemas } from '#console/api/schemas.ts';
import { schemaOfFields } from '#console/rules/catalog.ts';
import { withChannelNames } from '#console/rules/escalation.ts';
import { escaped, unescaped } from '#console/rules/escapes.ts';
import { bodyOf, draftOf, sortErrors } from '#console/rules/form-draft.ts';
import { type FieldKind, fieldsOf, labelOf, type MemberSchema, readText, textOf } from '#console/rules/form-fields.ts';
import { lineOf, rowsIn } from '#console/rules/rows.ts';
import { PolicyBody } from '#lib/alerting/configure/policy-schemas.ts';
import { POLICY_DEFAULTS } from '#lib/alerting/policy/settings.ts';
import { channelTypes } from '#lib/channels/registry.ts';
import { CheckInput } from '#lib/checks/settings/model.ts';
import { checkTypes } from '#lib/checks/types/registry.ts';

const typed = (kind: FieldKind, texts = false) => ({ kind, texts, columns: [] });

describe('a form from a schema', () => {
  it('has a field for every setting of every check type, and types what the API takes', () => {
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

  it('does so for every channel type', () => {
    for (const { type, config, examples } of channelTypes) {
      const specs = fieldsOf(schemas.channels[type]!).map((spec) => ({ ...spec, secret: false }));
      for (const example of examples.valid) {
        const body = bodyOf(specs, draftOf(specs, { config: example }));
        expect(config.parse(body.config)).toEqual(config.parse(example));
      }
    }
  });

  it('does so for every setting of a policy, whose escalation names channels', () => {
    const steps = [{ after_seconds: 900, channel_ids: ['chn_1'] }];
    const policy = { ...POLICY_DEFAULTS, impact_update: false, escalation: steps };
    const { escalation, ...settings } = schemas.policy.properties;
    const specs = fieldsOf({
      properties: { ...settings, escalation: withChannelNames(escalation, steps, [{ id: 'chn_1', name: 'On call' }]) },
    });
    expect(specs.at(-1)?.columns[1]).toMatchObject({ kind: 'set', titles: { chn_1: 'On call' } });
    expect(draftOf(specs, policy)).toMatchObject({ impact_update: 'false', cooldown_seconds: '300' });
    expect(PolicyBody.parse(bodyOf(specs, draftOf(specs, policy)))).toMatchObject({
      impact_update: false,
      escalation: steps,
    });
  });

  it('puts what is required first', () => {
    const [first, second] = fieldsOf(schemas.checks.http!, ['entity_id']);
    expect(first).toMatchObject({ path: 'target_url', label: 'Target URL', kind: 'url', required: true });
    expect(second?.required).toBe(false);
  });

  it('does not show a secret that is stored, and leaves it as it is', () => {
    const specs = fieldsOf(schemas.channels.webhook!);
    const record = { config: { url: '********', secret: '********' } };
    expect(draftOf(specs, record)).toEqual({ 'config.url': '', 'config.secret': '' });
    expect(bodyOf(specs, draftOf(specs, record), record)).toEqual({});
  });

  it('takes away what was emptied', () => {
    const specs = fieldsOf(schemas.checks.push!);
    const record = { name: 'nightly', config: { grace_seconds: 60 } };
    const draft = { ...draftOf(specs, record), 'config.grace_seconds': '' };
    expect(bodyOf(specs, draft, record)).toMatchObject({ name: 'nightly', config: { grace_seconds: null } });
  });

  it('reads any map, list and number that it has written itself', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9-]+$/).filter((text) => text !== '__proto__');
    const value = fc.stringMatching(/^[!-~]+( [!-~]+)*$/);
    const scalar = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    );
    fc.assert(
      fc.property(fc.dictionary(name, value, { noNullPrototype: true }), (map) => {
        expect(readText(typed('map'), textOf(typed('map'), map))).toEqual(map);
      }),
    );
    fc.assert(
      fc.property(fc.array(scalar), (list) => {
        const written = JSON.parse(JSON.stringify(list));
        expect(readText(typed('list'), textOf(typed('list'), written))).toEqual(written);
      }),
    );
    fc.assert(
      fc.property(fc.integer(), (n) => {
        expect(readText(typed('number'), textOf(typed('number'), n))).toBe(n);
      }),
    );
  });

  it('hands over as typed what is no number, so that the API says what is wrong', () => {
    expect(readText(typed('number'), 'ten')).toBe('ten');
  });

  it('has the names of people as they are, dots and all', () => {
    const schema = {
      type: 'object',
      properties: { fields: schemaOfFields([{ name: 'on.call', field_type: 'string', required: true }]) },
    };
    const specs = fieldsOf(schema);
    expect(specs).toMatchObject([{ path: 'fields.on.call', label: 'on.call', required: true }]);
    expect(bodyOf(specs, { 'fields.on.call': 'Ann' })).toEqual({ fields: { 'on.call': 'Ann' } });
  });

  it('says what is wrong at its field, and the rest above', () => {
    const specs = fieldsOf(schemas.checks.http!);
    const details = [
      { path: 'target_url', message: 'must be a URL' },
      { path: 'config.headers.a b', message: 'is no name' },
      { path: 'colour', message: 'is not known' },
    ];
    expect(sortErrors(specs, { message: 'Three things are wrong.', details })).toEqual({
      byPath: { target_url: 'must be a URL', 'config.headers': 'a b is no name' },
      rest: ['colour: is not known'],
    });
    expect(sortErrors(specs, { message: 'Not today.', details: [] }).rest).toEqual(['Not today.']);
  });

  it('calls members as people do', () => {
    expect(['target_url', 'timeout_ms', 'verify_tls', 'name'].map(labelOf)).toEqual([
      'Target URL',
      'Timeout in ms',
      'Verify TLS',
      'Name',
    ]);
  });
});

describe('a list of objects', () => {
  const steps: MemberSchema = {
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

  it('has a row each and a field for each member, and comes back as it was', () => {
    expect(spec).toMatchObject({ path: 'config.steps', kind: 'rows' });
    const typed = textOf(spec!, value);
    expect(rowsIn(typed)).toEqual([
      { send: 'a "b"\\r\\n\\u0000', expect: '', starttls: 'false' },
      { send: '', expect: 'c\\\\d\u00ff', starttls: 'false' },
      { send: '', expect: '', starttls: 'true' },
    ]);
    expect(readText(spec!, typed)).toEqual(value);
  });

  it('reads in a line each, without its secrets', () => {
    const lines = rowsIn(textOf(spec!, value)).map((row) => lineOf(spec!.columns, row));
    expect(lines).toEqual(['send ********', 'expect c\\\\d\u00ff', 'starttls']);
  });

  it('has what the API says of a member at its field, and the rest at the list', () => {
    const details = [
      { path: 'config.steps.1.expect', message: 'must not be empty' },
      { path: 'config.steps.2', message: 'must have one' },
    ];
    expect(sortErrors([spec!], { message: 'no', details })).toEqual({
      byPath: { 'config.steps.1.expect': 'must not be empty', 'config.steps': '2 must have one' },
      rest: [],
    });
  });

  it('is empty when every row was taken away', () => {
    expect(bodyOf([spec!], { 'config.steps': '[]' }, { config: { steps: value } })).toEqual({ config: { steps: [] } });
    expect(bodyOf([spec!], {}, { config: {} })).toEqual({});
  });
});

it('bytes are typed on one line, whatever they are', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(escaped(text)).not.toMatch(/[\r\n]/);
      expect(unescaped(escaped(text))).toBe(text);
    }),
  );
  expect(unescaped('no \\x escape')).toBe('no \\x escape');
});
