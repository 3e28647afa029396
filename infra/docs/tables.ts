import { REASON_RULES } from '#lib/alerting/decide/rules.ts';
import { SETTINGS } from '#lib/alerting/policy/settings.ts';
import { allRoutes } from '#lib/all-routes.ts';
import type { ChannelType } from '#lib/channels/channel-type.ts';
import { channelTypes } from '#lib/channels/registry.ts';
import { CheckInput } from '#lib/checks/settings/model.ts';
import type { CheckType } from '#lib/checks/types/check-type.ts';
import { checkTypes, ERRORS } from '#lib/checks/types/registry.ts';
import { type ErrorCode, errorBody, STATUS_OF } from '#lib/platform/errors.ts';
import { ruleOf } from '#lib/platform/http/access.ts';
import { plainErrors, validationError } from '#lib/platform/http/validation.ts';
import { assertionTables } from './assertion-tables.ts';
import { MEANING_OF } from './error-meanings.ts';
import { endpointOf, type OpenApi } from './openapi.ts';
import { propertiesIn, requestTable, responseTable } from './properties.ts';
import { settingTables } from './setting-tables.ts';
import { block, table } from './table.ts';
import { alertVariables, variables } from './variables.ts';

/** Properties of a new check that its type determines. */
const OF_TYPE = new Set(['check_type', 'execution_mode']);

// biome-ignore lint/suspicious/noExplicitAny: a JSON document of any depth
type Json = any;

/** Returns all tables for pages below docs/, by name. Pure. */
export function tablesOf(document: OpenApi): Readonly<Record<string, string>> {
  const { propertiesOf, typeOf, named } = propertiesIn(document);
  const hook: Json = document.webhooks.state_change.post;
  const response = (name: string, only?: (name: string) => boolean) =>
    responseTable(propertiesOf(named(name), '', only));
  const request = (name: string, only?: (name: string) => boolean) => requestTable(propertiesOf(named(name), '', only));

  const ofEveryCheck = new Set(Object.keys(named('NewCheck_push').properties).filter((name) => name !== 'config'));

  function checkTable({ type, result }: CheckType): string {
    const schema = named(`NewCheck_${type}`);
    const own = propertiesOf(schema, '', (name) => !ofEveryCheck.has(name) && name !== 'config');
    const settings = requestTable([...own, ...propertiesOf(schema.properties.config, 'config.')]);
    const lastResult = named(`CheckWithLastResult_${type}`).properties.last_result.anyOf[0];
    const found = propertiesOf(lastResult, 'last_result.', (name) => name in result.shape);
    return found.length === 0 ? settings : `${settings}\n\n${responseTable(found)}`;
  }

  const channelTable = ({ type }: ChannelType): string =>
    requestTable(propertiesOf(named(`NewChannel_${type}`).properties.config, 'config.'));

  const byType = <Type extends { type: string }>(prefix: string, types: Iterable<Type>, make: (type: Type) => string) =>
    Object.fromEntries([...types].map((one) => [`${prefix}-${one.type}`, make(one)]));

  return {
    'check-types': typeTable(checkTypes.values()),
    'check-settings': request('NewCheck_http', (name) => ofEveryCheck.has(name) && !OF_TYPE.has(name)),
    ...byType('check', checkTypes.values(), checkTable),
    ...assertionTables,
    'error-kinds': codeTable(['error_kind', 'meaning'], Object.entries(ERRORS)),
    'check-record': response('CheckWithLastResult_push', (name) => !ofEveryCheck.has(name) && name !== 'config'),
    result: response('Result'),
    transition: responseTable([
      ...propertiesOf(named('Transition'), '', (name) => name !== 'alert'),
      ...propertiesOf(named('Transition').properties.alert, 'alert.'),
    ]),
    gap: response('Gap'),
    'policy-settings': codeTable(
      ['setting', 'type', 'default', 'meaning'],
      Object.entries(SETTINGS).map(([name, setting]) => [
        name,
        typeOf(named('DefaultPolicy').properties[name]),
        code(JSON.stringify(setting.default)),
        setting.means,
      ]),
    ),
    'alert-rules': codeTable(
      ['reason', 'meaning', 'what to do'],
      REASON_RULES.map(({ name, label, meaning, remedy }) => [name, `${label}: ${meaning}`, remedy]),
    ),
    delivery: response('Delivery'),
    'window-settings': request('NewWindow'),
    'slo-settings': request('NewSlo'),
    'slo-status': response('SloStatus'),
    'report-month': response('ReportMonth'),
    'channel-types': typeTable(channelTypes),
    ...byType('channel', channelTypes, channelTable),
    'text-variables': codeTable(
      ['variable', 'meaning'],
      [...Object.entries(alertVariables), ['label.<key>', 'A label of the entity: `{{label.team}}`.']],
      braced,
    ),
    alert: response('Alert'),
    'alert-headers': codeTable(
      ['header', 'meaning'],
      hook.parameters.map(({ name, description }: Json) => [name, description]),
    ),
    'combined-alerts': response('CombinedAlerts'),
    'alert-example': json(hook.requestBody.content['application/json'].example),
    'action-settings': request('NewAction'),
    'remediation-settings': request('RemediationInput'),
    'action-variables': codeTable(
      ['variable', 'present', 'meaning'],
      Object.entries(variables).map(([name, cells]) => [name, ...cells]),
      braced,
    ),
    execution: response('Execution'),
    errors: codeTable(
      ['code', 'status', 'when'],
      Object.entries(STATUS_OF).map(([code, status]) => [code, String(status), MEANING_OF[code as ErrorCode]]),
    ),
    'error-example': json(exampleError()),
    endpoints: table(['endpoint', 'summary', 'role', 'scopes'], allRoutes.map(endpointRow)),
    ...settingTables,
  };
}

const code = (text: string): string => `\`${text}\``;
const braced = (name: string): string => code(`{{${name}}}`);
const json = (value: unknown): string => block('json', JSON.stringify(value, null, 2));

const codeTable = (heads: string[], rows: readonly string[][], format = code): string =>
  table(
    heads,
    rows.map(([first = '', ...rest]) => [format(first), ...rest]),
  );

const typeTable = (types: Iterable<{ type: string; title: string; about: string }>): string =>
  codeTable(
    ['type', 'name', 'meaning'],
    [...types].map(({ type, title, about }) => [type, title, about]),
  );

function endpointRow({ method, path, summary, access }: (typeof allRoutes)[number]): string[] {
  const endpoint = code(endpointOf({ method, path }));
  if (access === 'open') return [endpoint, summary, '', ''];
  const { role, scopes } = ruleOf(access);
  return [endpoint, summary, role, scopes.join(', ')];
}

function exampleError(): unknown {
  const body = { entity_id: 'ent_1', check_type: 'push', interval_seconds: 0 };
  const { error } = CheckInput.safeParse(body, { error: plainErrors });
  return errorBody(validationError(error!));
}
