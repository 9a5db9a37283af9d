import type { CallId } from './checks.ts';
import type { MOCK_SERVERS } from './mock-servers.ts';
import type { GENERATORS } from './tools.ts';

type Tool = (typeof GENERATORS)[number] | (typeof MOCK_SERVERS)[number];

/** Shows what a tool is expected to need for a call. */
export function toCell(tool: Tool, call: CallId): 'works' | 'setting' | 'no' {
  if ('limits' in tool && tool.limits.some(({ calls }) => calls.includes(call))) return 'no';
  return tool.settings.some(({ calls }) => calls.includes(call)) ? 'setting' : 'works';
}
