import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { automation } from '#console/api/automation-schemas.ts';
import { isUnderWay, outcome, updateHint, watchInterval } from '#console/rules/executions.ts';
import { bodyOf, draftOf } from '#console/rules/form-draft.ts';
import { fieldsOf } from '#console/rules/form-fields.ts';
import { levelOf, plainLine } from '#console/rules/log-line.ts';
import { listToolsCommand, MCP_CLIENTS } from '#console/rules/mcp-clients.ts';
import { runSchema, toolSchema } from '#console/rules/run-variables.ts';
import { triggerText } from '#console/rules/triggers.ts';
import { NewAction } from '#lib/actions/action.ts';

describe('action form', () => {
  const specs = fieldsOf(automation.action);
  const action = {
    name: 'Restart',
    url: 'https://ci.example.com/{{service}}',
    method: 'PUT',
    headers: { Authorization: '********', 'X-Team': '********' },
    body_template: '{"a": 1}',
    allowed_hosts: ['ci.example.com'],
    trigger_type: 'schedule',
    check_id: null,
    trigger_to_state: '',
    interval_seconds: 300,
    timeout_ms: 10_000,
  };

  it('sends an unchanged action with its masked headers', () => {
    const { check_id: _none, ...rest } = action;
    expect(bodyOf(specs, draftOf(specs, action), action)).toEqual({ ...rest, remediation: null });
  });

  it('sends null for empty nullable fields, and numbers for numeric ones', () => {
    const draft = { ...draftOf(specs, undefined), name: 'a', url: 'https://a.example', trigger_type: 'manual' };
    expect(NewAction.parse(bodyOf(specs, draft))).toMatchObject({ check_id: null, interval_seconds: null });
    expect(bodyOf(specs, { ...draft, interval_seconds: '60' })).toMatchObject({ interval_seconds: 60 });
  });

  it('sends empty values to remove all headers and hosts, because null keeps them', () => {
    const draft = { ...draftOf(specs, action), headers: '', allowed_hosts: '' };
    expect(bodyOf(specs, draft, action)).toMatchObject({ headers: {}, allowed_hosts: [] });
  });
});

describe('execution', () => {
  const execution = {
    attempt: null,
    verdict: null,
    dispatch_status: 'success',
    pipeline_status: null,
    finished_at: '2026-11-22T10:00:00.000Z',
  } as const;
  const at = (minutes: number) => Date.parse(execution.finished_at) + minutes * 60_000;

  it('is followed while it is pending or its pipeline is queued or running', () => {
    expect(isUnderWay({ ...execution, dispatch_status: 'pending', finished_at: null }, at(0))).toBe(true);
    expect(isUnderWay({ ...execution, pipeline_status: 'queued' }, at(600))).toBe(true);
    expect(isUnderWay({ ...execution, pipeline_status: 'running' }, at(600))).toBe(true);
    expect(isUnderWay({ ...execution, pipeline_status: 'failed' }, at(0))).toBe(false);
    expect(isUnderWay({ ...execution, dispatch_status: 'failed' }, at(0))).toBe(false);
  });

  it('is followed for ten minutes without reports of the pipeline', () => {
    expect(isUnderWay(execution, at(9))).toBe(true);
    expect(isUnderWay(execution, at(11))).toBe(false);
  });

  it('shows whether the page updates live or waits for a first report', () => {
    expect(updateHint(execution)).toMatch(/request is finished/);
    expect(updateHint({ ...execution, dispatch_status: 'pending' })).toMatch(/Updating live/);
    expect(updateHint({ ...execution, pipeline_status: 'running' })).toMatch(/Updating live/);
  });

  it('shows the status of the pipeline once it has reported', () => {
    expect(outcome(execution).word).toBe('Success');
    expect(outcome({ ...execution, pipeline_status: 'failed' })).toEqual({ state: 'down', word: 'Failed' });
  });

  it('is polled less often without news, and never before Retry-After', () => {
    const interval = (quiet: number) => watchInterval({ quiet, hidden: false, retryAfter: undefined });
    expect([0, 1, 2, 50].map(interval)).toEqual([1000, 1500, 2250, 15_000]);
    expect(watchInterval({ quiet: 0, hidden: true, retryAfter: undefined })).toBe(60_000);
    fc.assert(
      fc.property(fc.nat(1000), fc.boolean(), fc.nat(600), (quiet, hidden, retryAfter) => {
        expect(watchInterval({ quiet, hidden, retryAfter })).toBeGreaterThanOrEqual(Math.max(1000, retryAfter * 1000));
      }),
    );
  });
});

