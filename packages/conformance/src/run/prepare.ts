import { checks } from '../checks/index.ts';
import { CheckContext } from '../context/check-context.ts';
import { closeSocket } from '../context/gateway-client.ts';
import type { Run } from '../context/run.ts';
import { findExclusion, findObstacle, type Need } from '../context/skip-reason.ts';
import type { StorageReply } from '../context/storage-client.ts';
import type { Api } from '../contract/openapi.ts';
import { transactions } from '../dredd/transactions.ts';
import { isNoResponse, retryIfClosed } from '../http/connection.ts';
import { type CopyPaths, REQUEST_FORMS } from '../options.ts';
import { workflows } from '../respect/run-workflows.ts';
import { SkipError, StartError, skipped } from '../result.ts';
import { codeOf, isGatewayError } from '../validation/read-gateway.ts';

const ATTEMPTS = 5;

const NAMES: Record<Api, string> = { gateway: 'gateway', storage: 'storage API' };

/**
 * Finds out what a run needs to know about the deployment.
 *
 * @throws StartError if a target does not respond, or none accepts the credentials
 */
export async function prepare(run: Run): Promise<void> {
  const { apis } = run.settings;
  const find = { gateway: findGatewayCredentials, storage: findStorageForm };
  try {
    await Promise.all(apis.map((api) => find[api](run)));
    const needsCopies = isNeeded(run, 'writes', [
      ...transactions.map(({ name }) => ['dredd', name]),
      ...workflows.map(({ id }) => ['respect', id]),
    ]);
    const mayCopy = !findObstacle(run, 'storage', ['storageCredentials', 'writes']);
    await Promise.all([
      needsCopies && mayCopy && findCopyPaths(run),
      !run.missing.fixture && isNeeded(run, 'webSocket') && findWebSockets(run),
    ]);
  } catch (error) {
    // Every check then reports why it did not run.
    if (!run.signal.aborted) throw error;
  }
  const refusals = apis.map((api) => run.refused[api]);
  if (!refusals.every((refusal) => refusal?.hasCredentials)) return;
  const reasons = refusals.map((refusal) => refusal?.reason);
  throw new StartError(`Nothing can be checked: ${reasons.join('; ')}.`);
}

/** @param others transactions or workflows that need it, too, each with its engine */
function isNeeded(run: Run, need: Need, others: readonly string[][] = []): boolean {
  const needing = checks.filter(({ needs }) => needs.includes(need)).map(({ id }) => [id]);
  return [...needing, ...others].some((ids) => !findExclusion(run, ...ids));
}

async function callTarget<Value>(run: Run, api: Api, call: () => Promise<Value>): Promise<Value> {
  try {
    return await retryIfClosed(call, ATTEMPTS);
  } catch (error) {
    if (!isNoResponse(error)) throw error;
    const what = `the ${NAMES[api]} at ${run.settings[`${api}Url`]}`;
    throw new StartError(`${what} cannot be reached: ${error.message}.`);
  }
}

/**
 * Detects which of the available schemes the gateway accepts, and whether the fixture service is deployed
 * behind it. If the gateway rejects every call, explains why.
 */
async function findGatewayCredentials(run: Run): Promise<void> {
  const { gateway, fixture } = new CheckContext(run, 'probe');
  const schemes = (['bearer', 'signature'] as const).filter(
    (scheme) => run.signers.gateway[scheme],
  );
  const refusals: Refusal[] = [];
  for (const scheme of schemes.length > 0 ? schemes : [undefined]) {
    if (scheme) run.gatewayScheme = scheme;
    const call = { path: '/echo', acceptsRefusal: true };
    const { received } = await callTarget(run, 'gateway', () => gateway.call(call));
    if (received.status === 200 && fixture.readEcho({ received })) {
      run.missing.fixture = undefined;
      return;
    }
    const code = isGatewayError(received) ? codeOf(received) : undefined;
    const refusal = { status: received.status, code };
    // The gateway accepts calls, but not to this service.
    if (!isRefusal(refusal) || code?.startsWith('SERVICE_')) {
      const what = `no fixture service responds at ${gateway.servicePath} (${describe(refusal)})`;
      run.missing.fixture = skipped(`${what}; see berth-conformance fixture --help`);
      return;
    }
    refusals.push(refusal);
  }
  run.missing.fixture = skipped(refuse(run, 'gateway', refusals, schemes.length > 0));
}

