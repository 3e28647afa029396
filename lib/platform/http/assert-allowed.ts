import { AppError } from '#lib/platform/errors.ts';
import { denialReason, type Guarded, type Rights } from './access.ts';

/** Throws READ_ONLY or FORBIDDEN if the rights do not allow the access. */
export function assertAllowed(rights: Rights, access: Guarded): void {
  const denial = denialReason(rights, access);
  if (denial) throw new AppError(denial.code, denial.message);
}
