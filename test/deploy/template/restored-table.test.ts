import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { type FunctionName, functions, streams } from '#infra/topology.ts';
import { functionIn, type Json, ofType, synthesize } from './synthesized.ts';

const TABLE = 'arn:aws:dynamodb:eu-central-1:111122223333:table/fleetwatch-restored';
const STREAM = `${TABLE}/stream/2026-11-21T22:26:45.123`;

const own = synthesize().template;
const { template } = synthesize({ TABLE_STREAM_ARN: STREAM });
const all = (type: string) => ofType(template, type);

/** Returns the resources of a template except dashboards, whose body is text. */
const resourcesOf = (made: Template): Json =>
  Object.fromEntries(
    Object.entries<Json>(made.toJSON().Resources).filter(([, { Type }]) => Type !== 'AWS::CloudWatch::Dashboard'),
  );

/** Returns the resources of the stack with its own table instead of the restored one. */
function withOwnTable(): Json {
  const [{ id }] = ofType(own, 'AWS::DynamoDB::GlobalTable');
  const text = JSON.stringify(resourcesOf(template))
    .replaceAll(JSON.stringify(STREAM), JSON.stringify({ 'Fn::GetAtt': [id, 'StreamArn'] }))
    .replaceAll(JSON.stringify(TABLE), JSON.stringify({ 'Fn::GetAtt': [id, 'Arn'] }))
    .replaceAll('"fleetwatch-restored"', JSON.stringify({ Ref: id }));
  return { [id]: resourcesOf(own)[id], ...JSON.parse(text) };
}

describe('stack with a restored table', () => {
  it('creates no table', () => {
    expect(all('AWS::DynamoDB::GlobalTable')).toEqual([]);
    expect(all('AWS::DynamoDB::Table')).toEqual([]);
  });

  it('retains the table that it replaces', () => {
    own.hasResource('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  });

  const readers = (Object.keys(functions) as FunctionName[]).filter((name) => functions[name].table);

  it.each(readers)('lets %s read and write the restored table', (name) => {
    const one = functionIn(template, name);
    expect(one.Environment.Variables.TABLE_NAME).toBe('fleetwatch-restored');
    const role = all('AWS::IAM::Role').find((each) => each.id === one.Role['Fn::GetAtt'][0]);
    const statements: Json[] = role.Policies.flatMap((each: Json) => each.PolicyDocument.Statement);
    const ofTable = statements.filter(({ Action }) => [Action].flat().includes('dynamodb:GetItem'));
    expect(ofTable.map(({ Resource }) => Resource)).toEqual([TABLE]);
  });

  it.each(streams)('lets $name read the stream of the restored table', ({ function: reader }) => {
    const { id, Role } = functionIn(template, reader);
    const source = all('AWS::Lambda::EventSourceMapping').find(
      (one) => one.FunctionName.Ref === id && one.StartingPosition,
    );
    expect(source.EventSourceArn).toBe(STREAM);
    const policies = all('AWS::IAM::Policy').filter((one) => one.Roles[0].Ref === Role['Fn::GetAtt'][0]);
    const statements: Json[] = policies.flatMap((one) => one.PolicyDocument.Statement);
    const ofStream = statements.filter(({ Action }) => [Action].flat().includes('dynamodb:GetRecords'));
    expect(ofStream.map(({ Resource }) => Resource)).toEqual([STREAM]);
  });

  it('watches the restored table', () => {
    const watching = all('AWS::CloudWatch::Alarm').flatMap((one) =>
      (one.Dimensions ?? []).filter((each: Json) => each.Name === 'TableName'),
    );
    expect(watching.length).toBeGreaterThan(0);
    for (const { Value } of watching) expect(Value).toBe('fleetwatch-restored');
    expect(JSON.stringify(all('AWS::CloudWatch::Dashboard'))).toContain('fleetwatch-restored');
    expect(template.toJSON().Outputs.TableName.Value).toBe('fleetwatch-restored');
  });

  it('is otherwise equal to a stack with its own table', () => {
    expect(withOwnTable()).toEqual(resourcesOf(own));
  });

  it.each([
    'fleetwatch-restored',
    TABLE,
    'arn:aws:dynamodb:eu-central-1:111122223333:table/t/stream/x',
    'arn:aws:sqs:eu-central-1:111122223333:table/fleet/stream/2026-11-21T22:26:45.123',
  ])('rejects %s', (arn) => {
    expect(() => synthesize({ TABLE_STREAM_ARN: arn })).toThrow('TABLE_STREAM_ARN');
  });
});
