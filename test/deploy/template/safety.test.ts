import { describe, expect, it } from 'vitest';
import { type FunctionName, functions } from '#infra/topology.ts';
import { functionIn, type Json, ofType, synthesize } from './synthesized.ts';

const KEY = 'arn:aws:kms:eu-central-1:111122223333:key/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9';
const VAULT = 'arn:aws:backup:eu-west-1:444455556666:backup-vault:fleet';

describe('KMS key of the operator', () => {
  const { template } = synthesize({ KMS_KEY_ARN: KEY }, { env: { account: '111122223333', region: 'eu-central-1' } });

  it('encrypts the table, every queue and the settings of every function', () => {
    const [table] = ofType(template, 'AWS::DynamoDB::GlobalTable');
    expect(table.SSESpecification).toEqual({ SSEEnabled: true, SSEType: 'KMS' });
    expect(JSON.stringify(table.Replicas)).toContain(KEY);
    for (const queue of ofType(template, 'AWS::SQS::Queue')) expect(queue.KmsMasterKeyId).toBe(KEY);
    for (const name of Object.keys(functions)) {
      expect(functionIn(template, name as FunctionName).KmsKeyArn).toBe(KEY);
    }
  });

  it.each(Object.keys(functions))('may be used by %s to read and send', (name) => {
    const roleId = functionIn(template, name as FunctionName).Role['Fn::GetAtt'][0];
    const role = ofType(template, 'AWS::IAM::Role').find((one) => one.id === roleId);
    const statements: Json[] = role.Policies.flatMap((one: Json) => one.PolicyDocument.Statement);
    expect(statements).toContainEqual({
      Effect: 'Allow',
      Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
      Resource: KEY,
    });
  });

  it('is unset by default, and must be an ARN', () => {
    expect(JSON.stringify(synthesize().template.toJSON())).not.toContain('kms:');
    expect(() => synthesize({ KMS_KEY_ARN: 'alias/mine' })).toThrow('KMS_KEY_ARN');
  });
});

describe('backups', () => {
  it('are off by default', () => {
    expect(ofType(synthesize().template, 'AWS::Backup::BackupPlan')).toEqual([]);
  });

  it('are made daily and kept for BACKUP_DAYS, in a vault that outlives the stack', () => {
    const { template } = synthesize({ BACKUP_DAYS: '35' });
    const [{ BackupPlan }] = ofType(template, 'AWS::Backup::BackupPlan');
    expect(BackupPlan.BackupPlanRule).toMatchObject([
      { ScheduleExpression: 'cron(0 3 * * ? *)', Lifecycle: { DeleteAfterDays: 35 } },
    ]);
    template.hasResource('AWS::Backup::BackupVault', { DeletionPolicy: 'Retain' });
    const [table] = ofType(template, 'AWS::DynamoDB::GlobalTable');
    const [{ BackupSelection }] = ofType(template, 'AWS::Backup::BackupSelection');
    expect(BackupSelection.Resources).toEqual([{ 'Fn::GetAtt': [table.id, 'Arn'] }]);
  });

  it('are copied to the vault of another account or region', () => {
    const { template } = synthesize({ BACKUP_DAYS: '7', BACKUP_COPY_VAULT_ARN: VAULT });
    const [{ BackupPlan }] = ofType(template, 'AWS::Backup::BackupPlan');
    expect(BackupPlan.BackupPlanRule[0].CopyActions).toEqual([
      { DestinationBackupVaultArn: VAULT, Lifecycle: { DeleteAfterDays: 7 } },
    ]);
    expect(() => synthesize({ BACKUP_COPY_VAULT_ARN: VAULT })).toThrow('BACKUP_DAYS');
  });
});

it('reports failed backups and copies of its vault to the topic of the alarms', () => {
  const { template } = synthesize({ BACKUP_DAYS: '7', BACKUP_COPY_VAULT_ARN: VAULT });
  const [{ EventPattern, Targets }] = ofType(template, 'AWS::Events::Rule');
  const [vault] = ofType(template, 'AWS::Backup::BackupVault');
  const ofVault = [{ 'Fn::GetAtt': [vault.id, 'BackupVaultArn'] }];
  expect(EventPattern).toEqual({
    source: ['aws.backup'],
    'detail-type': ['Backup Job State Change', 'Copy Job State Change'],
    detail: {
      state: ['FAILED', 'ABORTED', 'EXPIRED'],
      $or: [{ backupVaultArn: ofVault }, { sourceBackupVaultArn: ofVault }],
    },
  });
  const [topic] = ofType(template, 'AWS::SNS::Topic');
  expect(Targets).toMatchObject([{ Arn: { Ref: topic.id } }]);
  expect(JSON.stringify(ofType(template, 'AWS::SNS::TopicPolicy'))).toContain('events.amazonaws.com');
});

it('gives the access log a name that the account policy for vended logs allows', () => {
  const { template } = synthesize({ STACK_NAME: 'fleet-test' });
  const [stage] = ofType(template, 'AWS::ApiGatewayV2::Stage');
  const log = ofType(template, 'AWS::Logs::LogGroup').find(
    (one) => one.id === stage.AccessLogSettings.DestinationArn['Fn::GetAtt'][0],
  );
  expect(log.LogGroupName).toBe('/aws/vendedlogs/fleet-test/access');
});

it('protects the stack from deletion like its table', () => {
  expect(synthesize().stack.terminationProtection).toBe(true);
  expect(synthesize({ DELETION_PROTECTION: 'false' }).stack.terminationProtection).toBe(false);
});
