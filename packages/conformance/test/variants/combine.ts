import type { MutantContext } from '../mutants/context.ts';
import type { Mutant } from '../mutants/mutant.ts';
import { toBytes } from '../proxy/frames.ts';
import {
  type Hooks,
  type Message,
  type MutatedRequest,
  MutatedResponse,
} from '../proxy/messages.ts';

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

  async function change(
    name: string,
    message: MutatedRequest | MutatedResponse,
    hook: () => unknown,
  ): Promise<unknown> {
    const [head, { body }] = [toHead(message), message];
    const result = await hook();
    // Hooks replace bodies, never their bytes.
    if (toHead(message) !== head || !message.body.equals(body)) effective.add(name);
    return result;
  }

  async function response(message: MutatedResponse, request: MutatedRequest): Promise<void> {
    for (const { name, hooks } of all) {
      await change(name, message, () => hooks.response?.(message, request));
    }
  }

  return {
    response,
    async request(request) {
      for (const { name, hooks } of all) {
        const instead = await change(name, request, () => hooks.request?.(request));
        if (!(instead instanceof MutatedResponse)) continue;
        effective.add(name);
        await response(instead, request);
        return instead;
      }
      return undefined;
    },
    messages: (messages, request, from) =>
      all.reduce((changed, { name, hooks }) => {
        const hook = hooks.messages;
        if (hook === undefined) return changed;
        return watch(
          changed,
          (each) => hook(each, request, from),
          () => effective.add(name),
        );
      }, messages),
  };
}

/** Calls `onChange` unless each message leaves a hook as it came, before the next one arrives. */
async function* watch(
  messages: AsyncIterable<Message>,
  hook: (messages: AsyncIterable<Message>) => AsyncIterable<Message>,
  onChange: () => void,
): AsyncGenerator<Message> {
  let arrived: Message[] = [];
  async function* arriving() {
    for await (const message of messages) {
      arrived.push(message);
      yield message;
    }
  }
  for await (const message of hook(arriving())) {
    const [first] = arrived;
    const isSame = first && arrived.length === 1 && toBytes(first).equals(toBytes(message));
    if (!isSame) onChange();
    arrived = [];
    yield message;
  }
}

function toHead(message: MutatedRequest | MutatedResponse): string {
  return JSON.stringify({ ...message, body: [], connection: {}, pieces: [] });
}
