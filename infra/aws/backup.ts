import { Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import type { DeploySettings } from './settings.ts';

/** Creates a daily backup in a vault that outlives the stack (point-in-time recovery does not), and its copy. */
export function makeBackup(scope: Stack, table: ITableV2, settings: DeploySettings): void {
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
}
