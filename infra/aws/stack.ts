import { CfnOutput, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { MCP_PATH } from '#lib/mcp/address.ts';
import { layoutOf } from '#lib/schedule/watermark.ts';
import { makeBackup } from './backup.ts';
import { makeBus } from './bus.ts';
import { makeChangeStream } from './change-stream.ts';
import { makeConsumers } from './consumers.ts';
import { makeCdn } from './edge/cdn.ts';
import { makeEdgeSecret } from './edge/edge-secret.ts';
import { makeFunctionUrls } from './edge/function-urls.ts';
import { makeHttp } from './edge/http.ts';
import { makePingUrl } from './edge/ping-url.ts';
import { makeFunctions } from './functions.ts';
import { acknowledgeFindings } from './nag-suppressions.ts';
import { makeQueues } from './queues.ts';
import type { DeploySettings } from './settings.ts';
import { makeTable } from './table.ts';
import { makeTicks } from './ticks.ts';
import { makeNetwork } from './vpc.ts';
import { makeAlarms } from './watch/alarms.ts';
import { makeDashboards } from './watch/dashboard.ts';
import { throttledPushes } from './watch/throttled-pushes.ts';

/** The whole service, from the topology. */
export class FleetwatchStack extends Stack {
  constructor(scope: Construct, settings: DeploySettings, props: StackProps = {}) {
    super(scope, settings.STACK_NAME, {
      description: 'Fleetwatch',
      terminationProtection: settings.DELETION_PROTECTION,
      ...props,
    });
    // What it costs can be told apart by it, once it is switched on as a cost allocation tag.
    Tags.of(this).add('Application', settings.STACK_NAME);
    const key = settings.KMS_KEY_ARN === '' ? undefined : Key.fromKeyArn(this, 'Key', settings.KMS_KEY_ARN);
    const network = makeNetwork(this, settings);
    const table = makeTable(this, settings, key);
    makeBackup(this, table, settings);
    const { queues, deadLetters } = makeQueues(this, key);
    const bus = makeBus(this);
    const edge = settings.CDN ? makeEdgeSecret(this, key) : undefined;
    const edgeSecret = edge?.secretValue;
    const functions = makeFunctions(this, { table, queues, bus, key, network, edgeSecret }, settings);
    makeConsumers(queues, functions, settings);
    deadLetters.push(...makeChangeStream(this, table, functions, key), ...makeTicks(this, queues, key));
    const { api, accessLog } = makeHttp(this, functions, settings);
    const streamed = makeFunctionUrls(functions, settings);
    const pingUrl = makePingUrl(functions, settings);
    const cdn = edgeSecret && makeCdn(this, { api, streamed, edgeSecret }, settings);
    const watched = { table, queues, deadLetters, functions, api, throttledPushes: throttledPushes(this, accessLog) };
    const topic = makeAlarms(this, watched, settings);
    makeDashboards(this, watched);
    acknowledgeFindings({ deadLetters, functions, api, cdn, edge });

    const say = (id: string, description: string, value: string) => new CfnOutput(this, id, { description, value });
    const url = cdn ? `https://${settings.DOMAIN_NAME || cdn.distributionDomainName}` : api.apiEndpoint;
    say('Url', 'Address of everything', url);
    say('ConsoleUrl', 'Address of the console, for people', settings.PUBLIC_URL || url);
    say('McpUrl', 'Address for MCP clients', `${url}${MCP_PATH}`);
    say('PingUrl', 'Address that jobs ping: the function ingest itself', pingUrl.url);
    for (const one of streamed) {
      const who = cdn ? 'open to CloudFront alone' : 'for MCP clients of 2024-11-05';
      say(`StreamUrl${one.name}`, `The function ${one.name} itself, streaming; ${who}`, one.url.url);
    }
    if (cdn && settings.DOMAIN_NAME !== '') {
      say('DomainTarget', `What ${settings.DOMAIN_NAME} has to point at: CNAME or alias`, cdn.distributionDomainName);
    }
    say('ApiUrl', 'The HTTP API itself', api.apiEndpoint);
    say('ApiId', 'Its id', api.apiId);
    say('TableName', "TABLE_NAME of the operator's CLI", table.tableName);
    say('BusName', 'Event bus of state changes', bus.eventBusName);
    say('AlarmTopic', 'Topic of the alarms', topic.topicArn);
    say('Layout', 'Partitions, fixed once there is data', layoutOf(settings));
  }
}
