import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { toProfileDocument } from '@berth/spec/profile-documents';
import { openapi30Documents, type Transaction, transactions } from '../contract/catalog.ts';
import { APIS } from '../contract/openapi.ts';
import { DisabledError, NotRunError } from '../errors.ts';
import {
  type Call,
  type Exchange,
  readAll,
  toHeaderList,
  toReceived,
  toTarget,
} from '../http/exchange.ts';
import { codeOf, readReply, type StorageReply } from '../http/read-response.ts';
import { type ConformanceOptions, toSettings, toVariable } from '../options.ts';
import { type CheckResult, type Finding, withEvidence } from '../results/result.ts';
import { toGatewayCall, toStorageCall } from '../run/clients.ts';
import { decide, findBlocker } from '../run/outcome.ts';
import { prepare, toStartError } from '../run/prepare.ts';
import { removeLeftovers } from '../run/remove-leftovers.ts';
import { Run } from '../run/run.ts';

/** Maximum time for one response, in timeouts: Dredd itself does not limit how long a body takes. */
const MAX_TIMEOUTS = 3;

/** Each documented response that Dredd can run gets exactly one result, which is an error if Dredd does not run it. */
export async function runDredd(run: Run): Promise<CheckResult[]> {
  const dredd = findDredd();
  const missing = new DisabledError('Dredd is not installed: npm install --save-dev dredd');
  const results = new Map<string, CheckResult>();
  for (const transaction of transactions) {
    const blocker = findBlocker(run, transaction) ?? (dredd ? undefined : missing);
    if (blocker) results.set(transaction.case.id, decide(run, transaction, [], blocker));
  }
  const pending = transactions.filter((transaction) => !results.has(transaction.case.id));
  if (dredd === undefined || pending.length === 0) return [...results.values()];
  const add = (result: CheckResult) => {
    if (results.has(result.caseId)) return;
    results.set(result.caseId, result);
    run.settings.onCheck(result);
  };
  const output = await mkdtemp(join(tmpdir(), 'berth-dredd-'))
    .then((folder) =>
      startDredd(dredd, folder, run, add).finally(() =>
        rm(folder, { recursive: true, force: true }),
      ),
    )
    .catch((error: Error) => error.message);
  const error = new NotRunError(`Dredd did not request this response: ${output.trim()}`);
  for (const transaction of pending) add(decide(run, transaction, [], error));
  return [...results.values()];
}

/** Returns where Dredd is. It is an optional peer dependency, because it brings many packages that are deprecated. */
function findDredd(): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve('dredd/package.json'));
  } catch {
    return undefined;
  }
}

async function startDredd(
  dredd: string,
  folder: string,
  run: Run,
  onEnd: (result: CheckResult) => void,
) {
  const { signal, settings } = run;
  // The documents with the deployment's names.
  const profile = { ...settings.wireProfile, copyPaths: run.deployment.copyPaths };
  for (const api of APIS) {
    const document = JSON.stringify(toProfileDocument(openapi30Documents[api], profile));
    await writeFile(join(folder, `${api}.json`), document);
  }
  // When run from source, this file ends in `.ts`; in the package, in `.js`.
  const hooks = import.meta.url.endsWith('.ts') ? './dredd-hooks.cts' : './dredd-hooks.cjs';
  const configuration = {
    blueprint: `${APIS[0]}.json`,
    path: APIS.slice(1).map((api) => `${api}.json`),
    endpoint: settings.gatewayUrl,
    hookfiles: fileURLToPath(new URL(hooks, import.meta.url)),
    loglevel: 'warning',
    http: { timeout: settings.timeoutMs, ...(settings.ca && { ca: settings.ca }) },
  };
  // JSON is YAML, too.
  await writeFile(join(folder, 'dredd.yml'), JSON.stringify(configuration));
  const child = fork(join(dredd, 'bin/dredd'), ['--config', 'dredd.yml'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, BERTH_DREDD_PARENT: 'true' },
  });
  let output = '';
  for (const input of [child.stdout, child.stderr]) {
    if (!input) continue;
    // Secrets are redacted before the output is shortened, which may cut them.
    createInterface({ input }).on('line', (line) => {
      output = `${output}${run.secrets.redact(line)}\n`.slice(-2000);
    });
  }
  const handle = createHooks(run, onEnd);
  const longest = MAX_TIMEOUTS * settings.timeoutMs;
  let timer: NodeJS.Timeout | undefined;
  child.on('message', async (message) => {
    const { name, transaction } = message as { name: HookName; transaction: DreddTransaction };
    clearTimeout(timer);
    await handle(name, transaction);
    if (!child.connected) return;
    child.send(transaction);
    if (name !== 'beforeEach') return;
    timer = setTimeout(() => {
      output = `a response did not end within ${longest} ms`;
      child.kill('SIGKILL');
    }, longest);
  });
  try {
    await once(child, 'close', { signal });
    return output;
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
}

