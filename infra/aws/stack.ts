import { CfnOutput, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { MCP_PATH } from '#lib/mcp/address.ts';
import { layoutOf } from '#lib/schedule/watermark.ts';
import { makeBackup } from './backup.ts';
import { makeBucket } from './bucket.ts';
import { makeBus } from './bus.ts';
import { makeChangeStream } from './change-stream.ts';
import { makeConsumers } from './consumers.ts';
import { makeCdn } from './edge/cdn.ts';
import { makeEdgeSecrets } from './edge/edge-secret.ts';
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
import { makeBudget } from './watch/alarm-topic.ts';
import { makeAlarms } from './watch/alarms.ts';
import { makeDashboards } from './watch/dashboard.ts';
import { throttledPushes } from './watch/throttled-pushes.ts';

export class FleetwatchStack extends Stack {
  constructor(scope: Construct, settings: DeploySettings, props: StackProps = {}) {
    super(scope, settings.STACK_NAME, {
      description: 'Fleetwatch',
      terminationProtection: settings.DELETION_PROTECTION,
      ...props,
    });
    // Costs can be filtered by this tag once it is activated as a cost allocation tag.
    Tags.of(this).add('Application', settings.STACK_NAME);
    const key = settings.KMS_KEY_ARN === '' ? undefined : Key.fromKeyArn(this, 'Key', settings.KMS_KEY_ARN);
    const network = makeNetwork(this, settings);
    const table = makeTable(this, settings, key);
    const { queues, deadLetters } = makeQueues(this, key);
    const bus = makeBus(this);
    const edge = settings.CDN ? makeEdgeSecrets(this, key, settings.EDGE_SECRET_VERSION) : [];
    const edgeSecrets = edge.map((one) => one.secretValue);
    const bucket = makeBucket(this, settings);
    const functions = makeFunctions(this, { table, queues, bus, bucket, key, network, edgeSecrets }, settings);
    const sources = makeConsumers(queues, functions, settings);
    const ticks = makeTicks(this, queues, key);
    deadLetters.push(...makeChangeStream(this, table, functions, key), ...ticks.map(({ dead }) => dead));
    const { api, accessLog } = makeHttp(this, functions, settings);
    const streamed = makeFunctionUrls(functions, settings);
    const pingUrl = makePingUrl(functions, api, settings);
    const [edgeSecret] = edgeSecrets;
    const { cdn, statusCdn } = edgeSecret
      ? makeCdn(this, { api, streamed, edgeSecret, bucket }, settings)
      : { cdn: undefined, statusCdn: undefined };
    const cdns = [cdn, statusCdn].filter((one) => one !== undefined);
    // The functions know a new secret before CloudFront sends it.
    for (const one of cdns) one.node.addDependency(...Object.values(functions));
    const watched = { table, queues, deadLetters, functions, api, throttledPushes: throttledPushes(this, accessLog) };
    const topic = makeAlarms(this, watched, settings);
    makeBackup(this, table, topic, settings);
    makeDashboards(this, watched);
    makeBudget(this, settings);
    acknowledgeFindings({ deadLetters, functions, api, bucket, cdns, edge });

    const output = (id: string, description: string, value: string) => new CfnOutput(this, id, { description, value });
    const url = cdn ? `https://${settings.DOMAIN_NAME || cdn.distributionDomainName}` : api.apiEndpoint;
    output('Url', 'URL of the service', url);
    output('ConsoleUrl', 'URL of the console', settings.PUBLIC_URL || url);
    output('McpUrl', 'URL for MCP clients', `${url}${MCP_PATH}`);
    output('PingUrl', 'Base of the ping URLs of jobs', pingUrl);
    for (const one of streamed) {
      const use = cdn ? 'accepts only CloudFront' : 'for MCP clients with protocol version 2024-11-05';
      output(`StreamUrl${one.name}`, `Streaming URL of the function ${one.name}; ${use}`, one.url.url);
    }
    if (cdn && settings.DOMAIN_NAME !== '') {
      output('DomainTarget', `Target of the CNAME or alias ${settings.DOMAIN_NAME}`, cdn.distributionDomainName);
    }
    if (statusCdn) output('StatusDomainTarget', 'Target of each of STATUS_DOMAINS', statusCdn.distributionDomainName);
    output('ApiUrl', 'URL of the HTTP API', api.apiEndpoint);
    output('ApiId', 'Id of the HTTP API', api.apiId);
    output('TableName', 'TABLE_NAME for the admin commands', table.tableName);
    output('BusName', 'Event bus of state changes', bus.eventBusName);
    output('AlarmTopic', 'SNS topic of the alarms', topic.topicArn);
    output('Schedules', 'Schedules that start all work', ticks.map(({ schedule }) => schedule.scheduleName).join(','));
    output('DeliverySource', 'Event source of the deliverer', sources.delivery);
    if (settings.PUBLIC_URL === '' && settings.DOMAIN_NAME === '')
      output('AlertLinks', 'Links in alerts', `Off. Set PUBLIC_URL to ${url} and deploy again.`);
    output('Layout', 'Partitions; fixed once the table has data', layoutOf(settings));
  }
}
