import { EventBus } from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';

/** Creates the event bus for rules of the operator (source `fleetwatch`, detail-type `state_change`). */
export const makeBus = (scope: Construct): EventBus =>
  new EventBus(scope, 'Bus', { description: 'State changes seen by Fleetwatch' });
