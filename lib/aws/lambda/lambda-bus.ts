import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { CLIENT_SETTINGS } from '#lib/aws/client-settings.ts';
import { eventBus } from '#lib/aws/event-bus.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { makeIds } from '#lib/platform/ids.ts';
import type { MakeBus } from './lambda-ports.ts';

export const lambdaBus: MakeBus = (bus) =>
  eventBus({
    client: new EventBridgeClient(CLIENT_SETTINGS),
    bus,
    source: 'fleetwatch',
    clock: systemClock,
    ids: makeIds(systemClock),
  });
