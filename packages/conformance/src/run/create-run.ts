import { randomBytes } from 'node:crypto';
import { createSigners } from '../credentials/create-signers.ts';
import { createAgents } from '../http/agents.ts';
import { createPace } from '../http/pace.ts';
import type { Settings } from '../options.ts';
import { createLeftovers } from './leftovers.ts';
import type { Run } from './run.ts';
import { createRunSecrets } from './secrets.ts';

/** What a run begins with; nothing has been called. */
export function createRun(settings: Settings, signal: AbortSignal): Run {
  return {
    settings,
    signal,
    mark: randomBytes(4).toString('hex'),
    agents: createAgents(settings),
    pace: createPace((pause) =>
      settings.onNotice(`the target asks to slow down; waiting ${Math.ceil(pause / 1000)} s`),
    ),
    signers: createSigners(settings),
    secrets: createRunSecrets(settings),
    leftovers: createLeftovers(),
    requestForm: settings.requestForm ?? 'top',
    fixture: 'the fixture service was not looked for',
  };
}
