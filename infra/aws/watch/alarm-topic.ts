import { Stack } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { DeploySettings } from '#infra/aws/settings.ts';

/** Where all alarms of a stack go, and from there to an e-mail address if there is one. */
export function makeTopic(scope: Construct, { ALARM_EMAIL }: DeploySettings): Topic {
  const topic = new Topic(scope, 'Alarms', { displayName: 'Fleetwatch alarms', enforceSSL: true });
  // The policy that enforceSSL makes takes the place of the one that lets the account's own alarms in.
  const ofThisAccount = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } };
  topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions: ofThisAccount }));
  if (ALARM_EMAIL !== '') topic.addSubscription(new EmailSubscription(ALARM_EMAIL));
  return topic;
}