export type HookName = 'beforeEach' | 'beforeEachValidation' | 'afterEach';

interface Running {
  transaction: Transaction;
  call: Call;
  startedAt: number;
  findings?: Finding[];
}

/**
 * Opens a session for a Dredd process that the suite did not start.
 *
 * @param options those of the `BERTH_*` variables
 * @param endpoint Dredd's endpoint, the default for both URLs
 * @throws StartError if the deployment does not respond, or rejects every credential
 */
export async function openSession(options: ConformanceOptions, endpoint: string) {
  const urls = { gatewayUrl: endpoint, storageUrl: endpoint };
  const settings = toSettings({ ...urls, ...options }, toVariable);
  const run = new Run(settings, new AbortController().signal);
  await prepare(run, transactions).catch((error) => {
    throw toStartError(run, error.message);
  });
  return { handle: createHooks(run, () => {}), close: () => removeLeftovers(run) };
}

/**
 * The hooks for each transaction, in the order in which Dredd calls them:
 *
 * 1. `beforeEach` changes the example request so that it gets the documented response: it sets the address, the
 *    credentials and, for an error, what provokes it. A transaction that cannot run is skipped, or fails with the reason.
 * 2. Dredd makes the call.
 * 3. `beforeEachValidation` checks the response against the OpenAPI 3.1 document and the invariants. It sets `fail`, and
 *    replaces what Dredd expects by what was received, so that Dredd's own comparison, by OpenAPI 3.0, adds nothing.
 * 4. `afterEach` reports the result. If Dredd got no response, it skips step 3, and this hook makes the call itself.
 */
export function createHooks(run: Run, onEnd: (result: CheckResult) => void) {
  let fileId: string | undefined;
  // Dredd runs one transaction at a time.
  let running: Running | undefined;

  async function beforeEach(dredd: DreddTransaction): Promise<void> {
    running = undefined;
    const transaction = findTransaction(dredd);
    const blocker = transaction && findBlocker(run, transaction);
    // Without it, Dredd would report success although nothing was checked.
    if (blocker?.outcome === 'skip') dredd.fail = run.secrets.redact(blocker.message);
    else dredd.skip = transaction === undefined || blocker !== undefined;
    if (transaction === undefined || blocker !== undefined) return;
    const call = prepareCall(transaction, dredd.request, run, fileId);
    running = { transaction, call, startedAt: performance.now() };
    const { origin, protocol, hostname, port } = new URL(call.url);
    Object.assign(dredd, { protocol, host: hostname, port, fullPath: toTarget(call.url) });
    dredd.request.headers = Object.fromEntries(call.headers);
    dredd.request.body = call.body.toString();
    await run.pace.ready(origin, run.signal);
    run.calls += 1;
  }

  async function beforeEachValidation(dredd: DreddTransaction): Promise<void> {
    if (running === undefined) return;
    const exchange = await readExchange(run, running, dredd);
    const reply = readReply(exchange, run.settings.wireProfile.envelope);
    run.secrets.addGrant(reply.data);
    if (typeof reply.data?.fileID === 'string') fileId ??= reply.data.fileID;
    const findings = run.observer.validate(exchange);
    if (findings.length === 0) findings.push(...findUnexpected(running.transaction, reply));
    running.findings = findings;
    const messages = findings.map(({ message }) => run.secrets.redactMessage(message));
    if (messages.length > 0) dredd.fail = messages.join('; ');
    // The contract often allows other statuses, and media types with parameters, which Dredd compares literally.
    dredd.expected = { statusCode: String(exchange.received.status), headers: {} };
  }

  async function afterEach(dredd: DreddTransaction): Promise<void> {
    // Dredd does not say why a call failed, so it is made again.
    if (dredd.real === undefined) await beforeEachValidation(dredd);
    if (running === undefined) return;
    const { transaction, startedAt, findings = [] } = running;
    running = undefined;
    if (findings.length === 0 && dredd.test?.valid === false) {
      findings.push({
        message: `Dredd: ${dredd.test.message?.trim()}`,
        where: transaction.case.id,
      });
    }
    const durationMs = Math.round(performance.now() - startedAt);
    onEnd({ ...decide(run, transaction, findings), durationMs });
  }

  const hooks = { beforeEach, beforeEachValidation, afterEach };
  return async (name: HookName, dredd: DreddTransaction): Promise<void> => {
    try {
      await hooks[name](dredd);
    } catch (error) {
      dredd.fail = run.secrets.redactMessage((error as Error).message);
      const { transaction } = running ?? {};
      running = undefined;
      if (transaction === undefined) return;
      onEnd(decide(run, transaction, [], error));
    }
  };
}

