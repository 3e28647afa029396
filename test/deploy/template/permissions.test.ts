import { describe, expect, it } from 'vitest';
import { type FunctionName, functions, queues, streams } from '#infra/topology.ts';
import { functionIn, type Json, ofType, queueIn, synthesize } from './synthesized.ts';

const { template } = synthesize();
const all = (type: string) => ofType(template, type);
const functionOf = (name: FunctionName) => functionIn(template, name);
const queueId = (name: string) => queueIn(template, name);
const names = Object.keys(functions) as FunctionName[];
const FILE_ACTIONS = { read: ['GetObject'], write: ['PutObject', 'DeleteObject'] };

describe('permissions of a function', () => {
  const statementsOf = (name: FunctionName): Json[] => {
    const roleId = functionOf(name).Role['Fn::GetAtt'][0];
    const role = all('AWS::IAM::Role').find((one) => one.id === roleId);
    const attached = all('AWS::IAM::Policy').filter((one) => one.Roles.some((each: Json) => each.Ref === roleId));
    expect(role.ManagedPolicyArns).toBeUndefined();
    return [...role.Policies, ...attached].flatMap((policy: Json) => policy.PolicyDocument.Statement);
  };
  const allowed = (name: FunctionName) =>
    new Set(
      statementsOf(name).flatMap(({ Action, Resource }: Json) =>
        [Action].flat().flatMap((action) => [Resource].flat().map((one) => `${action} ${JSON.stringify(one)}`)),
      ),
    );
  const arn = (id: string) => JSON.stringify({ 'Fn::GetAtt': [id, 'Arn'] });

  it.each(names)('allow %s only its table access, its queues and its log', (name) => {
    const spec = functions[name];
    const table = arn(all('AWS::DynamoDB::GlobalTable')[0].id);
    const stream = JSON.stringify({ 'Fn::GetAtt': [all('AWS::DynamoDB::GlobalTable')[0].id, 'StreamArn'] });
    const group = JSON.stringify({ 'Fn::GetAtt': [functionOf(name).LoggingConfig.LogGroup.Ref, 'Arn'] });
    const [bucket] = all('AWS::S3::Bucket');
    const files = JSON.stringify({ 'Fn::Join': ['', [{ 'Fn::GetAtt': [bucket.id, 'Arn'] }, '/status/*']] });
    const consumed = Object.entries(queues).filter(([, queue]) => queue.consumer === name);
    const read = streams.filter((one) => one.function === name);
    const expected = new Set([
      ...['CreateLogStream', 'PutLogEvents'].map((action) => `logs:${action} ${group}`),
      ...(spec.table ? ['GetItem', 'BatchGetItem', 'Query'] : []).map((action) => `dynamodb:${action} ${table}`),
      ...(spec.table?.includes('put') ? ['PutItem', 'BatchWriteItem', 'ConditionCheckItem'] : []).map(
        (action) => `dynamodb:${action} ${table}`,
      ),
      ...(spec.table?.includes('delete') ? [`dynamodb:DeleteItem ${table}`] : []),
      ...spec.sends.map((queue) => `sqs:SendMessage ${arn(queueId(queue))}`),
      ...(read.length > 0 ? ['dynamodb:ListStreams "*"'] : []),
      ...(spec.files ? FILE_ACTIONS[spec.files] : []).map((action) => `s3:${action} ${files}`),
      ...(spec.publishes ? [`events:PutEvents ${arn(all('AWS::Events::EventBus')[0].id)}`] : []),
      ...consumed.flatMap(([queue]) =>
        ['ReceiveMessage', 'ChangeMessageVisibility', 'GetQueueUrl', 'DeleteMessage', 'GetQueueAttributes'].map(
          (action) => `sqs:${action} ${arn(queueId(queue))}`,
        ),
      ),
      ...read.flatMap(() => [
        ...['ListStreams', 'DescribeStream', 'GetRecords', 'GetShardIterator'].map(
          (action) => `dynamodb:${action} ${stream}`,
        ),
        ...['SendMessage', 'GetQueueAttributes', 'GetQueueUrl'].map((action) => `sqs:${action} DEAD`),
      ]),
    ]);
    const dead = all('AWS::SQS::Queue').find((one) => one.id.startsWith(`Deadstream${name.replace('-', '')}`));
    const found = new Set([...allowed(name)].map((one) => (dead ? one.replace(arn(dead.id), 'DEAD') : one)));
    expect(found).toEqual(expected);
  });

  it('limit the public functions to their partitions, as on one machine', () => {
    const partitionsOf = (name: FunctionName) =>
      statementsOf(name).flatMap(({ Action, Condition }: Json) =>
        [Action].flat().some((action) => action.startsWith('dynamodb:'))
          ? [Condition['ForAllValues:StringLike']['dynamodb:LeadingKeys']]
          : [],
      );
    expect(partitionsOf('ingest')).toEqual([functions.ingest.partitions]);
    // `public` reads the data of status pages, and writes only the cached figures of badges.
    expect(partitionsOf('public')).toEqual([functions.public.partitions, ['BADGE#*']]);
  });

  it('have no wildcards in actions, and in resources only for ListStreams and published files', () => {
    for (const policy of [...all('AWS::IAM::Policy'), ...all('AWS::IAM::Role').flatMap((one) => one.Policies ?? [])]) {
      for (const { Action, Resource, Effect } of policy.PolicyDocument.Statement) {
        if (Effect === 'Deny') continue;
        const actions = [Action].flat();
        for (const action of actions) expect(action).not.toContain('*');
        const isOfFiles = actions.every((action) => action.startsWith('s3:'));
        if (actions.join() !== 'dynamodb:ListStreams' && !isOfFiles)
          expect(JSON.stringify(Resource)).not.toContain('*');
      }
    }
  });
});
