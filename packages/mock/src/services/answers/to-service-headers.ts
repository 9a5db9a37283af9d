import type { GatewayInput } from '@berth/server-stubs';

/** The gateway keeps these to itself: credentials open every service of the environment. */
const WITHHELD = new Set(['authorization', 'expect']);

/** The headers of a call as a hosted service gets them. */
export function toServiceHeaders({ headers }: GatewayInput): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    // Headers of the mock are no business of the service.
    if (!WITHHELD.has(name) && !name.startsWith('x-mock-')) kept[name] = value;
  }
  return kept;
}
