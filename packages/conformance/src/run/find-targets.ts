import { CheckContext } from '../context/check-context.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import type { Run } from '../context/run.ts';
import type { StorageCallOptions, StorageReply } from '../context/storage-client.ts';
import type { Api } from '../contract/openapi.ts';
import type { Received } from '../http/exchange.ts';
import { insist, NetworkFault, Throttled } from '../http/faults.ts';
import { codeOf, isGatewayError } from '../invariants.ts';
import { REQUEST_FORMS } from '../options.ts';
import { StartError } from '../result.ts';

const ATTEMPTS = 5;

const NAMES: Record<Api, string> = { gateway: 'gateway', storage: 'storage API' };

/**
 * Makes a call that the run needs before its first check, with retries if the connection breaks.
 *
 * @throws StartError that describes the problem in one sentence
 */
export async function callTarget<Result>(
  run: Run,
  api: Api,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await insist(call, ATTEMPTS);
  } catch (error) {
    if (!(error instanceof NetworkFault) && !(error instanceof Throttled)) throw error;
    const option = `${api}Url` as const;
    const what = `the ${NAMES[api]} at ${run.settings[option]} cannot be reached`;
    throw new StartError(`${option}: ${what}: ${error.message}.`, option);
  }
}

/** Statuses of a path that does not exist. */
const NOTHING = [404, 405, 501];

/**
 * Detects which of the available schemes the gateway accepts, and whether the fixture service is deployed
 * behind it. If the gateway rejects every call, determines the reason.
 *
 * @throws StartError if there is no response
 */
export async function findGatewayCredentials(run: Run): Promise<void> {
  const { gateway, fixture } = new CheckContext(run, 'probe');
  const ask = async (call: GatewayCall) => {
    const ofAny = { ...call, acceptsRefusal: true };
    return (await callTarget(run, 'gateway', () => gateway.call(ofAny))).received;
  };
  const schemes = (['bearer', 'signature'] as const).filter(
    (scheme) => run.signers.gateway[scheme],
  );
  const refusals = new Set<string>();
  for (const scheme of schemes.length > 0 ? schemes : [undefined]) {
    if (scheme) run.gatewayScheme = scheme;
    const received = await ask({ path: '/echo' });
    if (received.status === 200 && fixture.readEcho({ received })) {
      run.fixture = true;
      return;
    }
    const actual = spell(received.status, toErrorCode(received));
    if (isLikeNothing(received)) {
      const other = await ask({ route: `/no${run.mark}` });
      if (spell(other.status, toErrorCode(other)) === actual) {
        const reason = `the gateway responded with ${actual} to every call; it looks like --gateway-url has the wrong path`;
        refuseGateway(run, reason, false);
        return;
      }
    }
    if (!isRefusal(received)) {
      run.fixture = `no fixture service responds at ${gateway.servicePath} (${actual}); see berth-conformance fixture --help`;
      return;
    }
    refusals.add(actual);
  }
  explainGatewayRefusal(run, [...refusals].join(', '), schemes.length > 0);
}

function isLikeNothing(received: Received): boolean {
  const code = toErrorCode(received);
  const isNothing = NOTHING.includes(received.status) || /FOUND|PATH|ROUTE/i.test(code);
  return isNothing && !code.startsWith('SERVICE_');
}

/** Whether a response rejects the credentials, and not only a known caller who may not use the service. */
function isRefusal(received: Received): boolean {
  const { status } = received;
  const code = toErrorCode(received);
  const isCoded = code !== '' && code !== 'SERVICE_FORBIDDEN';
  return status === 401 || (isCoded && status !== 404 && status < 500);
}

/** Explains the refusal of all credentials by its status and code: `401 ACCESS_TOKEN_INVALID`. */
function explainGatewayRefusal(run: Run, actual: string, isGiven: boolean): void {
  if (/HOST/i.test(actual)) {
    const hint = run.settings.gatewayHost
      ? 'the first label of --gateway-host is not an environment of the gateway'
      : '--gateway-host, which names the environment, is missing';
    refuseGateway(run, `the gateway responded with ${actual}; it looks like ${hint}`, false);
    return;
  }
  const what = isGiven
    ? 'the gateway rejected all credentials provided'
    : 'no gateway credentials were provided';
  refuseGateway(run, `${what} (${actual}); see --gateway-token and --tc3-secret-id`, isGiven);
}

function refuseGateway(run: Run, reason: string, isOfCredentials: boolean): void {
  run.fixture = reason;
  run.refused.gateway = { reason, isOfCredentials };
}

