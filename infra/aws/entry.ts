import { type FunctionName, functions } from '#infra/topology.ts';

/**
 * The entry file of a function on AWS, as text: its factory, fed with the ports of AWS. It is the same for each of
 * them but for what the topology says, so it is written by the topology.
 */
export function entryOf(name: FunctionName): string {
  const { sends, publishes, streams } = functions[name];
  const world = ['process.env', JSON.stringify(sends), ...(publishes ? ['lambdaBus'] : [])];
  const start = streams ? 'streamingLambda' : 'lambda';
  return [
    `import { create } from '#functions/${name}.ts';`,
    `import { ${start} } from '#lib/platform/aws/${streams ? 'streaming-lambda' : 'lambda'}.ts';`,
    `import { lambdaPorts } from '#lib/platform/aws/lambda-ports.ts';`,
    ...(publishes ? [`import { lambdaBus } from '#lib/platform/aws/lambda-bus.ts';`] : []),
    `const ports = lambdaPorts(${world.join(', ')});`,
    `export const handler = ${start}(create(ports), { log: ports.log, service: '${name}' });`,
    '',
  ].join('\n');
}
