import { PROTOCOL } from '@berth/conformance/fixture';
import type { Need, Runnable } from '../contract/catalog.ts';
import type { Api } from '../contract/openapi.ts';
import { SkipError, StartError } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { isClosed, isNoResponse } from '../http/connection.ts';
import type { Received } from '../http/exchange.ts';
import { readEcho } from '../http/fixture-protocol.ts';
import { codeOf, isGatewayError } from '../http/read-response.ts';
import { nameCredentials, REQUEST_FORMS } from '../options.ts';
import { findBlocker } from './blocker.ts';
import { CallContext } from './call-context.ts';
import { closeSocket } from './clients.ts';
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
      (each) => each.needs.some((need) => anyOf.includes(need)) && !findBlocker(run, each),
    );
  try {
    await Promise.all(
      settings.apis.map(async (api) => add(await findCredentials(run, api, run.caller))),
    );
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
  const { files } = new CallContext(run);
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
  const { gateway, fixture } = new CallContext(run);
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

const MAX_ATTEMPTS = 5;

/** The names of the APIs, and the options that may be wrong if one rejects every call. */
const TARGETS = {
  gateway: { name: 'gateway', options: ['gatewayUrl', 'gatewayHost', 'service'] },
  storage: { name: 'storage API', options: ['storageUrl', 'env', 'requestForm'] },
} as const;

const SCHEMES = { bearer: 'the bearer token', signature: 'the signature' };

/** Maximum duration of the calls that find out whether credentials have expired, in milliseconds. */
const MAX_RECHECK = 30_000;

const findCredentials = (run: Run, api: Api, caller: Caller): Promise<Partial<Deployment>> =>
  api === 'gateway' ? findGatewayCredentials(run, caller) : findStorageForm(run, caller);

/** Repeats the calls of `findCredentials`, even after the end of the run. Returns why an API no longer accepts them. */
export async function findExpired(run: Run, api: Api): Promise<SkipError | undefined> {
  const { deployment } = run;
  const { gatewayScheme: before } = deployment;
  const caller = run.caller.with({ signal: AbortSignal.timeout(MAX_RECHECK) });
  const { unavailable = {}, gatewayScheme } = await findCredentials(run, api, caller).catch(
    (): Partial<Deployment> => deployment,
  );
  if (api === 'storage' || before === undefined || gatewayScheme === before)
    return unavailable[api];
  return new SkipError(`the gateway no longer accepts ${SCHEMES[before]}`);
}

async function callTarget<Value>(
  run: Run,
  api: Api,
  call: () => Promise<Value>,
  attempts = MAX_ATTEMPTS,
): Promise<Value> {
  try {
    return await call();
  } catch (error) {
    if (isClosed(error) && attempts > 1) return callTarget(run, api, call, attempts - 1);
    if (!isNoResponse(error)) throw error;
    const what = `the ${TARGETS[api].name} at ${run.settings[`${api}Url`]}`;
    throw toStartError(run, `${what} cannot be reached: ${error.message}.`);
  }
}

/** The message may quote what the target responded, which may be a credential. */
export const toStartError = ({ secrets }: Run, message: string) =>
  new StartError(secrets.redact(message));

/** Finds a scheme that the gateway accepts, and the fixture service behind it, or explains why there is none. */
async function findGatewayCredentials(run: Run, caller: Caller): Promise<Partial<Deployment>> {
  const schemes = (['bearer', 'signature'] as const).filter((scheme) => run.signers[scheme]);
  const { gateway } = new CallContext(run, undefined, caller);
  const attempts: Attempt[] = [];
  for (const gatewayScheme of schemes.length > 0 ? schemes : [undefined]) {
    const call = { path: '/echo', credentials: gatewayScheme ?? 'none' } as const;
    const { received } = await callTarget(run, 'gateway', () => gateway.call(call));
    const withoutFixture = (reason: string) => ({
      gatewayScheme,
      unavailable: { fixture: new SkipError(reason) },
    });
    const echo = received.status === 200 && readEcho({ received });
    if (echo && echo.protocol === PROTOCOL) return { gatewayScheme };
    if (echo) {
      const what = `the fixture service at ${gateway.servicePath} has protocol ${echo.protocol}, not ${PROTOCOL}`;
      return withoutFixture(`${what}; deploy this version's fixture service`);
    }
    const code = codeOf(received);
    const attempt = toAttempt(received, isGatewayError(received) ? code : undefined);
    // The gateway accepts calls, but not to this service. Its error may violate the contract, and the checks must report that.
    if (!attempt.isRejected || code?.startsWith('SERVICE_')) {
      const what = `no fixture service responds at ${gateway.servicePath} (${attempt.shown})`;
      return withoutFixture(`${what}; see berth-conformance fixture --help`);
    }
    attempts.push(attempt);
  }
  const reason = new SkipError(explain(run, 'gateway', attempts));
  return { gatewayScheme: schemes.at(-1), unavailable: { gateway: reason, fixture: reason } };
}

/** A deployment accepts 'at least one of the two forms' (D21). Tries them with calls that store nothing. */
async function findStorageForm(run: Run, caller: Caller): Promise<Partial<Deployment>> {
  const { requestForm: expected } = run.settings;
  const { storage, files } = new CallContext(run, undefined, caller);
  const attempts: Attempt[] = [];
  const calls = {
    getUploadMetaData: { path: files.path('probe.txt') },
    batchGetTempUrls: { fileList: [{ fileID: run.uniqueName() }] },
  };
  for (const [operation, fields] of Object.entries(calls)) {
    for (const form of expected ? [expected] : REQUEST_FORMS) {
      const reply = await callTarget(run, 'storage', () =>
        storage.call(operation, fields, { form }),
      );
      if (reply.data !== undefined && !reply.rejected) return { requestForm: form };
      attempts.push(toAttempt(reply.received, reply.code ?? codeOf(reply.received)));
    }
  }
  if (!attempts.every(({ isRejected }) => isRejected)) return {};
  return { unavailable: { storage: new SkipError(explain(run, 'storage', attempts)) } };
}

type Attempt = ReturnType<typeof toAttempt>;

function toAttempt({ status }: Received, code: string | undefined) {
  // Any other response violates the contract, and fails the checks.
  const isRejected = [401, 403, 404, 405].includes(status) || (code !== undefined && status < 500);
  return { status, shown: `${status} ${code ?? ''}`.trimEnd(), isRejected };
}

/** The contract specifies neither status nor code for a rejection, so they are quoted with the options to check. */
function explain(run: Run, api: Api, attempts: readonly Attempt[]): string {
  const { name, options } = TARGETS[api];
  const address = options.map(run.settings.nameOf).join(', ');
  const credentials = nameCredentials(run.settings)[api];
  const actual = [...new Set(attempts.map(({ shown }) => shown))].join(', ');
  const allHave = (...statuses: number[]) =>
    attempts.every(({ status }) => statuses.includes(status));
  if (allHave(404, 405)) return `the ${name} responds to every call with ${actual}; see ${address}`;
  if (!run.signers.has(api)) {
    return `no ${name} credentials were provided (${actual}); see ${credentials}`;
  }
  if (allHave(401, 403)) {
    return `the ${name} rejects the credentials provided (${actual}); see ${credentials}`;
  }
  return `the ${name} rejects every call (${actual}); see ${address}, ${credentials}`;
}