describe('log line', () => {
  it.each([
    ['\u001b[1;31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007text', 'text'],
    ['\u001b]8;;https://a.example\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['10 %\r20 %\r', '10 %␍20 %'],
    ['bell\u0007 and\ttab', 'bell␇ and\ttab'],
    ['<b>text</b> 🛰', '<b>text</b> 🛰'],
  ])('shows %j as %j', (line, shown) => {
    expect(plainLine(line)).toBe(shown);
  });

  it('contains no control character except tabs', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (line) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
        expect(plainLine(line)).not.toMatch(/[\x00-\x08\x0a-\x1f\x7f]/);
      }),
    );
  });

  it.each([
    ['ERROR disk full', 'error'],
    ['2026-11-22T10:00:00Z [warn] slow', 'warning'],
    ['error: it broke', 'error'],
    ['npm WARN old lockfile', 'warning'],
    ['::error file=a.ts::broken', 'error'],
    ['{"level":"debug","msg":"a"}', 'debug'],
    ['time=10:00 level=fatal msg=gone', 'error'],
    ['TypeError: a is not a function', undefined],
    ['0 errors, 0 warnings', undefined],
    ['no error here', undefined],
    ['info: all is well', undefined],
  ])('detects in %j the level %s', (line, level) => {
    expect(levelOf(line)).toBe(level);
  });
});

describe('variables of an action', () => {
  const templates = {
    url: 'https://{{service}}.example.com/{{entity_name}}',
    body_template: '{"run": "{{execution_id}}", "service": "{{service}}", "{{why}}": 1}',
  };

  it('lists custom variables first, without those that every execution sets', () => {
    expect(fieldsOf(runSchema(templates)).map(({ path, label }) => [path, label])).toEqual([
      ['vars.service', 'service'],
      ['vars.why', 'why'],
      ['vars.entity_name', 'entity_name'],
    ]);
  });

  it('sends names with dots unchanged', () => {
    const specs = fieldsOf(runSchema({ url: 'https://a.example/{{git.ref}}', body_template: '' }));
    expect(bodyOf(specs, { 'vars.git.ref': 'main' })).toEqual({ vars: { 'git.ref': 'main' } });
  });

  it('lists custom variables as the arguments of a tool', () => {
    expect(toolSchema(templates)).toEqual({
      type: 'object',
      properties: { service: { type: 'string' }, why: { type: 'string' } },
      required: ['service', 'why'],
      additionalProperties: false,
    });
  });
});

describe('trigger of an action', () => {
  it('is described in words', () => {
    const trigger = { trigger_to_state: '', interval_seconds: 300 } as const;
    expect(triggerText({ ...trigger, trigger_type: 'manual' })).toBe('manual');
    expect(triggerText({ ...trigger, trigger_type: 'schedule' })).toBe('every 5 min');
    expect(triggerText({ ...trigger, trigger_type: 'state_change' })).toBe('on a transition');
  });
});

describe('configurations of MCP clients', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/use/agents.md'), 'utf8');
  const URL_OF_PAGE = 'http://127.0.0.1:8787/v1/mcp';

  it.each(MCP_CLIENTS)('match docs/use/agents.md for $name', ({ name, text }) => {
    const section = page.split(`\n### ${name}\n`)[1]!.split('\n### ')[0]!;
    const [, kind, block] = /```(\w+)\n(.*?)\n```/s.exec(section)!;
    const key = { Cursor: `\${env:FLEETWATCH_KEY}`, 'Claude Desktop': `\${FLEETWATCH_KEY}` }[name] ?? '$FLEETWATCH_KEY';
    const shown = text(URL_OF_PAGE, key);
    if (kind === 'json') expect(JSON.parse(shown)).toEqual(JSON.parse(block!));
    else expect(shown).toBe(block);
  });

  it('include a request that lists the tools', () => {
    expect(listToolsCommand('https://a.example/v1/mcp', 'fw_1')).toContain('Authorization: Bearer fw_1');
  });
});
