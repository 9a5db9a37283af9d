import { CheckContext } from '../context/check-context.ts';
import { readEcho } from '../context/fixture-client.ts';
import { createRunCaller, type Refusal, type Run } from '../context/run.ts';
import type { StorageClient, StorageOperation, StorageReply } from '../context/storage-client.ts';
import type { Api } from '../contract/openapi.ts';
import type { GatewayScheme } from '../credentials/create-signers.ts';
import { TunnelRefused } from '../http/agents.ts';
import type { HeaderInput } from '../http/exchange.ts';
import { NetworkFault, Throttled } from '../http/health.ts';
import { isGatewayError } from '../judge/judge-gateway.ts';
import { StartError } from '../result.ts';

/** How often a call is made where its connection breaks. */
const ATTEMPTS = 5;

const NAMES: Record<Api, string> = { gateway: 'gateway', storage: 'storage API' };

const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED']);

/**
 * Makes a call that the run needs before its first check, again where the connection breaks.
 *
 * @throws StartError with one sentence that says what is wrong
 */
async function callTarget<Answer>(
  api: Api,
  url: string,
  call: () => Promise<Answer>,
): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      const isBroken = error instanceof NetworkFault && BROKEN.has(error.code);
      if (isBroken && attempt < ATTEMPTS) continue;
      if (!(error instanceof NetworkFault) && !(error instanceof Throttled)) throw error;
      const option = `${api}Url`;
      const what = `the ${NAMES[api]} at ${url} cannot be reached`;
      throw new StartError(`${option}: ${what}: ${error.message}.`, option);
    }
  }
}

/** Options that give a caller of the gateway credentials. */
const GATEWAY_OPTIONS = '--gateway-token, --tc3-secret-id and --auth-module';

/** Of a caller who is known and may not use the service. */
const FORBIDDEN = 'SERVICE_FORBIDDEN';

const SCHEMES: readonly GatewayScheme[] = ['module', 'bearer', 'signature'];

/**
 * Finds out which of the given schemes the gateway accepts, and whether the fixture service stands
 * behind it.
 *
 * @throws StartError where no answer comes
 */
export async function findGatewayCredentials(run: Run): Promise<void> {
  const context = new CheckContext(run, 'probe');
  const given = SCHEMES.filter((scheme) => run.signers.gateway[scheme] !== undefined);
  const refusals = new Set<string>();
  for (const scheme of given.length > 0 ? given : [undefined]) {
    const signer = scheme && run.signers.gateway[scheme];
    if (signer) run.gatewaySigner = signer;
    const answer = await askGateway(run, context);
    if (typeof answer === 'object') {
      refusals.add(answer.refusal);
      continue;
    }
    if (scheme) run.gatewayScheme = scheme;
    run.fixture = answer;
    return;
  }
  const refused = toRefusal(run, [...refusals].join(', '), given.length > 0);
  run.fixture = refused.reason;
  run.refused.gateway = refused;
}

/** What it says of all credentials, by status and code: `401 ACCESS_TOKEN_INVALID`. */
function toRefusal({ settings }: Run, came: string, isGiven: boolean): Refusal {
  if (/HOST/i.test(came)) {
    const hint = settings.gatewayHost
      ? '--gateway-host names no environment of it'
      : '--gateway-host is missing, which names the environment';
    return {
      reason: `the gateway answered ${came}; it looks like ${hint}`,
      isOfCredentials: false,
    };
  }
  return isGiven
    ? {
        reason: `the gateway refused every credential that was given (${came}); see ${GATEWAY_OPTIONS}`,
        isOfCredentials: true,
      }
    : {
        reason: `no credentials of the gateway were given (${came}); see ${GATEWAY_OPTIONS}`,
        isOfCredentials: false,
      };
}

/** `true` where the fixture answers, a refusal of the credentials, or what came instead. */
async function askGateway(
  run: Run,
  { gateway }: CheckContext,
): Promise<Run['fixture'] | { refusal: string }> {
  const { received } = await callTarget('gateway', run.settings.gatewayUrl, () =>
    gateway.call({ path: '/echo', acceptsRefusal: true }),
  );
  const { status, json } = received;
  if (status === 200 && readEcho(received)) return true;
  const isOwn = isGatewayError(received);
  const code = isOwn ? Object(json).code : undefined;
  const came = [status, code].filter(Boolean).join(' ');
  const isRefusal = code !== undefined && status !== 404 && status < 500 && code !== FORBIDDEN;
  if (isRefusal || status === 401) return { refusal: came };
  return `no fixture service answers at ${gateway.servicePath} (${came}); see berth-conformance fixture --help`;
}

