import { randomBytes } from 'node:crypto';
import { createSigners, type Signer, type Signers } from '../credentials/create-signers.ts';
import { createAgents } from '../http/agents.ts';
import { createHealth } from '../http/health.ts';
import { NetworkFault } from '../http/network-fault.ts';
import { createPace } from '../http/pace.ts';
import { startTimer } from '../http/start-timer.ts';
import type { Settings } from '../options.ts';
import { createLeftovers } from './leftovers.ts';
import type { Run } from './run.ts';
import { createRunSecrets, type RunSecrets } from './secrets.ts';

/** What a run begins with; nothing has been called. */
export function createRun(settings: Settings, signal: AbortSignal): Run {
  const secrets = createRunSecrets(settings);
  return {
    settings,
    signal,
    mark: randomBytes(4).toString('hex'),
    agents: createAgents(settings),
    pace: createPace((pause) =>
      settings.onNotice(`the target asks to slow down; waiting ${Math.ceil(pause / 1000)} s`),
    ),
    health: createHealth(),
    signers: withSecrets(createSigners(settings), settings, secrets, signal),
    secrets,
    leftovers: createLeftovers(),
    requestForm: settings.requestForm ?? 'top',
    refused: {},
    fixture: 'the fixture service was not looked for',
  };
}

/**
 * Signers of the operator's own: what they make is known only once they have made it, and they may take
 * no longer than a call.
 */
function withSecrets(
  { gateway, storage }: Signers,
  { auth, timeout }: Settings,
  secrets: RunSecrets,
  signal: AbortSignal,
): Signers {
  const watch =
    (signer: Signer): Signer =>
    async (call) => {
      const headers = await within(timeout, signal, signer(call));
      secrets.addHeaders(headers);
      return headers;
    };
  return {
    gateway: gateway.module ? { ...gateway, module: watch(gateway.module) } : gateway,
    ...(storage ? { storage: auth?.storage ? watch(storage) : storage } : {}),
  };
}

/** @throws NetworkFault where it takes longer, or the run ends */
async function within<Value>(
  timeout: number,
  signal: AbortSignal,
  value: Value | Promise<Value>,
): Promise<Value> {
  let stop = () => {};
  let end = () => {};
  const late = new Promise<never>((_, reject) => {
    const fault = new NetworkFault(`--auth-module: no headers within ${timeout} ms`, 'TIMEOUT');
    stop = startTimer(timeout, () => reject(fault));
    end = () => reject(new NetworkFault('the run was ended', 'ABORTED'));
  });
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([value, late]);
  } finally {
    stop();
    signal.removeEventListener('abort', end);
  }
}