/** Returns the code of a gateway error, or an empty string for any other response. */
function toErrorCode(received: Received): string {
  return (isGatewayError(received) && codeOf(received)) || '';
}

/** A call to the storage API, with any response. */
type AskStorage = (
  operation: string,
  fields: object,
  credentials?: StorageCallOptions['credentials'],
) => Promise<StorageReply>;

/**
 * Detects which form of storage requests the deployment accepts: 'fields at the top level or nested in
 * `data`; a deployment must accept at least one form' (D21). Tries each form with calls that store nothing.
 * If none is accepted, determines the reason.
 *
 * @throws StartError if there is no response
 */
export async function findStorageForm(run: Run): Promise<void> {
  const { storage } = new CheckContext(run, 'probe');
  const ask: AskStorage = (operation, fields, credentials = 'valid') => {
    const options = { credentials, acceptsRefusal: true };
    return callTarget(run, 'storage', () => storage.call(operation, fields, options));
  };
  const expected = run.settings.requestForm;
  const attempts = {
    getUploadMetaData: { path: storage.path('probe.txt') },
    batchGetTempUrls: { fileList: [{ fileID: `berth-${run.mark}-missing` }] },
  };
  const refusals: StorageReply[] = [];
  for (const [operation, fields] of Object.entries(attempts)) {
    for (const form of expected ? [expected] : REQUEST_FORMS) {
      run.requestForm = form;
      const reply = await ask(operation, fields);
      if (reply.data !== undefined && !reply.refused) return;
      refusals.push(reply);
    }
  }
  run.requestForm = expected ?? 'top';
  const refused = await explainStorageRefusal(run, refusals, ask, await storage.credentials());
  if (refused) run.refused.storage = refused;
}

/**
 * Explains why the storage API rejects every call. The contract specifies no status or code for that: the
 * credentials are wrong if all calls get 401 or 403, or the same response as a call with wrong credentials or
 * none; the URL is wrong if they get the response to an unknown operation.
 */
async function explainStorageRefusal(
  run: Run,
  refusals: readonly StorageReply[],
  ask: AskStorage,
  valid: readonly (readonly [name: string, value: string])[],
): Promise<Run['refused']['storage']> {
  const { settings, mark } = run;
  const actual = [...new Set(refusals.map(spellReply))].join(', ');
  const isLike = (other: StorageReply) =>
    refusals.every((reply) => spellReply(reply) === spellReply(other));
  const isOfCredentials = run.signers.storage !== undefined;
  const what = isOfCredentials
    ? `the storage API rejected the credentials provided (${actual}); see --storage-header and --tc3-secret-id, and --env`
    : `no storage credentials were provided (${actual}); see --storage-header and --tc3-secret-id`;
  const refused = { reason: what, isOfCredentials };
  if (refusals.every(({ received }) => [401, 403].includes(received.status))) return refused;
  if (refusals.every((reply) => /ENV/i.test(toCode(reply)))) {
    const reason = `the storage API responded with ${actual}; it probably has no environment ${settings.env}: see --env`;
    return { reason, isOfCredentials: false };
  }
  const isNothing = refusals.every(
    (reply) =>
      NOTHING.includes(reply.received.status) || /FOUND|OPERATION|PATH|ROUTE/i.test(toCode(reply)),
  );
  if (isNothing && isLike(await ask(`no${mark}`, { path: 'x' }))) {
    const reason = `the storage API responded with ${actual} to every call; --storage-url probably has the wrong path, or --env is wrong`;
    return { reason, isOfCredentials: false };
  }
  // If only one form is tried, that form may be what is rejected.
  const isCoded = refusals.every(
    ({ code, received }) => code !== undefined && received.status < 500,
  );
  if (settings.requestForm !== undefined || !isCoded) return undefined;
  const { timestamp } = settings.wireProfile.storageHeaders;
  const wrong = valid.map(
    ([name, value]) => [name, name === timestamp ? value : `wrong-${mark}`] as const,
  );
  for (const credentials of [wrong, []]) {
    if (isLike(await ask('getUploadMetaData', { path: 'x' }, credentials))) return refused;
  }
  return undefined;
}

function spellReply(reply: StorageReply): string {
  return spell(reply.received.status, toCode(reply));
}

/** Returns the code in any form; empty if absent. */
function toCode({ code, received }: StorageReply): string {
  return code ?? codeOf(received) ?? '';
}

/** Status and code: `404 NOT_FOUND`. */
function spell(status: number, code: string): string {
  return `${status} ${code}`.trimEnd();
}
