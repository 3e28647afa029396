import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  type ITableV2,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { DeploySettings } from './settings.ts';

/** Creates the table (docs/develop/keys.md), or uses that of TABLE_STREAM_ARN, which the stack does not manage. */
export function makeTable(scope: Construct, settings: DeploySettings, key: IKey | undefined): ITableV2 {
  const tableStreamArn = settings.TABLE_STREAM_ARN;
  if (tableStreamArn !== '') {
    const [tableArn = ''] = tableStreamArn.split('/stream/');
    return TableV2.fromTableAttributes(scope, 'Table', {
      tableArn,
      tableStreamArn,
      ...(key && { encryptionKey: key }),
    });
  }
  const table = new TableV2(scope, 'Table', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    billing: Billing.onDemand({
      maxWriteRequestUnits: settings.TABLE_MAX_WRITES,
      maxReadRequestUnits: settings.TABLE_MAX_READS,
    }),
    encryption: key ? TableEncryptionV2.customerManagedKey(key) : TableEncryptionV2.dynamoOwnedKey(),
    // New images would suffice, but a replica needs both, and changing the view type creates a new stream.
    dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
    timeToLiveAttribute: 'expires_at',
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: settings.DELETION_PROTECTION,
    removalPolicy: settings.DELETION_PROTECTION ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
  // TableV2 and ITableV2 differ only in how their types declare undefined.
  return table as ITableV2;
}
