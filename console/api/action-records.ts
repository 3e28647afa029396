export type { ActionRecord as Action } from '#lib/actions/action.ts';
export type { ExecutionRecord as Execution } from '#lib/actions/execution.ts';
export type { LogLine } from '#lib/actions/list-logs.ts';
export type { CheckRecord as Check } from '#lib/checks/check-record.ts';
export type { Skill, ToolDefinition as Tool } from '#lib/mcp/skills/skill.ts';
