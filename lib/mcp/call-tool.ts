import { chargeCost, spend, withReadPermit } from '#lib/access/rate-gate.ts';
import type { StateContext } from '#lib/checks/state/on-change.ts';
import type { ToolDefinition } from '#lib/mcp/skills/skill.ts';
import { allSkills } from '#lib/mcp/skills/skill-store.ts';
import { builtInTools } from '#lib/mcp/tools/registry.ts';
import { AppError, asAppError, errorBody } from '#lib/platform/errors.ts';
import { assertAllowed } from '#lib/platform/http/assert-allowed.ts';
import { parse } from '#lib/platform/http/validation.ts';
import { lazyFunction } from '#lib/platform/lazy.ts';
import { isObject } from '#lib/platform/plain-data.ts';
import { storeTokens } from '#lib/platform/sharing/rates.ts';
import { CODE, RpcError } from './json-rpc.ts';
import { accessOf, enabledTools } from './list-tools.ts';

const runBoundAction = lazyFunction(async () => (await import('#lib/mcp/run-bound-action.ts')).runBoundAction);

type ToolResult = {
  content: { type: 'text'; text: string }[];
  structuredContent?: object;
  isError?: true;
};

/**
 * Calls a tool of an enabled skill, or a built-in tool that no skill contains. A key restricted to skills can call only
 * their tools. Errors of a tool are results for the model. Throws RpcError for an unknown tool and malformed params.
 */
export async function callTool(caller: StateContext, params: Record<string, unknown>): Promise<ToolResult> {
  const { name, arguments: given = {} } = params;
  if (typeof name !== 'string') throw new RpcError(CODE.INVALID_PARAMS, 'params.name must be the name of a tool.');
  if (!isObject(given)) throw new RpcError(CODE.INVALID_PARAMS, 'params.arguments must be an object.');

  const context: StateContext = { ...caller, origin: { ...caller.origin, tool: name } };
  const skills = await allSkills(context);
  const listed = enabledTools(context, skills).get(name);
  const needsListing =
    context.caller.skills !== null || skills.some(({ tools }) => tools.some((tool) => tool.name === name));
  const builtIn = listed || !needsListing ? builtInTools.get(name) : undefined;
  if (builtIn)
    return resultOf(context, name, async () => {
      assertAllowed(context.caller, builtIn.access);
      const { input, run } = await builtIn.load();
      const parsed = parse(input, given);
      const call = () => run(context, parsed);
      if (!builtIn.annotations.readOnlyHint) {
        await spend(context, 'store', storeTokens(Buffer.byteLength(JSON.stringify(given))));
      }
      // Only tools that read hold a read permit: others may wait for other servers.
      const result = success(await (builtIn.annotations.readOnlyHint ? withReadPermit(context, call) : call()));
      await chargeCost(context, 'mcp', result.content[0]?.text.length ?? 0);
      return result;
    });
  if (listed) {
    return resultOf(context, name, () => {
      assertAllowed(context.caller, accessOf(listed));
      return callRegistered(context, listed, given);
    });
  }
  throw new RpcError(CODE.INVALID_PARAMS, `Unknown tool: ${name}. tools/list returns the available tools.`);
}

async function callRegistered(
  context: StateContext,
  tool: ToolDefinition,
  given: Record<string, unknown>,
): Promise<ToolResult> {
  if (tool.action_id === undefined) {
    const text =
      `${tool.name} is registered but does nothing: it is neither built in nor bound to an action by action_id. ` +
      'Update its skill with the id of an action as the action_id of this tool; a call then runs the action.';
    return { content: [{ type: 'text', text }], isError: true };
  }
  const { execution, succeeded } = await runBoundAction(context, { ...tool, action_id: tool.action_id }, given);
  return succeeded ? success(execution) : { ...success(execution), isError: true };
}

async function resultOf(context: StateContext, tool: string, run: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return failure(error);
    context.ports.log.error('tool failed', { tenant_id: context.tenant, tool, error });
    return failure(asAppError(error));
  }
}

const asText = (value: object): ToolResult['content'] => [{ type: 'text', text: JSON.stringify(value) }];

const success = (value: object): ToolResult => ({ content: asText(value), structuredContent: value });

const failure = (error: AppError): ToolResult => ({ content: asText(errorBody(error)), isError: true });
