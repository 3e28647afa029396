import { type FunctionName, functions, queues, streams as readers, routes } from '#infra/topology.ts';
import { EDGE_SECRET } from '#lib/aws/environment.ts';

/** Module names of the OpenAPI document, the console and the docs in a bundle (bundle.ts). */
export const PACKED = { openApi: '#packed/openapi', console: '#packed/console', docs: '#packed/docs' };

/** Returns the entry file of a function on AWS: its factory with the ports of AWS, generated from the topology. */
export const entryOf = (name: FunctionName): string => (functions[name].table ? entryWithTable(name) : bareEntry(name));

/** Returns the entry file of a function without a table: settings and a log, without the AWS SDK. */
const bareEntry = (name: FunctionName): string =>
  [
    `import { create } from '#functions/${name}.ts';`,
    "import { settingsAndLog } from '#lib/aws/lambda/settings-and-log.ts';",
    "import { behindEdge } from '#lib/aws/lambda/behind-edge.ts';",
    "import { lambda } from '#lib/aws/lambda/lambda.ts';",
    `import files from '${PACKED.console}';`,
    `const docs = async () => (await import('${PACKED.docs}')).default;`,
    'const ports = { ...settingsAndLog(process.env), assets: { console: async () => files, docs } };',
    `const work = behindEdge(create(ports), process.env.${EDGE_SECRET} ?? '');`,
    'export const handler = lambda(work, { log: ports.log });',
    '',
  ].join('\n');

const ASSETS = `{ openApi: async () => (await import('${PACKED.openApi}')).default }`;

function entryWithTable(name: FunctionName): string {
  const { sends, publishes, reaches_out, streams, files, secrets } = functions[name];
  const start = streams ? 'streamingLambda' : 'lambda';
  const imports = [
    ['create', `#functions/${name}.ts`],
    [start, `#lib/aws/lambda/${streams ? 'streaming-lambda' : 'lambda'}.ts`],
    ['lambdaPorts', '#lib/aws/lambda/lambda-ports.ts'],
    ...(publishes ? [['lambdaBus', '#lib/aws/lambda/lambda-bus.ts']] : []),
    ...(reaches_out ? [['outerNet', '#lib/aws/lambda/lambda-net.ts']] : []),
    ...(files
      ? [
          ['s3Files', '#lib/aws/s3-files.ts'],
          ['PUBLIC_CACHING', '#lib/public/headers.ts'],
        ]
      : []),
    ...(secrets ? [['withSecrets', '#lib/aws/lambda/runtime-secrets.ts']] : []),
    ...(receivesBatches(name) ? [['batchMetrics', '#lib/aws/metrics.ts']] : []),
    ...(isLimited(name)
      ? [
          ['countMetrics', '#lib/aws/metrics.ts'],
          ['behindEdge', '#lib/aws/lambda/behind-edge.ts'],
          ['envOf', '#lib/env.ts'],
          ['leaseLimiter', '#lib/aws/lease-limiter.ts'],
        ]
      : []),
  ];
  const made = (create: string) =>
    secrets ? `withSecrets(process.env, ports, ${JSON.stringify(secrets)}, (ports) => ${create})` : create;
  const parts = [
    ...(publishes ? ['makeBus: lambdaBus'] : []),
    ...(reaches_out ? ['makeNet: outerNet'] : []),
    ...(files ? ['makeFiles: (bucket) => s3Files(bucket, PUBLIC_CACHING)'] : []),
  ];
  const ports = `lambdaPorts(process.env, ${JSON.stringify(sends)}, { ${parts.join(', ')} })`;
  return [
    ...imports.map(([symbol, from]) => `import { ${symbol} } from '${from}';`),
    ...(receivesBatches(name)
      ? [
          `const metrics = batchMetrics('${name}');`,
          `const ports = { ...${ports}, metrics };`,
          `export const handler = ${start}(${made('create(ports)')}, { log: ports.log, measure: metrics.measure });`,
        ]
      : isLimited(name)
        ? [
            `const world = { ...${ports}, metrics: countMetrics('${name}')${name === 'api' ? `, assets: ${ASSETS}` : ''} };`,
            'const ports = { ...world, limiter: leaseLimiter(envOf(world)) };',
            `const work = ${made(`behindEdge(create(ports), process.env.${EDGE_SECRET} ?? '')`)};`,
            `export const handler = ${start}(work, { log: ports.log });`,
          ]
        : [`const ports = ${ports};`, `export const handler = ${start}(create(ports), { log: ports.log });`]),
    '',
  ].join('\n');
}

/** Whether a function serves requests. */
export const servesRequests = (name: FunctionName): boolean => routes.some((route) => route.function === name);

/** Whether a function limits the rate of its requests, which needs the table. */
export const isLimited = (name: FunctionName): boolean => servesRequests(name) && functions[name].table !== undefined;

/** Whether a function receives batches of records. */
export const receivesBatches = (name: FunctionName): boolean =>
  Object.values(queues).some((queue) => queue.consumer === name) || readers.some((reader) => reader.function === name);
