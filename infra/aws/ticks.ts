import { Duration } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  ContextAttribute,
  Schedule,
  ScheduleExpression,
  ScheduleTargetInput,
  TimeWindow,
} from 'aws-cdk-lib/aws-scheduler';
import { SqsSendMessage } from 'aws-cdk-lib/aws-scheduler-targets';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { schedules } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';
import { makeDeadLetters } from './queues.ts';

/** Creates the schedules. @returns each with the dead-letter queue of its ticks */
export function makeTicks(
  scope: Construct,
  queues: Record<QueueName, Queue>,
  key: IKey | undefined,
): { schedule: Schedule; dead: Queue }[] {
  return schedules.map(({ name, queue, every_minutes }) => {
    const dead = makeDeadLetters(scope, `schedule-${name}`, key);
    const schedule = new Schedule(scope, `Schedule-${name}`, {
      description: `Fleetwatch ${name}`,
      schedule: ScheduleExpression.rate(Duration.minutes(every_minutes)),
      timeWindow: TimeWindow.off(),
      target: new SqsSendMessage(queues[queue], {
        input: ScheduleTargetInput.fromObject({ scheduled_time: ContextAttribute.scheduledTime }),
        deadLetterQueue: dead,
        // An hour-old tick is useless: later ones have done its work.
        maxEventAge: Duration.hours(1),
        retryAttempts: 60,
      }),
    });
    return { schedule, dead };
  });
}
