import type { Context } from '#lib/access/context.ts';
import { spend } from '#lib/access/rate-gate.ts';
import { type ExecutionRecord, executionRecord } from '#lib/actions/execution.ts';
import { runActionManually } from '#lib/actions/run/run.ts';
import { argumentComplaints } from '#lib/mcp/skills/input-schema.ts';
import type { ToolDefinition } from '#lib/mcp/skills/skill.ts';
import { refusal } from '#lib/platform/http/validation.ts';

/**
 * Runs the action that a tool is bound to, as POST /v1/actions/{id}/run does, with the arguments as vars: texts as
 * they are, anything else as JSON. Throws VALIDATION_ERROR for arguments that the tool's inputSchema refuses,
 * RATE_LIMITED, NOT_FOUND when the action was deleted.
 */
export async function runBoundAction(
  context: Context,
  tool: ToolDefinition & { action_id: string },
  given: Record<string, unknown>,
): Promise<{ execution: ExecutionRecord; succeeded: boolean }> {
  const complaints = argumentComplaints(tool.inputSchema, given);
  if (complaints.length > 0) throw refusal(complaints);
  await spend(context, 'send');
  const vars = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, asVariable(value)]));
  const execution = await runActionManually(context, tool.action_id, vars, tool.name);
  return { execution: executionRecord(context, execution), succeeded: execution.dispatch_status === 'success' };
}

const asVariable = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
