import type { MutantContext } from '../mutants/context.ts';
import type { Mutant } from '../mutants/mutant.ts';
import { type Hooks, type MutatedRequest, MutatedResponse } from '../proxy/messages.ts';

/**
 * Ways in which a correct deployment may differ from the reference server, by the difference. The comment before each
 * says why it is allowed: a decision, a section of an RFC, or what the API description leaves open.
 */
export type Variants = Readonly<Record<string, Mutant['create'] | Hooks>>;

/**
 * Applies all variants in order. Each variant sees the changes that the previous ones made.
 *
 * @param effective gets the names of the variants that have changed something
 */
export function combine(rows: Variants, context: MutantContext, effective: Set<string>): Hooks {
  const all = Object.entries(rows).map(([name, row]) => {
    const hooks = typeof row === 'function' ? row(context) : row;
    return { name, hooks };
  });

  /** Lets each variant change a message, until one of them returns a response to send instead. */
  async function change(
    message: MutatedRequest | MutatedResponse,
    callHook: (hooks: Hooks) => unknown,
  ): Promise<MutatedResponse | undefined> {
    for (const { name, hooks } of all) {
      const [head, { body }] = [toHead(message), message];
      const instead = await callHook(hooks);
      // Hooks replace bodies, never their bytes.
      if (toHead(message) !== head || !message.body.equals(body)) effective.add(name);
      if (!(instead instanceof MutatedResponse)) continue;
      effective.add(name);
      return instead;
    }
    return undefined;
  }

  return {
    async request(request) {
      const instead = await change(request, ({ request: hook }) => hook?.(request));
      if (instead) await change(instead, ({ response: hook }) => hook?.(instead, request));
      return instead;
    },
    response: (response, request) =>
      change(response, ({ response: hook }) => hook?.(response, request)),
    messages: (messages, request, from) =>
      all.reduce((changed, { name, hooks }) => {
        if (hooks.messages) effective.add(name);
        return hooks.messages?.(changed, request, from) ?? changed;
      }, messages),
  };
}

function toHead(message: MutatedRequest | MutatedResponse): string {
  return JSON.stringify({ ...message, body: [], connection: {}, pieces: [] });
}
