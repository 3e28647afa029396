import type { Key } from '#lib/platform/ports.ts';

/** The start of each key that is a tenant's: no other function puts a tenant into one. */
export const ofTenant = (tenant: string, ...parts: (string | number)[]): string => ['T', tenant, ...parts].join('#');

export const key = (pk: string, sk: string): Key => ({ pk, sk });
