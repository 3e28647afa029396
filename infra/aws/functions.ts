import { ArnFormat, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { onCycles } from '#infra/cycles.ts';
import { type FunctionName, runsInVpc, functions as specs } from '#infra/topology.ts';
import { EDGE_SECRET, queueVariable, secretVariable } from '#lib/aws/environment.ts';
import { namesOf } from '#lib/platform/plain-data.ts';
import { bundle } from './bundle/bundle.ts';
import { servesRequests } from './bundle/entry.ts';
import { permissionsOf, type Resources } from './permissions.ts';
import { type DeploySettings, SECRETS, serviceEnvironment } from './settings.ts';
import { namespaceOf } from './watch/own-metrics.ts';

export type Functions = Record<FunctionName, LambdaFunction>;

/** Creates every function of the topology, each with its own role, log group and bundle. */
export function makeFunctions(scope: Construct, resources: Resources, settings: DeploySettings): Functions {
  const created = namesOf(specs).map((name) => [name, makeFunction(scope, name, resources, settings)]);
  return Object.fromEntries(created) as Functions;
}

function makeFunction(scope: Construct, name: FunctionName, resources: Resources, settings: DeploySettings) {
  const { memory_mb, timeout_seconds } = specs[name];
  const reserved = settings.RESERVED_CONCURRENCY[name];
  const logGroup = makeLogGroup(scope, name, settings);
  const vpc = runsInVpc(name) && resources.network;
  return new LambdaFunction(scope, `Function-${name}`, {
    description: `Fleetwatch ${name}`,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    handler: 'index.handler',
    code: codeOf(scope, name),
    memorySize: memory_mb,
    timeout: Duration.seconds(timeout_seconds),
    role: makeRole(scope, name, logGroup, resources, settings),
    ...(resources.key && { environmentEncryption: resources.key }),
    ...vpc,
    logGroup,
    // WARN omits the report of each invocation, whose values are in metrics. INFO keeps metrics, which are log lines.
    loggingFormat: LoggingFormat.JSON,
    systemLogLevelV2: SystemLogLevel.WARN,
    applicationLogLevelV2: ApplicationLogLevel.INFO,
    environment: {
      ...environmentOf(name, resources, settings),
      ...(vpc && { IN_VPC: settings.VPC_IPV6 ? 'ipv6' : 'ipv4' }),
      POWERTOOLS_METRICS_NAMESPACE: namespaceOf(scope),
    },
    ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
    // Chains such as a retried delivery or a moved deadline are intended, and bounded by their queues.
    recursiveLoop: recursive.has(name) ? RecursiveLoop.ALLOW : RecursiveLoop.TERMINATE,
  });
}

/** Bundles a function, unless the CDK needs no code, as for `cdk destroy` and the count of resources. */
const codeOf = (scope: Construct, name: FunctionName): Code =>
  Stack.of(scope).bundlingRequired ? Code.fromAsset(bundle(name).dir) : Code.fromInline('// not bundled');

const recursive = onCycles();

/** Creates a log group. @param logGroupName default: a name by CloudFormation */
export const makeLogGroup = (
  scope: Construct,
  name: string,
  settings: DeploySettings,
  logGroupName?: string,
): LogGroup =>
  new LogGroup(scope, `Log-${name}`, {
    ...(logGroupName !== undefined && { logGroupName }),
    retention: settings.LOG_RETENTION_DAYS as RetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });

function makeRole(
  scope: Construct,
  name: FunctionName,
  logGroup: LogGroup,
  resources: Resources,
  settings: DeploySettings,
): Role {
  const log = new PolicyStatement({
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logGroup.logGroupArn],
  });
  return new Role(scope, `Role-${name}`, {
    description: `Permissions of the Fleetwatch function ${name}`,
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: {
      own: new PolicyDocument({
        statements: [log, ...permissionsOf(name, resources), ...secretRights(scope, name, settings)],
      }),
    },
  });
}

function environmentOf(
  name: FunctionName,
  { table, queues, bus, bucket, edgeSecrets }: Resources,
  settings: DeploySettings,
): Record<string, string> {
  const { table: access, sends, publishes, files } = specs[name];
  return {
    ...serviceEnvironment(settings, specs[name].streams === true),
    LOG_LEVEL: settings.LOG_LEVEL,
    POWERTOOLS_SERVICE_NAME: name,
    ...(access && { TABLE_NAME: table.tableName }),
    ...Object.fromEntries(sends.map((queue) => [queueVariable(queue), queues[queue].queueUrl])),
    ...(publishes && { BUS_NAME: bus.eventBusName }),
    ...(files && { PUBLIC_BUCKET: bucket.bucketName }),
    ...(edgeSecrets.length > 0 &&
      servesRequests(name) && { [EDGE_SECRET]: edgeSecrets.map((one) => one.unsafeUnwrap()).join(',') }),
    ...Object.fromEntries(secretsOf(name, settings).map(([setting, secret]) => [secretVariable(setting), secret])),
  };
}

/** Returns the settings that a function reads from secrets, each with the name of its secret. */
const secretsOf = (name: FunctionName, settings: DeploySettings) =>
  (specs[name].secrets ?? []).flatMap((setting) => {
    const secret = settings[SECRETS[setting]];
    return secret === '' ? [] : [[setting, secret] as const];
  });

/** Permits a function to read its secrets. The ARN of a secret ends with six characters that AWS chooses. */
function secretRights(scope: Construct, name: FunctionName, settings: DeploySettings): PolicyStatement[] {
  const arnOf = (secret: string) =>
    Stack.of(scope).formatArn({
      service: 'secretsmanager',
      resource: 'secret',
      resourceName: `${secret}-??????`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  const resources = secretsOf(name, settings).map(([, secret]) => arnOf(secret));
  return resources.length === 0 ? [] : [new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources })];
}
