import { AppError } from '#lib/platform/errors.ts';
import { type Guarded, type Rights, refusalOf } from './access.ts';

/** Throws READ_ONLY, or FORBIDDEN with what is missing, unless they may. */
export function mustBeAllowed(rights: Rights, access: Guarded): void {
  const refusal = refusalOf(rights, access);
  if (refusal) throw new AppError(refusal.code, refusal.message);
}
