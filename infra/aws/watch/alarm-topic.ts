import { Annotations, Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { DeploySettings } from '#infra/aws/settings.ts';

export const NO_ALARM_EMAIL =
  'ALARM_EMAIL is not set, so alarms reach no operator. Set it, and confirm the e-mail from AWS after the deployment.';

/** Creates the topic of all alarms, with an e-mail subscription if there is an address. */
export function makeTopic(scope: Construct, { ALARM_EMAIL }: DeploySettings): Topic {
  const topic = new Topic(scope, 'Alarms', { displayName: 'Fleetwatch alarms', enforceSSL: true });
  // The policy of enforceSSL replaces the default one that admits alarms of the account.
  const ofThisAccount = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } };
  topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions: ofThisAccount }));
  if (ALARM_EMAIL !== '') topic.addSubscription(new EmailSubscription(ALARM_EMAIL));
  else Annotations.of(topic).addWarningV2('fleetwatch:no-alarm-email', NO_ALARM_EMAIL);
  return topic;
}

const BUDGET_ALERTS = [
  { notificationType: 'ACTUAL', threshold: 80 },
  { notificationType: 'FORECASTED', threshold: 100 },
] as const;

/** Creates a budget for the account: a budget for the stack needs a cost allocation tag, activated manually. */
export function makeBudget(scope: Construct, { BUDGET_DOLLARS, ALARM_EMAIL }: DeploySettings): void {
  if (BUDGET_DOLLARS === 0) return;
  new CfnBudget(scope, 'Budget', {
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: BUDGET_DOLLARS, unit: 'USD' } },
    notificationsWithSubscribers: BUDGET_ALERTS.map((alert) => ({
      notification: { ...alert, comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE' },
      subscribers: [{ subscriptionType: 'EMAIL', address: ALARM_EMAIL }],
    })),
  });
}
