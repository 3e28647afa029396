import { checkTypeOf } from '#lib/checks/types/registry.ts';
import type { CheckItem } from './check-item.ts';

/** What people call a check: its name, else what it does to what. */
export const checkLabel = (check: CheckItem): string => check.name ?? checkTypeOf(check.check_type).targetLabel(check);
