import type { Check } from '#console/api/action-records.ts';

/** What a check is called in a list: its name, or its type and when it was made. */
export const checkName = ({ name, check_type, id }: Check): string => name ?? `${check_type} ${id.slice(-6)}`;
