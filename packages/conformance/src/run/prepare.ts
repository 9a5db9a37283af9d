import type { Need, Runnable } from '../contract/catalog.ts';
import { SkipError } from '../errors.ts';
import { isNoResponse } from '../http/connection.ts';
import { CheckContext } from './check-context.ts';
import { findCredentials, toStartError } from './credentials.ts';
import { closeSocket } from './gateway-client.ts';
import { whyNotRun } from './outcome.ts';
import type { Deployment, Run } from './run.ts';

/**
 * Detects what the deployment accepts, as far as the selected cases need it, so that the run makes calls accordingly.
 * After that, the invariants check the responses.
 *
 * @throws StartError if a target does not respond, or none accepts the credentials
 */
export async function prepare(run: Run, runnables: readonly Runnable[]): Promise<void> {
  const { settings, signal, signers } = run;
  const add = ({ unavailable, ...found }: Partial<Deployment>) => {
    const { deployment } = run;
    run.deployment = {
      ...deployment,
      ...found,
      unavailable: { ...deployment.unavailable, ...unavailable },
    };
  };
  const isNeeded = (...anyOf: Need[]) =>
    runnables.some(
      (each) => each.needs.some((need) => anyOf.includes(need)) && !whyNotRun(run, each),
    );
  try {
    await Promise.all(settings.apis.map(async (api) => add(await findCredentials(run, api))));
    if (isNeeded('writes')) add(await findCopyPaths(run));
    if (isNeeded('webSocket', 'alsoWebSocket')) add(await findWebSockets(run));
  } catch (error) {
    // Every check then reports why it did not run.
    if (!signal.aborted) throw error;
  }
  const { unavailable } = run.deployment;
  const reasons = settings.apis.map((api) => signers.has(api) && unavailable[api]?.message);
  if (reasons.every(Boolean))
    throw toStartError(run, `Nothing can be checked: ${reasons.join('; ')}.`);
  run.state = 'checking';
}

/** A deployment accepts 'at least one of them' (D24). Tries that of the wire profile first. */
async function findCopyPaths(run: Run): Promise<Partial<Deployment>> {
  const preferred = run.deployment.copyPaths;
  const alternative = preferred === 'absolute' ? 'relative' : 'absolute';
  const { files } = new CheckContext(run, 'probe');
  try {
    const file = await files.store('copy.txt');
    for (const copyPaths of [preferred, alternative] as const) {
      if ((await files.tryCopyAs(file, copyPaths)).isCopied) return { copyPaths };
    }
  } catch (error) {
    if (!(error instanceof SkipError || isNoResponse(error) || run.signal.aborted)) throw error;
  }
  return {};
}

/** Some intermediaries never respond to WebSocket handshakes, and each check would wait for its own timeout. */
async function findWebSockets(run: Run): Promise<Partial<Deployment>> {
  const { gateway, fixture } = new CheckContext(run, 'probe');
  try {
    const { socket } = await gateway.upgrade({ path: fixture.path('/socket') });
    await closeSocket(socket);
    return {};
  } catch (error) {
    if (!isNoResponse(error) || run.signal.aborted) throw error;
    const reason = `no WebSocket handshake gets a response (${error.message}); does an intermediary allow upgrades?`;
    run.settings.onNotice(reason);
    return { unavailable: { webSocket: new SkipError(reason) } };
  }
}
