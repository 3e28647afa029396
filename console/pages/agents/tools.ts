import { ApiFailure, call } from '#console/api/call.ts';
import type { Skill, Tool } from '#console/api/records.ts';

/** Replaces the tools of a skill. Errors name paths in the changed tool: `inputSchema`, not `tools.3.inputSchema`. */
async function changeTools(
  slug: string,
  change: (tools: Tool[]) => unknown[],
  indexOfChanged: (tools: unknown[]) => number,
) {
  const { tools } = await call<Skill>('GET', `/v1/skills/${slug}`);
  const next = change(tools);
  try {
    await call('PUT', `/v1/skills/${slug}`, { tools: next });
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    const prefix = `tools.${indexOfChanged(next)}.`;
    const details = error.details.map(({ path, message }) => ({
      path: path.startsWith(prefix) ? path.slice(prefix.length) : path,
      message,
    }));
    const { status, code, retryAfter } = error;
    throw new ApiFailure(error.message, { status, code, details, retryAfter });
  }
}

/** Replaces the tool with the name `before`, or appends the tool if no tool has that name. */
export const saveTool = (slug: string, tool: unknown, before: string | undefined): Promise<void> =>
  changeTools(
    slug,
    (tools) => {
      const i = tools.findIndex(({ name }) => name === before);
      return i < 0 ? [...tools, tool] : tools.with(i, tool as Tool);
    },
    (next) => next.indexOf(tool),
  );

export const removeTool = (slug: string, name: string): Promise<void> =>
  changeTools(
    slug,
    (tools) => tools.filter((tool) => tool.name !== name),
    () => -1,
  );
