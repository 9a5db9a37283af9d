import { CheckContext } from '../context/check-context.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import type { Refusal, Run } from '../context/run.ts';
import type { StorageClient, StorageOperation, StorageReply } from '../context/storage-client.ts';
import type { Api } from '../contract/openapi.ts';
import type { GatewayScheme } from '../credentials/create-signers.ts';
import type { HeaderInput, Received } from '../http/exchange.ts';
import { insist, NetworkFault, Throttled } from '../http/faults.ts';
import { isGatewayError } from '../invariants.ts';
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
  api: Api,
  url: string,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await insist(call, ATTEMPTS);
  } catch (error) {
    if (!(error instanceof NetworkFault) && !(error instanceof Throttled)) throw error;
    const option = `${api}Url`;
    const what = `the ${NAMES[api]} at ${url} cannot be reached`;
    throw new StartError(`${option}: ${what}: ${error.message}.`, option);
  }
}

const GATEWAY_OPTIONS = '--gateway-token and --tc3-secret-id';

/** Statuses of a path that does not exist. */
const NOTHING = [404, 405, 501];

/** Codes for a known caller who may not use the service. */
const FORBIDDEN = 'SERVICE_FORBIDDEN';

const SCHEMES: readonly GatewayScheme[] = ['bearer', 'signature'];

/**
 * Detects which of the available schemes the gateway accepts, and whether the fixture service is deployed
 * behind it.
 *
 * @throws StartError if there is no response
 */
export async function findGatewayCredentials(run: Run): Promise<void> {
  const context = new CheckContext(run, 'probe');
  const given = SCHEMES.filter((scheme) => run.signers.gateway[scheme] !== undefined);
  const refusals = new Set<string>();
  let refused: Refusal | undefined;
  for (const scheme of given.length > 0 ? given : [undefined]) {
    if (scheme) run.gatewayScheme = scheme;
    const response = await askGateway(run, context);
    if (typeof response !== 'object') {
      run.fixture = response;
      return;
    }
    if ('nowhere' in response) {
      const reason = `the gateway responded with ${response.nowhere} to every call; it looks like --gateway-url has the wrong path`;
      refused = { reason, isOfCredentials: false };
      break;
    }
    refusals.add(response.refusal);
  }
  refused ??= toRefusal(run, [...refusals].join(', '), given.length > 0);
  run.fixture = refused.reason;
  run.refused.gateway = refused;
}

/** Explains the refusal of all credentials by its status and code: `401 ACCESS_TOKEN_INVALID`. */
function toRefusal({ settings }: Run, came: string, isGiven: boolean): Refusal {
  if (/HOST/i.test(came)) {
    const hint = settings.gatewayHost
      ? 'the first label of --gateway-host is not an environment of the gateway'
      : '--gateway-host, which names the environment, is missing';
    const reason = `the gateway responded with ${came}; it looks like ${hint}`;
    return { reason, isOfCredentials: false };
  }
  const what = isGiven
    ? 'the gateway rejected all credentials provided'
    : 'no gateway credentials were provided';
  return { reason: `${what} (${came}); see ${GATEWAY_OPTIONS}`, isOfCredentials: isGiven };
}

/**
 * Returns `true` if the fixture service responds. Otherwise describes the response: a refusal of the
 * credentials, the response that any unknown path gets (`nowhere`), or something else.
 */
async function askGateway(
  run: Run,
  { gateway, fixture }: CheckContext,
): Promise<Run['fixture'] | { refusal: string } | { nowhere: string }> {
  const ask = async (call: GatewayCall) => {
    const { received } = await callTarget('gateway', run.settings.gatewayUrl, () =>
      gateway.call({ ...call, acceptsRefusal: true }),
    );
    return received;
  };
  const received = await ask({ path: '/echo' });
  if (received.status === 200 && fixture.readEcho({ received })) return true;
  const { status } = received;
  const code = toErrorCode(received);
  const came = [status, code].filter(Boolean).join(' ');
  const isNothing = NOTHING.includes(status) || /FOUND|PATH|ROUTE/i.test(code);
  if (isNothing && !code.startsWith('SERVICE_')) {
    const other = await ask({ route: `/no${run.mark}` });
    if (other.status === status && toErrorCode(other) === code) return { nowhere: came };
  }
  const isRefusal = code !== '' && status !== 404 && status < 500 && code !== FORBIDDEN;
  if (isRefusal || status === 401) return { refusal: came };
  return `no fixture service responds at ${gateway.servicePath} (${came}); see berth-conformance fixture --help`;
}

