import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageOf } from '#lib/channels/message.ts';
import { linesOf } from '#lib/channels/plain-text.ts';
import { ChannelBody, channelTypes } from '#lib/channels/registry.ts';
import { ALERT_VARIABLES } from '#lib/channels/templates.ts';
import { parse } from '#lib/platform/http/validation.ts';
import { sectionProblem, withSections } from '#lib/platform/template.ts';
import { examples, nasty } from './example-alerts.ts';
import { render } from './rendered.ts';

/** Validates a Slack channel with a template. Throws VALIDATION_ERROR. */
const channelWith = (body_template: string) =>
  parse(ChannelBody, { channel_type: 'slack', config: { url: 'https://hooks.slack.com/a', body_template } });

const refusal = (body_template: string): string => {
  try {
    channelWith(body_template);
    return '';
  } catch (error) {
    const [detail] = (error as { details: { path: string; message: string }[] }).details;
    return `${detail!.path}: ${detail!.message}`;
  }
};

describe('the validation of a template', () => {
  it.each([
    [
      '{{entity}} is down',
      /^config\.body_template: has \{\{entity\}\}, which is not a variable; known are entity_name/,
    ],
    [
      '{{#if error}}{{error}}',
      /^config\.body_template: has \{\{#if error\}\} without \{\{\/if\}\}; add \{\{\/if\}\} at its end$/,
    ],
    ['{{error}}{{/if}}', /^config\.body_template: has a \{\{\/if\}\} without/],
    ['{{#if wrong}}x{{/if}}', /^config\.body_template: has \{\{wrong\}\}, which is not a variable/],
    [
      '{{ state }}',
      /^config\.body_template: has \{\{ state \}\}, which is not a variable or a section; write \{\{state\}\}/,
    ],
    ['{{#each names}}x{{/each}}', /not a variable or a section/],
    ['{{#if state}}x{{else}}y{{/if}}', /has \{\{else\}\}, which is not a variable/],
    ['{{label.Team}}', /not a variable/],
    ['{{constructor}}', /not a variable/],
    ['', /must not be empty/],
    ['x'.repeat(4001), /must have at most 4000 characters/],
    [`${'{{#if state}}'.repeat(9)}x${'{{/if}}'.repeat(9)}`, /more than 8 nested sections/],
  ])('rejects %j', (template, why) => {
    expect(refusal(template)).toMatch(why);
  });

  it('accepts every variable', () => {
    const names = [...Object.keys(ALERT_VARIABLES), 'label.team'];
    expect(refusal(names.map((name) => `{{#if ${name}}}{{${name}}}{{/if}}`).join(''))).toBe('');
  });

  it('rejects templates for types that programs read', () => {
    const config = { subject: 'a', body_template: '{{state}}' };
    expect(() => parse(ChannelBody, { channel_type: 'nats', config })).toThrowError(
      expect.objectContaining({ details: [expect.objectContaining({ path: 'config.body_template' })] }),
    );
  });
});

describe('templates', () => {
  const said = (body_template: string, alert: (typeof examples)[keyof typeof examples] = examples.everything) =>
    linesOf(messageOf(alert, { body_template })).join('\n');

  it('replace the title, or everything below it', () => {
    const message = messageOf(examples.state_change, {
      title_template: '[{{state}}] {{entity_name}}',
      body_template: 'x',
    });
    expect(message).toMatchObject({ title: '[down] Shop', lead: 'x', facts: [], why: '', note: '', links: [] });
    expect(messageOf(examples.state_change, { title_template: '[{{state}}] {{title}}' })).toMatchObject({
      title: '[down] Shop: checkout is down',
      why: 'status 503, expected 200',
    });
  });

  it('have the values of the alert', () => {
    expect(said('{{check_name}}|{{state}}|{{previous_state}}|{{since}}|{{error}}|{{cause}}|{{label.team}}')).toBe(
      'checkout|down|up|2026-11-21 05:16:10 UTC|status 503, expected 200|Database|payments',
    );
    expect(said('{{runbook_url}} {{acknowledge_url}} {{duration}}')).toBe(
      'https://wiki.test/shop?a=1&b=2 https://status.test/a/tok_1 30 s',
    );
  });

  it('omit a section whose variable is empty', () => {
    expect(said('a{{#if error}}b{{#if cause}}c{{/if}}d{{/if}}e', examples.state_change)).toBe('abde');
    expect(said('a{{#if error}}b{{#if cause}}c{{/if}}d{{/if}}e', examples.recovery)).toBe('ae');
    expect(said('a{{#if label.missing}}b{{/if}}{{label.missing}}c')).toBe('ac');
  });

  it('never replace placeholders in a value', () => {
    const alert = { ...examples.state_change, error_message: '{{entity_id}} {{#if state}}' };
    expect(messageOf(alert, { body_template: '{{error}}' }).lead).toBe('{{entity_id}} {{#if state}}');
  });

  it('are escaped like all texts of the channel type', () => {
    const { body } = render('slack', nasty, { body_template: '<!channel> {{entity_name}}' });
    expect(body).not.toMatch(/[<>]/);
  });

  it('leave no tag in the message of any type, for any template and alert', () => {
    const pieces = fc.constantFrom(
      '{{entity_name}}',
      '{{error}}',
      '{{#if error}}',
      '{{/if}}',
      'text ',
      '{{impact}}',
      '\n',
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { minLength: 1, maxLength: 12 }),
        fc.constantFrom(...Object.values(examples)),
        (parts, alert) => {
          const body_template = parts.join('');
          fc.pre(refusal(body_template) === '');
          for (const type of channelTypes.filter(({ read_by }) => read_by === 'people')) {
            const send = type.render(alert, { ...type.examples.valid[0], body_template });
            expect(JSON.stringify(send)).not.toMatch(/\{\{/);
          }
        },
      ),
    );
  });
});

describe('sections', () => {
  const tags = fc.array(fc.constantFrom('{{#if a}}', '{{#if b}}', '{{/if}}', 'x', 'y'), { maxLength: 14 });

  it('leave no tag, and keep all other text if all variables are set', () => {
    fc.assert(
      fc.property(tags, fc.boolean(), (parts, isFilled) => {
        const template = parts.join('');
        fc.pre(sectionProblem(template) === undefined);
        const made = withSections(template, () => isFilled);
        expect(made).not.toContain('{{');
        if (isFilled) expect(made).toBe(parts.filter((part) => part.length === 1).join(''));
      }),
    );
  });
});
