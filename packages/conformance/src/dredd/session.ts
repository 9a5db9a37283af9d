import { parseArguments } from '../cli/parse-arguments.ts';
import { toOptions } from '../cli/to-options.ts';
import { createRun, type Run } from '../context/run.ts';
import { type ConformanceOptions, toSettings } from '../options.ts';
import type { Result } from '../result.ts';
import { prepare } from '../run/prepare.ts';
import { removeLeftovers } from '../run/remove-leftovers.ts';
import { createHooks } from './hooks.ts';

/** What a run of the suite passes to the Dredd that it starts, in this variable, and gets back as messages. */
export const HANDED_OVER = 'BERTH_DREDD_RUN';

/** The options of a run, and what it has found out about the deployment. */
export interface HandedOver {
  readonly options: ConformanceOptions;
  readonly found: Pick<
    Run,
    'mark' | 'requestForm' | 'copyPaths' | 'gatewayScheme' | 'refused' | 'fixture'
  >;
}

/**
 * Opens a session of Dredd with a deployment: that of the suite's run which has started Dredd, or the one that the
 * `BERTH_*` variables describe.
 *
 * @param endpoint of Dredd; the default of both URLs
 * @throws StartError if the deployment does not respond, or rejects every credential
 */
export async function openSession(env: NodeJS.ProcessEnv, endpoint: string) {
  const handedOver = env[HANDED_OVER];
  const run = handedOver ? takeOver(JSON.parse(handedOver)) : await start(env, endpoint);
  const hooks = createHooks(run, (result: Result) => process.send?.(result));
  return { ...hooks, close: () => removeLeftovers(run) };
}

function takeOver({ options, found }: HandedOver): Run {
  const run = createRun(toSettings(options), new AbortController().signal);
  const { gatewayScheme } = found;
  const gatewaySigner = gatewayScheme && run.signers.gateway[gatewayScheme];
  return { ...run, ...found, ...(gatewaySigner && { gatewaySigner }) };
}

async function start(env: NodeJS.ProcessEnv, endpoint: string): Promise<Run> {
  const { given } = parseArguments([], env, () => {});
  const options = await toOptions({ gatewayUrl: endpoint, storageUrl: endpoint, ...given });
  const run = createRun(toSettings(options), new AbortController().signal);
  await prepare(run);
  return run;
}
