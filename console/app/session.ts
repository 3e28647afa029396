import { computed, signal } from '@preact/signals';
import { type ApiFailure, asFailure, call, whenSessionEnded } from '#console/api/call.ts';
import type { Me } from '#console/api/records.ts';
import { deniedReason } from '#console/rules/permissions.ts';
import type { Guarded } from '#lib/platform/http/access.ts';

/** Who is signed in; null: nobody; undefined: not known yet. */
export const me = signal<Me | null | undefined>(undefined);

/** Why it is not known who is signed in. */
export const meFailure = signal<ApiFailure | undefined>(undefined);

let readAt = 0;
const OLD_MS = 60_000;

/** Asks who is signed in. */
export async function readMe(): Promise<void> {
  try {
    const found = await call<Me>('GET', '/v1/me');
    readAt = Date.now();
    meFailure.value = undefined;
    me.value = found;
  } catch (error) {
    const failure = asFailure(error);
    // A 401 has said so already (whenSessionEnded). What is known stays while the service cannot be reached.
    if (failure.status !== 401 && !me.peek()) meFailure.value = failure;
  }
}

/** Ends the session, here and at the service. Throws ApiFailure, and one is still signed in then. */
export async function signOut(): Promise<void> {
  await call('DELETE', '/v1/session', undefined, { open: true });
  me.value = null;
}

/** From now on it is noticed when the session ended elsewhere, when another began, and whose it is. */
export function watchSession(): void {
  whenSessionEnded(() => {
    me.value = null;
  });
  const cameBack = () => {
    // Nobody is signed in here: another tab of this browser may have done it meanwhile.
    const isDue = me.peek() === null || (me.peek() && Date.now() - readAt > OLD_MS);
    if (!document.hidden && isDue) void readMe();
  };
  document.addEventListener('visibilitychange', cameBack);
  addEventListener('focus', cameBack);
}

/** Whose data the page shows: it is drawn anew for another person or account. */
export const identity = computed(() => (me.value ? `${me.value.id} ${me.value.user.id}` : undefined));

/** Why who is signed in may not do what needs `access`, in a sentence; undefined where they may. */
export const refusal = (access: Guarded): string | undefined =>
  me.value ? deniedReason(me.value, access) : 'You are not signed in.';
