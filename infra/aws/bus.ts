import { EventBus } from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';

/** For rules of the operator's own: each transition is put on it (source `fleetwatch`, detail-type `state_change`). */
export const makeBus = (scope: Construct): EventBus =>
  new EventBus(scope, 'Bus', { description: 'State changes seen by Fleetwatch' });
