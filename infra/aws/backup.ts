import { Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { EventField, Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { DeploySettings } from './settings.ts';

/** Creates a daily backup, and a copy if configured. The vault outlives the stack; point-in-time recovery does not. */
export function makeBackup(scope: Stack, table: ITableV2, alarms: Topic, settings: DeploySettings): void {
  const { BACKUP_DAYS, BACKUP_COPY_VAULT_ARN } = settings;
  if (BACKUP_DAYS === 0) return;
  const deleteAfter = Duration.days(BACKUP_DAYS);
  const backupVault = new BackupVault(scope, 'BackupVault', { removalPolicy: RemovalPolicy.RETAIN });
  const elsewhere =
    BACKUP_COPY_VAULT_ARN && BackupVault.fromBackupVaultArn(scope, 'BackupCopyVault', BACKUP_COPY_VAULT_ARN);
  const plan = new BackupPlan(scope, 'Backup', { backupVault });
  plan.addRule(
    new BackupPlanRule({
      ruleName: 'daily',
      scheduleExpression: Schedule.cron({ hour: '3', minute: '0' }),
      deleteAfter,
      ...(elsewhere && { copyActions: [{ destinationBackupVault: elsewhere, deleteAfter }] }),
    }),
  );
  plan.addSelection('Table', { resources: [BackupResource.fromArn(table.tableArn)] });
  reportFailures(scope, backupVault, alarms);
}

/** Sends failed jobs to the alarm topic. Uses events, because metrics of copies do not name the source vault. */
function reportFailures(scope: Stack, { backupVaultArn }: BackupVault, alarms: Topic): void {
  const failed = ['FAILED', 'ABORTED', 'EXPIRED'];
  const field = (name: string) => EventField.fromPath(`$.detail.${name}`);
  new Rule(scope, 'FailedBackups', {
    description: 'Failed backups and copies of Fleetwatch',
    eventPattern: {
      source: ['aws.backup'],
      detailType: ['Backup Job State Change', 'Copy Job State Change'],
      detail: {
        state: failed,
        $or: [{ backupVaultArn: [backupVaultArn] }, { sourceBackupVaultArn: [backupVaultArn] }],
      },
    },
    targets: [
      new SnsTopic(alarms, {
        message: RuleTargetInput.fromText(
          `${EventField.fromPath('$.detail-type')} of ${scope.stackName}: ${field('state')}. ${field('statusMessage')} See AWS Backup, Jobs.`,
        ),
      }),
    ],
  });
}