/** Returns the code of a gateway error, or an empty string for any other response. */
function toErrorCode(received: Received): string {
  return isGatewayError(received) ? String(Object(received.json).code) : '';
}

const STORAGE_OPTIONS = '--storage-header and --tc3-secret-id';

/**
 * Detects which form of storage requests the deployment accepts: 'fields at the top level or nested in
 * `data`; a deployment must accept at least one form' (D21). Tries each form with calls that store nothing.
 * If none is accepted, determines the reason.
 *
 * @throws StartError if there is no response
 */
export async function findStorageForm(run: Run): Promise<void> {
  const { storage } = new CheckContext(run, 'probe');
  const wanted = run.settings.requestForm;
  const attempts: [StorageOperation, object][] = [
    ['getUploadMetaData', { path: storage.path('probe.txt') }],
    ['batchGetTempUrls', { fileList: [{ fileID: `berth-${run.mark}-missing` }] }],
  ];
  const refusals: StorageReply[] = [];
  for (const [operation, fields] of attempts) {
    for (const form of wanted ? [wanted] : REQUEST_FORMS) {
      run.requestForm = form;
      const reply = await askStorage(run, storage, operation, fields);
      if (reply.data !== undefined && !reply.refused) return;
      refusals.push(reply);
    }
  }
  run.requestForm = wanted ?? 'top';
  const refused = await findRefusal(run, storage, refusals);
  if (refused) run.refused.storage = refused;
}

function askStorage(
  { settings }: Run,
  storage: StorageClient,
  operation: StorageOperation | (string & {}),
  fields: object,
  credentials: HeaderInput | 'valid' = 'valid',
): Promise<StorageReply> {
  return callTarget('storage', settings.storageUrl, () =>
    storage.call(operation, fields, { credentials, acceptsRefusal: true }),
  );
}

/**
 * Explains why the storage API rejects every call. The contract specifies no status or code for that: the
 * credentials are wrong if all calls get 401 or 403, or the same response as a call with wrong credentials or
 * none; the URL is wrong if they get the response to an unknown operation.
 */
async function findRefusal(
  run: Run,
  storage: StorageClient,
  refusals: readonly StorageReply[],
): Promise<Refusal | undefined> {
  const { settings } = run;
  const came = [...new Set(refusals.map(spell))].join(', ');
  const isAll = (isOne: (reply: StorageReply) => boolean) => refusals.every(isOne);
  const isLike = (other: StorageReply) => isAll((reply) => spell(reply) === spell(other));
  const isOfCredentials = run.signers.storage !== undefined;
  const what = isOfCredentials
    ? `the storage API rejected the credentials provided (${came}); see ${STORAGE_OPTIONS}, and --env`
    : `no storage credentials were provided (${came}); see ${STORAGE_OPTIONS}`;
  const refused: Refusal = { reason: what, isOfCredentials };
  if (isAll(({ received }) => received.status === 401 || received.status === 403)) return refused;
  if (isAll((reply) => /ENV/i.test(toCode(reply)))) {
    const reason = `the storage API responded with ${came}; it probably has no environment ${settings.env}: see --env`;
    return { reason, isOfCredentials: false };
  }
  const isNothing = isAll(
    (reply) =>
      NOTHING.includes(reply.received.status) || /FOUND|OPERATION|PATH|ROUTE/i.test(toCode(reply)),
  );
  if (isNothing && isLike(await askStorage(run, storage, `no${run.mark}`, { path: 'x' }))) {
    const reason = `the storage API responded with ${came} to every call; --storage-url probably has the wrong path, or --env is wrong`;
    return { reason, isOfCredentials: false };
  }
  // If only one form is tried, that form may be what is rejected.
  if (settings.requestForm !== undefined) return undefined;
  if (!isAll(({ received, code }) => code !== undefined && received.status <= 499))
    return undefined;
  const { timestamp } = settings.wireProfile.storageHeaders;
  const wrong = (await storage.credentials()).map(
    ([name, value]) => [name, name === timestamp ? value : `wrong-${run.mark}`] as const,
  );
  for (const credentials of [wrong, []]) {
    const reply = await askStorage(run, storage, 'getUploadMetaData', { path: 'x' }, credentials);
    if (isLike(reply)) return refused;
  }
  return undefined;
}

/** Status and code: `404 NOT_FOUND`. */
function spell(reply: StorageReply): string {
  return `${reply.received.status} ${toCode(reply)}`.trimEnd();
}

/** Returns the code in any form; empty if absent. */
function toCode({ code, received }: StorageReply): string {
  const own = code ?? Object(received.json).code;
  return typeof own === 'string' ? own : '';
}
