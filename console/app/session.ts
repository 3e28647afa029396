import { computed, signal } from '@preact/signals';
import { type ApiFailure, asFailure, call, onSessionEnded } from '#console/api/call.ts';
import type { Me } from '#console/api/records.ts';
import { deniedReason, rightsOf } from '#console/rules/permissions.ts';
import { type SuppressionExtent, suppressionDenial } from '#lib/alerting/policy/suppression-access.ts';
import type { Guarded } from '#lib/platform/http/access.ts';

/** The signed-in user; null: signed out; undefined: not known yet. */
export const me = signal<Me | null | undefined>(undefined);

export const meFailure = signal<ApiFailure | undefined>(undefined);

let readAt = 0;
/** Age in ms at which the user is read again when the tab becomes visible or gets the focus. */
const OLD_MS = 60_000;

export async function readMe(): Promise<void> {
  try {
    const found = await call<Me>('GET', '/v1/me');
    readAt = Date.now();
    meFailure.value = undefined;
    me.value = found;
  } catch (error) {
    const failure = asFailure(error);
    // onSessionEnded handles a 401. Other failures keep the known user.
    if (failure.status !== 401 && !me.peek()) meFailure.value = failure;
  }
}

/** Signs out. Throws ApiFailure; the user then stays signed in. */
export async function signOut(): Promise<void> {
  await call('DELETE', '/v1/session', undefined, { open: true });
  me.value = null;
}

/** Detects the end of the session, and a sign-in in another tab. */
export function watchSession(): void {
  onSessionEnded(() => {
    me.value = null;
  });
  const cameBack = () => {
    // After a sign-out, the user may have signed in in another tab.
    const isDue = me.peek() === null || (me.peek() && Date.now() - readAt > OLD_MS);
    if (!document.hidden && isDue) void readMe();
  };
  document.addEventListener('visibilitychange', cameBack);
  addEventListener('focus', cameBack);
}

/** Identity of the user and account. The page is rendered from scratch when it changes. */
export const identity = computed(() => (me.value ? `${me.value.id} ${me.value.user.id}` : undefined));

/** Returns why the signed-in user lacks `access`, as a sentence; undefined if allowed. */
export const refusal = (access: Guarded): string | undefined =>
  me.value ? deniedReason(me.value, access) : 'You are not signed in.';

/** Returns why the signed-in user may not create this silence or window, as a sentence; undefined if allowed. */
export const suppressionRefusal = (extent: SuppressionExtent): string | undefined =>
  refusal('suppress') ?? suppressionDenial(rightsOf(me.value!), extent)?.message;
