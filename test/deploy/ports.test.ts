import { deployedTable } from '#lib/aws/deployed-table.ts';
import { queueContract } from '#test/support/queue-contract.ts';
import { tableContract } from '#test/support/table-contract.ts';
import { startEventSource } from './event-source.ts';

tableContract('the deployed table', () => deployedTable(process.env.TABLE_NAME!));
queueContract('SQS', startEventSource);
