import { randomUUID } from 'node:crypto';
import {
  DeleteRuleCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';

/** Event as EventBridge delivers it to a target. */
export type BusEvent = { source: string; 'detail-type': string; detail: Record<string, unknown> };

/** Subscribes like an operator: a rule on the bus with a queue as its target. `received` returns all events so far. */
export async function listenToBus(bus: string, pattern: object) {
  const events = new EventBridgeClient({});
  const sqs = new SQSClient({});
  const name = `listener-${randomUUID()}`;
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
  const rule = { Name: name, EventBusName: bus };
  await events.send(new PutRuleCommand({ ...rule, EventPattern: JSON.stringify(pattern) }));
  const Targets = [{ Id: 'queue', Arn: Attributes!.QueueArn! }];
  const { FailedEntryCount } = await events.send(new PutTargetsCommand({ Rule: name, EventBusName: bus, Targets }));
  if (FailedEntryCount) throw new Error('The queue could not be added as a target of the bus.');
  const received: BusEvent[] = [];
  return {
    async received(): Promise<readonly BusEvent[]> {
      const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
      received.push(...Messages.map((message) => JSON.parse(message.Body!) as BusEvent));
      return received;
    },
    async stop(): Promise<void> {
      await events.send(new RemoveTargetsCommand({ Rule: name, EventBusName: bus, Ids: ['queue'] }));
      await events.send(new DeleteRuleCommand(rule));
      await sqs.send(new DeleteQueueCommand({ QueueUrl }));
      events.destroy();
      sqs.destroy();
    },
  };
}
