import { EXAMPLE_ALERT } from '#lib/channels/alert.ts';
import type { ChannelType } from '#lib/channels/channel-type.ts';
import { channelTypes } from '#lib/channels/registry.ts';
import { CheckInput } from '#lib/checks/settings/model.ts';
import type { CheckType } from '#lib/checks/types/check-type.ts';
import { checkTypes } from '#lib/checks/types/registry.ts';
import { type ErrorCode, errorBody, STATUS_OF } from '#lib/platform/errors.ts';
import { plainErrors, validationError } from '#lib/platform/http/validation.ts';
import { assertionsSection } from './assertions-section.ts';
import { MEANING_OF } from './error-meanings.ts';
import { ANSWER_HEAD, membersTables, withoutDefault } from './members-table.ts';
import type { OpenApi } from './openapi.ts';
import { alertVariables, variables } from './variables.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, as deep as it is
type Json = any;

/** Types, members, events and errors as a page to read. Pure. */
export function referencePage(document: OpenApi): string {
  const { rows, table, answerTable, named } = membersTables(document);
  const hook: Json = document.webhooks.state_change.post;

  const ofEveryCheck = new Set(Object.keys(named('NewCheck_push').properties).filter((name) => name !== 'config'));

  const checkType = ({ type, title, about, result, examples }: CheckType): string => {
    const schema = named(`NewCheck_${type}`);
    const own = rows(schema, '', (name) => !ofEveryCheck.has(name) && name !== 'config');
    const config = rows(schema.properties.config, 'config.');
    const body = { entity_id: 'ent_…', check_type: type, ...examples.valid[0] };
    const shown = named(`CheckWithLastResult_${type}`).properties.last_result.anyOf[0];
    const found = rows(shown, 'last_result.', (name) => name in result.shape).map(withoutDefault);
    const answer =
      found.length === 0 ? '' : `\nIts results have further members:\n\n${[ANSWER_HEAD, ...found].join('\n')}\n`;
    return `### ${type}: ${title}\n\n${about}\n\n${table([...own, ...config])}\n${answer}\n${json(body)}\n`;
  };

  const channelType = (channel: ChannelType): string => {
    const { type, title, about, examples } = channel;
    const config = rows(named(`NewChannel_${type}`).properties.config, 'config.');
    const body = { channel_type: type, config: examples.valid[0] };
    return `### ${type}: ${title}\n\n${about}\n\n${table(config)}\n\n${json(body)}\n\nWhat is sent:\n\n${sent(channel)}\n`;
  };

  return `# Reference

Made by \`npm run openapi\` from the schemas that the service itself uses; do not edit. Endpoints with real exchanges are
in [ENDPOINTS.md](../lib/ENDPOINTS.md); tasks are in [use](use/checks.md). A member that is neither required nor has
a default may be left out.

- [Check types](#check-types): ${[...checkTypes.keys()].map((type) => `\`${type}\``).join(', ')}
- [Assertions](#assertions): what an answer must be; [kinds of error](#kinds-of-error)
- [Channel types](#channel-types): ${channelTypes.map(({ type }) => `\`${type}\``).join(', ')}
- [Own texts](#own-texts) of a channel
- [An alert for programs](#an-alert-for-programs) and [its signatures](#the-signatures)
- [Alert rules](#alert-rules)
- [Actions](#actions) and [their variables](#variables)
- [What is answered](#what-is-answered): checks, results, transitions, deliveries, executions
- [Errors](#errors)

## Check types

What every check takes, by \`POST /v1/checks\`; the members of each type follow below.

${table(rows(named('NewCheck_http'), '', (name) => ofEveryCheck.has(name) && name !== 'check_type' && name !== 'execution_mode'))}

\`check_type\` is one of the types below. \`execution_mode\` follows from it: \`push\` for push checks, whose
\`interval_seconds\` may be up to ${maximumOf('NewCheck_push')}, \`pull\` for all others.

${[...checkTypes.values()].map(checkType).join('\n')}
${assertionsSection()}
## Channel types

A channel belongs to the policy of a check: \`POST /v1/checks/{check_id}/policy/channels\`, at most 10. What is sent is
sent at least once, with these headers, on NATS too:

${parameterTable(hook.parameters)}

${hook.responses['2XX'].description}

${channelTypes.map(channelType).join('\n')}
## Own texts

Every type that people read takes \`title_template\` and \`body_template\` in its \`config\`: what they say stands in place
of the title, and of all below it. \`{{name}}\` is a variable, \`{{#if name}}…{{/if}}\` stands only where that holds
something; an unknown name is refused. Each type escapes them as it does all texts, so that a name cannot be markup. The
answer of \`POST …/test\` has a \`preview\` of what an alert would say.

| variable | value |
|---|---|
${Object.entries(alertVariables)
  .map(([name, meaning]) => `| \`{{${name}}}\` | ${meaning} |`)
  .join('\n')}
| \`{{label.<key>}}\` | A label of the entity: \`{{label.team}}\`. |

## An alert for programs

${hook.description}

${answerTable('Alert')}

${json(hook.requestBody.content['application/json'].example)}

### The signatures

With a \`secret\` the webhook carries two. \`X-Service-Signature: sha256=<hex>\` is the HMAC-SHA256 of the body with the
secret as key. \`X-Service-Signature-V1: v1=<hex>\` is that of \`X-Service-Timestamp\`, a dot and the body: who checks it
and the age of the timestamp cannot be sent an old alert once more. Compute either over the bytes as they came, before
parsing them, and compare in constant time:

\`\`\`js
import { createHmac, timingSafeEqual } from 'node:crypto';

const OLDEST_SECONDS = 300;

/** @param {Buffer} body as it came @param {Record<string, string>} headers with their names in lower case */
export function isSigned(body, headers, secret, now = Date.now()) {
  const timestamp = headers['x-service-timestamp'];
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= OLDEST_SECONDS)) return false;
  const mac = createHmac('sha256', secret).update(\`\${timestamp}.\`).update(body).digest('hex');
  const [wanted, given] = [Buffer.from(\`v1=\${mac}\`), Buffer.from(headers['x-service-signature-v1'] ?? '')];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
\`\`\`

## Alert rules

The policy of a check, by \`POST /v1/checks/{check_id}/policy\`; what is left out keeps its value. What the rules do
together is told in [Alerts](use/alerts.md).

${answerTable('PolicySettings', (name) => !['check_id', 'channels', 'updated_at'].includes(name))}

## Actions

Outbound calls to public addresses, whatever \`CHECK_EGRESS\` says; the operator lets them reach others by
\`EGRESS_ALLOW\`. At most 50 an account.

${table(rows(named('NewAction')))}

### Variables

In \`url\` and \`body_template\`, as \`{{name}}\`. A value is escaped for the place where it stands: as a JSON string in a
JSON body, percent-encoded in the path and query of a URL; before the path it may only have letters, digits, "." and "-".
A name that nothing fills is left as it is. A run by hand gives further ones in \`vars\`, and may set any of these but in
the host of the URL.

| variable | there | value |
|---|---|---|
${Object.entries(variables)
  .map(([name, [when, meaning]]) => `| \`{{${name}}}\` | ${when} | ${meaning} |`)
  .join('\n')}

## What is answered

### A check

Beside what it was made with. \`last_result\` and what follows it are in \`GET /v1/checks/{id}\` alone, but for \`stale\`, which lists have too.

${answerTable('CheckWithLastResult_push', (name) => !ofEveryCheck.has(name) && name !== 'config')}

### A result

${answerTable('Result')}

### A transition

${answerTable('Transition', (name) => name !== 'alert')}
${rows(named('Transition').properties.alert, 'alert.')
  .map((row) => row.replace(/\| required \|/, '|'))
  .join('\n')}

### A delivery

${answerTable('Delivery')}

### An execution

${answerTable('Execution')}

### A gap

${answerTable('Gap')}

## Errors

Every error has this form, and the same \`code\` wherever it means the same:

${json(refusal())}

| code | status | when |
|---|---|---|
${(Object.entries(STATUS_OF) as [ErrorCode, number][])
  .map(([code, status]) => `| \`${code}\` | ${status} | ${MEANING_OF[code]} |`)
  .join('\n')}
`;

  function maximumOf(name: string): string {
    return named(name).properties.interval_seconds.maximum.toLocaleString('en-US');
  }
}

/** What the service answers to a check whose interval is too short. */
function refusal(): unknown {
  const body = { entity_id: 'ent_1', check_type: 'push', interval_seconds: 0 };
  const { error } = CheckInput.safeParse(body, { error: plainErrors });
  return errorBody(validationError(error!));
}

const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

const parameterTable = (parameters: Json[]): string =>
  ['| header | meaning |', '|---|---|', ...parameters.map((one) => `| \`${one.name}\` | ${one.description} |`)].join(
    '\n',
  );

/** A real rendering: the request or publication that the channel type makes of one alert. */
function sent({ render, examples }: ChannelType): string {
  const made = render(EXAMPLE_ALERT, examples.valid[0]);
  if (made.via === 'nats') return 'The [alert](#an-alert-for-programs), with the headers above.';
  if (made.via === 'smtp') return `\`\`\`text\nSubject: ${made.mail.subject}\n\n${made.mail.text}\`\`\``;
  const head = Object.entries(made.headers).map(([name, value]) => `${name}: ${value}`);
  const body = made.headers['content-type']?.includes('json')
    ? JSON.stringify(JSON.parse(made.body), null, 2)
    : made.body;
  return `\`\`\`http\n${made.method ?? 'POST'} ${made.url}\n${head.join('\n')}\n\n${body}\n\`\`\``;
}
