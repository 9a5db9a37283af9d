import { randomBytes } from 'node:crypto';
import { createSigners, type Signer, type Signers } from '../credentials/create-signers.ts';
import { createAgents } from '../http/agents.ts';
import { createHealth } from '../http/health.ts';
import { createPace } from '../http/pace.ts';
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
    signers: withSecrets(createSigners(settings), settings, secrets),
    secrets,
    leftovers: createLeftovers(),
    requestForm: settings.requestForm ?? 'top',
    refused: {},
    fixture: 'the fixture service was not looked for',
  };
}

/** What signers of the operator's own make is known only once they have made it. */
function withSecrets(
  { gateway, storage }: Signers,
  { auth }: Settings,
  secrets: RunSecrets,
): Signers {
  const watch =
    (signer: Signer): Signer =>
    async (call) => {
      const headers = await signer(call);
      secrets.addHeaders(headers);
      return headers;
    };
  return {
    gateway: gateway.module ? { ...gateway, module: watch(gateway.module) } : gateway,
    ...(storage ? { storage: auth?.storage ? watch(storage) : storage } : {}),
  };
}
