import { PROTOCOL } from '@berth/conformance/fixture';
import { checks } from '../checks/index.ts';
import { CheckContext } from '../context/check-context.ts';
import { closeSocket } from '../context/gateway-client.ts';
import type { Run } from '../context/run.ts';
import { whyNotRun } from '../context/why-not-run.ts';
import { type Need, transactions, workflows } from '../contract/catalog.ts';
import type { Api } from '../contract/openapi.ts';
import type { GatewayScheme } from '../credentials/sign.ts';
import { isNoResponse, retryIfClosed } from '../http/connection.ts';
import type { Received } from '../http/exchange.ts';
import { SkipError, skipped } from '../not-run.ts';
import { type CopyPaths, REQUEST_FORMS } from '../options.ts';
import { StartError } from '../result.ts';
import { codeOf, isGatewayError, type StorageReply } from '../validation/read-response.ts';

const ATTEMPTS = 5;

/** The names of the APIs, and the options that may be wrong if one rejects every call. */
const TARGETS = {
  gateway: {
    name: 'gateway',
    address: '--gateway-url, --gateway-host, --service',
    credentials: '--gateway-token, --tc3-secret-id',
  },
  storage: {
    name: 'storage API',
    address: '--storage-url, --env, --request-form',
    credentials: '--storage-header, --tc3-secret-id',
  },
};

/** Throws a StartError if a target does not respond, or none accepts the credentials. */
export async function prepare(run: Run): Promise<void> {
  const { apis } = run.settings;
  const find = { gateway: findGatewayCredentials, storage: findStorageForm };
  try {
    await Promise.all(apis.map((api) => find[api](run)));
    await Promise.all([
      isNeeded(run, 'writes') && findCopyPaths(run),
      isNeeded(run, 'webSocket') && findWebSockets(run),
    ]);
  } catch (error) {
    // Every check then reports why it did not run.
    if (!run.signal.aborted) throw error;
  }
  const reasons = apis.map((api) => hasCredentials(run, api) && run.missing[api]?.reason);
  if (reasons.every(Boolean))
    throw new StartError(`Nothing can be checked: ${reasons.join('; ')}.`);
}

function isNeeded(run: Run, need: Need): boolean {
  return [...checks, ...transactions, ...workflows].some(
    (each) => each.needs.includes(need) && !whyNotRun(run, each),
  );
}

const hasCredentials = ({ signers }: Run, api: Api): boolean =>
  api === 'storage' ? signers.storage !== undefined : Object.keys(signers.gateway).length > 0;

async function callTarget<Value>(run: Run, api: Api, call: () => Promise<Value>): Promise<Value> {
  try {
    return await retryIfClosed(call, ATTEMPTS);
  } catch (error) {
    if (!isNoResponse(error)) throw error;
    const what = `the ${TARGETS[api].name} at ${run.settings[`${api}Url`]}`;
    throw new StartError(`${what} cannot be reached: ${error.message}.`);
  }
}

/** Finds a scheme that the gateway accepts, and the fixture service behind it, or explains why there is none. */
async function findGatewayCredentials(run: Run): Promise<void> {
  const { gateway, fixture } = new CheckContext(run, 'probe');
  const schemes = Object.keys(run.signers.gateway) as GatewayScheme[];
  const refusals: Refusal[] = [];
  for (const scheme of schemes.length > 0 ? schemes : [undefined]) {
    run.gatewayScheme = scheme;
    const call = { path: '/echo', acceptsRefusal: true };
    const { received } = await callTarget(run, 'gateway', () => gateway.call(call));
    const echo = received.status === 200 && fixture.readEcho({ received });
    if (echo) {
      const what = `the fixture service at ${gateway.servicePath} has protocol ${echo.protocol}, not ${PROTOCOL}`;
      const missing = skipped(`${what}; deploy the one of this version of the suite`);
      run.missing.fixture = echo.protocol === PROTOCOL ? undefined : missing;
      return;
    }
    const code = codeOf(received);
    const refusal = toRefusal(received, isGatewayError(received) ? code : undefined);
    // The gateway accepts calls, but not to this service. Its error may violate the contract, which is to be found.
    if (!refusal.isRejection || code?.startsWith('SERVICE_')) {
      const what = `no fixture service responds at ${gateway.servicePath} (${refusal.shown})`;
      run.missing.fixture = skipped(`${what}; see berth-conformance fixture --help`);
      return;
    }
    refusals.push(refusal);
  }
  run.missing.gateway = skipped(explain(run, 'gateway', refusals));
  run.missing.fixture = run.missing.gateway;
}

/** A deployment accepts 'at least one of the two forms' (D21). Tries them with calls that store nothing. */
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
  const refusals = replies.map(({ received, code = codeOf(received) }) =>
    toRefusal(received, code),
  );
  if (refusals.every(({ isRejection }) => isRejection)) {
    run.missing.storage = skipped(explain(run, 'storage', refusals));
  }
}

type Refusal = ReturnType<typeof toRefusal>;

function toRefusal({ status }: Received, code: string | undefined) {
  // Any other response violates the contract, and fails the checks.
  const isRejection = [401, 403, 404, 405].includes(status) || (code !== undefined && status < 500);
  return { status, shown: `${status} ${code ?? ''}`.trimEnd(), isRejection };
}

/** The contract specifies neither status nor code for a rejection, so they are quoted with the options to check. */
function explain(run: Run, api: Api, refusals: readonly Refusal[]): string {
  const { name, address, credentials } = TARGETS[api];
  const actual = [...new Set(refusals.map(({ shown }) => shown))].join(', ');
  const areAll = (...statuses: number[]) =>
    refusals.every(({ status }) => statuses.includes(status));
  if (areAll(404, 405)) return `the ${name} responds to every call with ${actual}; see ${address}`;
  if (!hasCredentials(run, api)) {
    return `no ${name} credentials were provided (${actual}); see ${credentials}`;
  }
  if (areAll(401, 403)) {
    return `the ${name} rejects the credentials provided (${actual}); see ${credentials}`;
  }
  return `the ${name} rejects every call (${actual}); see ${address}, ${credentials}`;
}

/** A deployment accepts 'at least one of them' (D24). Tries that of the wire profile first. */
async function findCopyPaths(run: Run): Promise<void> {
  const preferred = run.settings.wireProfile.copyPaths;
  const alternative = preferred === 'absolute' ? 'relative' : 'absolute';
  const { files } = new CheckContext(run, 'probe');
  try {
    const file = await files.store('copy.txt');
    const accepts = async (form: CopyPaths) => (await files.tryCopyAs(file, form)).isCopied;
    if (!(await accepts(preferred)) && (await accepts(alternative))) run.copyPaths = alternative;
  } catch (error) {
    if (!(error instanceof SkipError || isNoResponse(error) || run.signal.aborted)) throw error;
  }
}

/** Some intermediaries never respond to WebSocket handshakes, and each check would wait for its own timeout. */
async function findWebSockets(run: Run): Promise<void> {
  const { gateway, fixture } = new CheckContext(run, 'probe');
  try {
    const { socket } = await gateway.upgrade({ path: fixture.socket(), acceptsRefusal: true });
    await closeSocket(socket);
  } catch (error) {
    if (!isNoResponse(error)) throw error;
    const reason = `no WebSocket handshake gets a response (${error.message}); does an intermediary allow upgrades?`;
    run.missing.webSocket = skipped(reason);
    run.settings.onNotice(reason);
  }
}
