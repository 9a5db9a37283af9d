import { closeSocket } from '../checks/fixture-calls.ts';
import { checks } from '../checks/index.ts';
import { isCopied } from '../checks/stored-files.ts';
import { CheckContext } from '../context/check-context.ts';
import { createRunCaller, type Run } from '../context/run.ts';
import { findObstacle, leftOut, type Need } from '../context/skip-reason.ts';
import type { Api } from '../contract/openapi.ts';
import { transactions } from '../dredd/transactions.ts';
import { NetworkFault, Throttled } from '../http/faults.ts';
import type { CopyPaths } from '../options.ts';
import { workflows } from '../respect/run-workflows.ts';
import { StartError, Unreached } from '../result.ts';
import { callTarget, findGatewayCredentials, findStorageForm } from './find-targets.ts';

/**
 * Finds out what a run needs to know about the deployment.
 *
 * @throws StartError if a target does not respond, or none accepts the credentials
 */
export async function prepare(run: Run): Promise<void> {
  const { apis } = run.settings;
  const find = { gateway: findGatewayCredentials, storage: findStorageForm };
  try {
    await Promise.all(apis.map((api) => probe(run, api)));
    await Promise.all(apis.map((api) => find[api](run)));
    const needsCopies = isNeeded(run, 'writes', [
      ...transactions.map(({ name }) => ['dredd', name]),
      ...workflows.map(({ id }) => ['respect', id]),
    ]);
    const mayCopy = !findObstacle(run, 'storage', ['storageCredentials', 'writes']);
    await Promise.all([
      needsCopies && mayCopy && findCopyPaths(run),
      run.fixture === true && isNeeded(run, 'webSocket') && findWebSockets(run),
    ]);
  } catch (error) {
    // Every check then reports why it did not run.
    if (!run.signal.aborted) throw error;
  }
  const refusals = apis.map((api) => run.refused[api]);
  if (!refusals.every((refusal) => refusal?.isOfCredentials)) return;
  const reasons = refusals.map((refusal) => refusal?.reason);
  throw new StartError(`Nothing can be checked: ${reasons.join('; ')}.`);
}

/** Whether the operator selected a check that needs something, or one of the others, each with its engine. */
function isNeeded(run: Run, need: Need, others: readonly string[][] = []): boolean {
  const needing = checks.filter(({ needs }) => needs.includes(need)).map(({ id }) => [id]);
  return [...needing, ...others].some((ids) => !leftOut(run, ...ids));
}

/**
 * Makes one call to a target and accepts any response. If the host is down, TLS fails or the server hangs,
 * the entire run ends immediately instead of failing call by call.
 *
 * @throws StartError that describes the problem in one sentence
 */
async function probe(run: Run, api: Api): Promise<void> {
  const { origin, pathname } = new URL(run.settings[`${api}Url`]);
  const host = api === 'gateway' ? run.settings.gatewayHost : undefined;
  await callTarget(run, api, async () => {
    const response = await createRunCaller(run).open({
      method: 'GET',
      origin,
      target: pathname,
      headers: host === undefined ? [] : [['Host', host]],
      body: Buffer.alloc(0),
      keep429: true,
    });
    response.close();
  });
}

/**
 * Detects which spelling of copy paths the deployment accepts: 'a deployment takes at least one of the two
 * spellings' (D24). Tries that of the wire profile first, with a file of its own. If no copy works, the checks
 * find out why.
 */
async function findCopyPaths(run: Run): Promise<void> {
  const preferred = run.settings.wireProfile.copyPaths;
  const alternative = preferred === 'absolute' ? 'relative' : 'absolute';
  const t = new CheckContext(run, 'probe');
  try {
    const file = await t.upload.store('copy.txt');
    const accepts = (spelling: CopyPaths) => isCopied(t, file, spelling);
    if (!(await accepts(preferred)) && (await accepts(alternative))) run.copyPaths = alternative;
  } catch (error) {
    const isOfTarget = [Unreached, NetworkFault, Throttled].some((kind) => error instanceof kind);
    if (!isOfTarget && !run.signal.aborted) throw error;
  }
}

/**
 * Finds out whether handshakes of WebSockets get a response at all: some intermediaries never respond to them, and
 * each check would wait for its own timeout. Whether the response is the right one is left to the checks.
 */
async function findWebSockets(run: Run): Promise<void> {
  const { gateway, fixture } = new CheckContext(run, 'probe');
  try {
    const { socket } = await gateway.upgrade({ path: fixture.socket(), acceptsRefusal: true });
    await closeSocket(socket);
  } catch (error) {
    if (!(error instanceof NetworkFault)) throw error;
    const reason = `no handshake of a WebSocket gets a response (${error.message}); does an intermediary allow upgrades?`;
    run.webSocket = reason;
    run.settings.onNotice(reason);
  }
}