/** Options that give a caller of the storage API credentials. */
const STORAGE_OPTIONS = '--storage-header, --tc3-secret-id and --auth-module';

const FORMS = ['top', 'data'] as const;

/**
 * Finds the form of the storage requests: 'fields at the top level or nested in `data`; a deployment
 * must accept at least one form' (D21), and why no call is taken, where none is. Each form is tried with
 * calls that store nothing.
 *
 * @throws StartError where no answer comes
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
    for (const form of wanted ? [wanted] : FORMS) {
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
 * Why nothing can be learnt of the storage API, where it takes no call at all. No status and no code is
 * fixed for it: credentials are refused where all calls are answered with 401 or 403, or as a call is
 * that has wrong credentials, or none; nothing is there where they are answered as calls of an unknown
 * operation are.
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
  const refused: Refusal =
    run.signers.storage === undefined
      ? {
          reason: `no credentials of the storage API were given (${came}); see ${STORAGE_OPTIONS}`,
          isOfCredentials: false,
        }
      : {
          reason: `the storage API refused the credentials that were given (${came}); see ${STORAGE_OPTIONS}, and --env`,
          isOfCredentials: true,
        };
  if (isAll(({ received }) => received.status === 401 || received.status === 403)) return refused;
  if (isAll((reply) => /ENV/i.test(toCode(reply)))) {
    const reason = `the storage API answered ${came}; it looks like it has no environment ${settings.env}: see --env`;
    return { reason, isOfCredentials: false };
  }
  const isNothing = isAll(
    (reply) =>
      [404, 405, 501].includes(reply.received.status) ||
      /FOUND|OPERATION|PATH|ROUTE/i.test(toCode(reply)),
  );
  if (isNothing && isLike(await askStorage(run, storage, `no${run.mark}`, { path: 'x' }))) {
    const reason = `the storage API answered ${came} to every call; it looks like --storage-url has the wrong path, or --env is wrong`;
    return { reason, isOfCredentials: false };
  }
  // Where only one form is tried, it may be the form that is refused.
  if (settings.requestForm !== undefined) return undefined;
  if (!isAll(({ received, code }) => code !== undefined && received.status <= 499))
    return undefined;
  const { timestamp } = settings.wireProfile.storageHeaders;
  const wrong = (await storage.credentials()).map(
    ([name, value]) => [name, name === timestamp ? value : `wrong-${run.mark}`] as const,
  );
  for (const credentials of [wrong, []]) {
    const fields = { path: 'x' };
    if (isLike(await askStorage(run, storage, 'getUploadMetaData', fields, credentials)))
      return refused;
  }
  return undefined;
}

/** Status and code: `404 NOT_FOUND`. */
function spell(reply: StorageReply): string {
  return `${reply.received.status} ${toCode(reply)}`.trimEnd();
}

/** The code in whatever form; empty without one. */
function toCode({ code, received }: StorageReply): string {
  const own = code ?? Object(received.json).code;
  return typeof own === 'string' ? own : '';
}

/** Statuses of CONNECT with which a proxy says that it opens no tunnels there. */
const NO_TUNNEL = [0, 400, 403, 404, 405, 501];

/**
 * Asks a target for any answer at all, so that a dead address, a TLS error or a server that hangs ends
 * the run at once and not call by call.
 *
 * @throws StartError with one sentence that says what is wrong
 */
export async function probe(api: Api, url: string, run: Run): Promise<void> {
  const { origin, pathname } = new URL(url);
  const { agents, settings } = run;
  const caller = createRunCaller(run);
  const host = api === 'gateway' ? settings.gatewayHost : undefined;
  const ask = async () => {
    const answer = await caller.open({
      ...{ method: 'GET', origin, target: pathname, body: Buffer.alloc(0), keep429: true },
      headers: host === undefined ? [] : [['Host', host]],
    });
    answer.close();
  };
  await callTarget(api, url, async () => {
    try {
      await ask();
    } catch (error) {
      const cause = Object(error).cause ?? error;
      const isTunnel = cause instanceof TunnelRefused && NO_TUNNEL.includes(cause.status);
      if (!isTunnel || settings.proxy === undefined || !origin.startsWith('http:')) throw error;
      agents.forwarder = new URL(settings.proxy);
      settings.onNotice('the proxy opens no tunnel to http targets; it may rewrite paths and Host');
      await ask();
    }
  });
}
