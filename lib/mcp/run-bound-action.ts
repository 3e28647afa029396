import type { Context } from '#lib/access/context.ts';
import { spend } from '#lib/access/rate-gate.ts';
import { type ExecutionRecord, executionRecord } from '#lib/actions/execution.ts';
import { runActionManually } from '#lib/actions/run/run.ts';
import type { ToolDefinition } from '#lib/mcp/skills/skill.ts';
import { validateArguments } from '#lib/mcp/skills/validate-arguments.ts';
import { refusal } from '#lib/platform/http/validation.ts';

/** Runs the action of a tool with the arguments as vars. Throws VALIDATION_ERROR, RATE_LIMITED, NOT_FOUND. */
export async function runBoundAction(
  context: Context,
  tool: ToolDefinition & { action_id: string },
  given: Record<string, unknown>,
): Promise<{ execution: ExecutionRecord; succeeded: boolean }> {
  const { ports, tenant } = context;
  const [errors] = await ports.cpu.of(tenant)(validateArguments, [{ schema: tool.inputSchema, value: given }]);
  if (errors!.length > 0) throw refusal(errors!);
  await spend(context, 'send');
  const vars = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, asVariable(value)]));
  const execution = await runActionManually(context, tool.action_id, vars, tool.name);
  return { execution: executionRecord(context, execution), succeeded: execution.dispatch_status === 'success' };
}

const asVariable = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
