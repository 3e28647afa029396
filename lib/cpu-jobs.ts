import { expressionJobs } from '#lib/checks/assertions/expressions.ts';
import { jsonJob } from '#lib/checks/assertions/json-document.ts';
import { validateArguments } from '#lib/mcp/skills/validate-arguments.ts';
import type { CpuJob } from '#lib/platform/sharing/cpu-budget.ts';

/** All jobs that can run in a separate thread. */
export const CPU_JOBS: readonly CpuJob<never, unknown>[] = [...expressionJobs, jsonJob, validateArguments];
