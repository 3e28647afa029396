import { AsyncLocalStorage } from 'node:async_hooks';
import type { FunctionRun } from '#test/oracle/inside.ts';

/** On whose behalf something happens: the run of a function that led to it, through every await. */
export const runContext = new AsyncLocalStorage<FunctionRun>();

/** The number of that run; undefined for what somebody outside of the service does. */
export const currentRun = (): number | undefined => runContext.getStore()?.id;