/**
 * Detects which form of storage requests the deployment accepts: 'at least one of the two forms' (D21). Tries each form
 * with calls that store nothing. If the deployment rejects all of them, explains why.
 */
async function findStorageForm(run: Run): Promise<void> {
  const { storage } = new CheckContext(run, 'probe');
  const expected = run.settings.requestForm;
  const attempts = {
    getUploadMetaData: { path: storage.path('probe.txt') },
    batchGetTempUrls: { fileList: [{ fileID: `berth-${run.mark}-missing` }] },
  };
  const replies: StorageReply[] = [];
  for (const [operation, fields] of Object.entries(attempts)) {
    for (const form of expected ? [expected] : REQUEST_FORMS) {
      run.requestForm = form;
      const reply = await callTarget(run, 'storage', () =>
        storage.call(operation, fields, { acceptsRefusal: true }),
      );
      if (reply.data !== undefined && !reply.refused) return;
      replies.push(reply);
    }
  }
  run.requestForm = expected ?? 'top';
  const refusals = replies.map(({ received, code = codeOf(received) }): Refusal => {
    return { status: received.status, code };
  });
  if (refusals.every(isRefusal)) {
    refuse(run, 'storage', refusals, run.signers.storage !== undefined);
  }
}

interface Refusal {
  status: number;
  code: string | undefined;
}

/** Whether a response rejects a call. Any other response that is not a success violates the contract, and fails the checks. */
function isRefusal({ status, code }: Refusal): boolean {
  return [401, 403, 404, 405].includes(status) || (code !== undefined && status < 500);
}

/** The options that may be wrong if an API rejects every call. */
const SUSPECTS = {
  gateway: {
    address: '--gateway-url, --gateway-host, --service',
    credentials: '--gateway-token, --tc3-secret-id',
  },
  storage: {
    address: '--storage-url, --env, --request-form',
    credentials: '--storage-header, --tc3-secret-id',
  },
};

/**
 * Records and explains that an API rejects every call. The contract specifies neither status nor code for that, so the
 * explanation quotes them, and names every option that may be wrong.
 */
function refuse(run: Run, api: Api, refusals: readonly Refusal[], hasCredentials: boolean): string {
  const { address, credentials } = SUSPECTS[api];
  const name = NAMES[api];
  const actual = [...new Set(refusals.map(describe))].join(', ');
  const areAll = (...statuses: number[]) =>
    refusals.every(({ status }) => statuses.includes(status));
  let reason = `the ${name} rejects every call (${actual}); see ${address}, ${credentials}`;
  if (areAll(404, 405)) {
    reason = `the ${name} responds to every call with ${actual}; see ${address}`;
  } else if (!hasCredentials) {
    reason = `no ${name} credentials were provided (${actual}); see ${credentials}`;
  } else if (areAll(401, 403)) {
    reason = `the ${name} rejects the credentials provided (${actual}); see ${credentials}`;
  }
  run.refused[api] = { reason, hasCredentials };
  return reason;
}

function describe({ status, code = '' }: Refusal): string {
  return `${status} ${code}`.trimEnd();
}

/**
 * Detects which form of copy paths the deployment accepts: 'at least one of them' (D24). Tries that of the wire profile
 * first, with a file of its own. If no copy works, the checks find out why.
 */
async function findCopyPaths(run: Run): Promise<void> {
  const preferred = run.settings.wireProfile.copyPaths;
  const alternative = preferred === 'absolute' ? 'relative' : 'absolute';
  const t = new CheckContext(run, 'probe');
  try {
    const file = await t.files.store('copy.txt');
    const accepts = (form: CopyPaths) => t.files.tryCopyAs(file, form);
    if (!(await accepts(preferred)) && (await accepts(alternative))) run.copyPaths = alternative;
  } catch (error) {
    if (!(error instanceof SkipError || isNoResponse(error) || run.signal.aborted)) throw error;
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
    if (!isNoResponse(error)) throw error;
    const reason = `no handshake of a WebSocket gets a response (${error.message}); does an intermediary allow upgrades?`;
    run.missing.webSocket = skipped(reason);
    run.settings.onNotice(reason);
  }
}
