import { AppError } from '#lib/platform/errors.ts';
import { denialReason, type Guarded, type Rights } from './access.ts';

/** Throws READ_ONLY, or FORBIDDEN with what is missing, unless they may. */
export function assertAllowed(rights: Rights, access: Guarded): void {
  const refusal = denialReason(rights, access);
  if (refusal) throw new AppError(refusal.code, refusal.message);
}
