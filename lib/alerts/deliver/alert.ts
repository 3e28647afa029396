import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checkLabel } from '#lib/checks/label.ts';
import type { TransitionItem } from '#lib/health/state/transition-item.ts';
import type { TransitionCause } from '#lib/health/state/transition-record.ts';
import type { DeliveryItem, DeliveryKind } from './delivery-item.ts';
import { eventOf, type StateChangeEvent } from './event.ts';

/** What a channel is told: all that a `render` needs, so that it can be pure. */
export type Alert = {
  delivery_id: string;
  kind: DeliveryKind;
  event: StateChangeEvent;
  /** Null for a test. */
  cause: TransitionCause | null;
  check_label: string;
  /** Of the deciding result; empty when none. */
  error_message: string;
  /** ISO 8601: since when the check was in `check_from_state`. */
  check_from_since: string;
  /** ISO 8601: when this alert was made. */
  at: string;
};

/** The alert of a delivery about a transition. */
export const alertOf = (delivery: DeliveryItem, transition: TransitionItem): Alert => ({
  delivery_id: delivery.id,
  kind: delivery.kind,
  event: eventOf(transition),
  cause: transition.cause,
  check_label: transition.check_label,
  error_message: transition.error_message,
  check_from_since: transition.check_from_since,
  at: delivery.created_at,
});

/** A test: the present state as an event that changes nothing and belongs to no transition. */
export const testAlertOf = (delivery: DeliveryItem, check: CheckItem, entity: EntityItem): Alert => ({
  delivery_id: delivery.id,
  kind: 'test',
  event: {
    entity_id: entity.id,
    entity_name: entity.name,
    check_id: check.id,
    tenant_id: check.tenant_id,
    from_state: entity.state,
    to_state: entity.state,
    check_from_state: check.state,
    check_to_state: check.state,
    transition_id: '',
    timestamp: delivery.created_at,
  },
  cause: null,
  check_label: checkLabel(check),
  error_message: '',
  check_from_since: check.state_since,
  at: delivery.created_at,
});
