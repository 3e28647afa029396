import { invalid } from './errors.ts';

/** What identifies a record may be repeated in a PUT but not changed. Throws VALIDATION_ERROR. */
export function mustStay<R extends object>(record: R, patch: { [K in keyof R]?: R[K] | undefined }): void {
  for (const [name, value] of Object.entries(patch)) {
    const present = record[name as keyof R];
    if (value !== undefined && value !== present) throw invalid(name, `cannot be changed; it is ${present}`);
  }
}