/** Returns the call that Dredd made, with the response. A call that was rejected with 429 is retried after the wait. */
async function readExchange(
  run: Run,
  { call, transaction }: Running,
  { real }: DreddTransaction,
): Promise<Exchange> {
  const madeBy = transaction.case.id;
  if (real === undefined || real.statusCode === 429) {
    const retryAt = real && run.pace.slowDown(String(real.headers['retry-after'] ?? ''), 0);
    await run.pace.ready(new URL(call.url).origin, run.signal, retryAt);
    const exchange = await run.caller.with({ madeBy }).call(call);
    // Dredd compares the status of the last response.
    if (real !== undefined) real.statusCode = exchange.received.status;
    return exchange;
  }
  const bytes = Buffer.from(real.body ?? '', real.bodyEncoding === 'base64' ? 'base64' : 'utf8');
  const received = toReceived(real.statusCode, toHeaderList(real.headers), bytes);
  const exchange = { sent: { ...call, madeBy }, received };
  run.observer.observe(exchange);
  return exchange;
}

/** Returns a finding if a response is not the one that the call should have provoked. */
function findUnexpected(transaction: Transaction, reply: StorageReply): Finding[] {
  if (isExpected(transaction, reply)) return [];
  const { status, mediaType } = reply.received;
  const actual = `${status} ${codeOf(reply.received) ?? reply.code ?? mediaType ?? ''}`.trimEnd();
  const message = `expected the documented ${transaction.documented.status} response, got ${actual}`;
  return [withEvidence({ message, where: transaction.place }, reply)];
}

/** For an invalid call, any rejection is expected. */
function isExpected(
  { documented: { api, status, contentType } }: Transaction,
  { received, rejected }: StorageReply,
): boolean {
  if (api === 'storage') return status === '200' ? !rejected : rejected && received.status < 500;
  if (status === '400') return received.status >= 400 && received.status < 500;
  return `${received.status}` === status && received.mediaType === contentType;
}

/** What hooks read and change of a transaction (https://dredd.org/en/latest/data-structures.html). */
export interface DreddTransaction {
  readonly origin: { readonly actionName: string };
  readonly request: {
    readonly method: string;
    readonly uri: string;
    headers: Record<string, string>;
    body: string;
  };
  expected: { statusCode: string; headers: Record<string, string> };
  real?: {
    statusCode: number;
    headers: Readonly<Record<string, string | string[]>>;
    body?: string;
    bodyEncoding?: 'utf-8' | 'base64';
  };
  protocol: string;
  host: string;
  port: string;
  fullPath: string;
  skip: boolean;
  fail?: string | undefined;
  readonly test?: { readonly valid?: boolean; readonly message?: string };
}

/** Returns the documented response that a transaction of Dredd is about. The summaries in OpenAPI 3.0 are operationIds. */
function findTransaction({ origin, expected }: DreddTransaction): Transaction | undefined {
  const [type] = readAll(toHeaderList(expected.headers), 'content-type');
  return transactions.find(
    ({ documented: { operationId, status, contentType } }) =>
      operationId === origin.actionName && status === expected.statusCode && contentType === type,
  );
}

/** Adapts an example request of Dredd. Storage calls use `fileId`, which the deployment has issued, if there is one. */
function prepareCall(
  { documented: { api, operationId, status, contentType } }: Transaction,
  { method, uri, body, ...request }: DreddTransaction['request'],
  run: Run,
  fileId: string | undefined,
): Call {
  const headers = toHeaderList(request.headers);
  if (api === 'storage') {
    // A body without its required fields is rejected (D30).
    const fields = status === '400' ? {} : replacePaths(body, run, fileId);
    return toStorageCall(run, operationId, fields, { method, headers });
  }
  const [, examplePath = ''] = /^\/v1\/cloudrun\/[^/?]*(.*)$/.exec(uri) ?? [];
  const path = contentType === 'text/plain' ? TEXT_PATH : examplePath;
  const services: Record<string, string | undefined> = {
    // A name outside the pattern is rejected (D6).
    400: `0${run.id}-`,
    403: run.settings.forbiddenService,
    404: run.uniqueName(),
  };
  const { [status]: service = run.settings.service } = services;
  return toGatewayCall(run, { method, headers, body, path, service });
}

/** What the fixture service is asked to send if plain text is documented: `Hello.` */
const TEXT_PATH = '/respond?type=text%2Fplain&body64=SGVsbG8u';

/** Each string in a storage request is a path or a file ID. The new ones are in this run's folder. */
function replacePaths(body: string, run: Run, fileId?: string): object {
  const folder = run.newFolder('dredd');
  return JSON.parse(body, (_, value) => {
    if (typeof value !== 'string') return value;
    const [, prefix = '', path = ''] = /^(\w+:\/\/[^/]*\/|\/?)(.*)$/s.exec(value) ?? [];
    return prefix.includes('://') && fileId !== undefined ? fileId : `${prefix}${folder}/${path}`;
  });
}
