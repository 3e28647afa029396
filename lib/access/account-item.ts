import { AppError } from '#lib/platform/errors.ts';
import type { Item } from '#lib/platform/ports.ts';
import type { AccountRecord, Role } from './account.ts';

/** An account, which is a tenant. About 400 bytes. */
export type AccountItem = Item &
  AccountRecord & {
    v: string;
    /** Set by the operator; its key items carry it too, so that the Bearer gate needs no second read. */
    disabled: boolean;
    /** ISO 8601. */
    created_at: string;
  };

/** A person of an account. About 300 bytes. */
export type UserItem = Item & {
  v: string;
  tenant_id: string;
  id: string;
  email: string;
  name: string;
  role: Role;
  /** ISO 8601. */
  created_at: string;
};

/** Whether the operator has stopped this account: its keys, checks and actions. */
export const isDisabled = (account: AccountItem): boolean => account.disabled;

export const accountDisabled = (): AppError =>
  new AppError('ACCOUNT_DISABLED', 'This account was disabled by the operator of this service. Ask them to enable it.');
