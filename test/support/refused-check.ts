import { parseCheck } from '#lib/checks/settings/model.ts';
import { AppError, type ErrorDetail } from '#lib/platform/errors.ts';

export const HTTP_CHECK = { entity_id: 'ent_1', check_type: 'http', target_url: 'https://shop.example.com/' };

/**
 * Returns the validation errors of the settings of a check; empty if they are valid.
 * @param base settings of the check that `settings` override
 */
export function refused(settings: object, base: object = HTTP_CHECK): ErrorDetail[] {
  try {
    parseCheck({ ...base, ...settings }, { minInterval: 1, now: 0 });
  } catch (error) {
    if (error instanceof AppError) return error.details ?? [];
    throw error;
  }
  return [];
}
