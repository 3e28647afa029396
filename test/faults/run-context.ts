import { AsyncLocalStorage } from 'node:async_hooks';
import type { FunctionRun } from '#test/oracle/inside.ts';

/** Context that holds the current function run across every await. */
export const runContext = new AsyncLocalStorage<FunctionRun>();

/** Returns the id of the current function run; undefined outside of the service. */
export const currentRun = (): number | undefined => runContext.getStore()?.id;
