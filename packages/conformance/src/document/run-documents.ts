import { inParallel, type Run } from '../context/run.ts';
import { leftOut } from '../context/skip-reason.ts';
import { NetworkFault, Throttled } from '../http/health.ts';
import type { Settings } from '../options.ts';
import { type Planned, type Result, StartError } from '../result.ts';
import { isGatewayError } from '../validation/exchange-rules.ts';
import { checkOperation, chooseRequests, operationSkipReason } from './check-operation.ts';
import { checkSequences, removeCreated } from './check-sequences.ts';
import { type Coverage, listUnchecked, toCoverage, toUncheckedLine } from './coverage.ts';
import { createGenerator } from './generate.ts';
import { loadDocument } from './load-document.ts';
import { listOperations, type Operation, phaseOf } from './plan.ts';
import { createSession, type Deployment, type Session } from './session.ts';

/** Default number of operations to call in parallel. */
const USUAL_CONCURRENCY = 4;
/** Codes of a gateway that validates calls against the document of a service. */
const UNKNOWN_ROOT = ['INVALID_REQUEST', 'INVALID_PATH', 'METHOD_NOT_ALLOWED'];
/** Time limit for deleting the items that the run has created, in milliseconds. */
const LONGEST_CLEANING = 60_000;

export interface DocumentsRun {
  coverage: Coverage;
  /** Paths of the items that the run created but could not delete. */
  leftovers: string[];
}

/**
 * Reads the documents of a run.
 *
 * @throws StartError that names the file, the line and the column
 */
export async function loadDeployments(settings: Settings): Promise<Deployment[]> {
  const { document, url, serviceDocuments, gatewayUrl, onNotice } = settings;
  const direct =
    document === undefined ? [] : [{ file: document, service: undefined, url: url ?? '' }];
  const services = Object.entries(serviceDocuments).map(([service, file]) => ({
    ...{ file, service, url: `${gatewayUrl}/v1/cloudrun/${encodeURIComponent(service)}` },
  }));
  return Promise.all(
    [...direct, ...services].map(async ({ file, ...deployment }) => {
      const option = deployment.service === undefined ? 'document' : 'serviceDocument';
      const loaded = await loadDocument(file, option);
      for (const problem of loaded.problems) onNotice(`not checked: ${problem}`);
      return { document: loaded, ...deployment };
    }),
  );
}

/** Checks deployments against their documents. */
export async function runDocuments(
  run: Run,
  deployments: readonly Deployment[],
  onResult: (result: Result) => void,
): Promise<DocumentsRun> {
  const sessions = deployments.map((deployment) =>
    createSession(run, deployment, listOperations(deployment.document)),
  );
  await Promise.all(sessions.map(assertReachable));
  const operations: Coverage['operations'] = [];
  const unchecked: Coverage['unchecked'] = [];
  const leftovers: string[] = [];
  for (const session of sessions) {
    const name = session.service ?? session.document.title;
    for (const each of listUnchecked(session.document, session.operations)) {
      unchecked.push({ document: name, ...each });
      run.settings.onNotice(`not checked: ${toUncheckedLine(each)}`);
    }
    const emit = (isWanted: (result: Result) => boolean) => {
      for (const result of session.results.take(isWanted)) {
        const left = leftOut(run, result.id);
        const isLeftOut = left?.outcome === 'disabled';
        if (isLeftOut) onResult({ ...result, ...left, findings: [], notes: [] });
        else if (result.outcome !== 'pass' || result.assertions > 0) onResult(result);
      }
    };
    const waiting = [...session.operations];
    while (waiting.length > 0) {
      const phase = phaseOf(waiting[0] as Operation);
      const own = waiting.splice(0, waiting.filter((each) => phaseOf(each) === phase).length);
      await inParallel(own, run.settings.concurrency ?? USUAL_CONCURRENCY, async (operation) => {
        const { id } = operation;
        const items = await checkOperation(session, operation);
        operations.push({ document: name, operation: id, items });
        emit(({ operations: [called] }) => called === id);
      });
    }
    await checkSequences(session).catch((error) => {
      if (!(error instanceof NetworkFault || error instanceof Throttled)) throw error;
      run.settings.onNotice(`the call sequences were not finished: ${error.message}`);
    });
    emit(() => true);
    // The run may have been aborted.
    const cleaning = { ...run, signal: AbortSignal.timeout(LONGEST_CLEANING) };
    const { created } = session;
    const cleaner = createSession(cleaning, session, session.operations);
    leftovers.push(...(await removeCreated({ ...cleaner, created })));
  }
  return { coverage: toCoverage(operations, unchecked), leftovers };
}

/** @throws StartError if there is no response, or if the gateway refuses to call the service */
async function assertReachable({ run, service, url, probe }: Session): Promise<void> {
  const option = service === undefined ? 'url' : 'gatewayUrl';
  try {
    const { received } = await probe();
    if (service === undefined || received.status >= 500 || !isGatewayError(received)) return;
    const { code } = Object(received.json);
    // The gateway may validate calls against the service's document, which has no operation for the root.
    if (UNKNOWN_ROOT.includes(code)) return;
    throw new StartError(
      `Nothing can be checked: the gateway responded with ${received.status} ${code} to a call to ${service}; see --gateway-token, --tc3-secret-id and --auth-module.`,
    );
  } catch (error) {
    if (run.signal.aborted || !(error instanceof NetworkFault)) throw error;
    throw new StartError(`${option}: ${url} cannot be reached: ${error.message}.`, option);
  }
}

/**
 * Returns how many requests a run would make for each operation, without making any; `undefined` for a run
 * without documents.
 */
export async function planDocuments(settings: Settings): Promise<Planned[] | undefined> {
  const deployments = await loadDeployments(settings);
  if (deployments.length === 0) return undefined;
  return deployments.flatMap(({ document, service }) =>
    listOperations(document).map((operation) => {
      const planned = {
        ...{ engine: 'document' as const, requests: 0 },
        id: [service, operation.id].filter(Boolean).join(' '),
      };
      const reason = operationSkipReason({ service, run: { settings } }, operation);
      if (reason !== undefined) return { ...planned, reason };
      const generator = createGenerator(document, operation, settings.seed);
      try {
        const { valid, breakers } = chooseRequests(document, operation, generator, settings);
        return { ...planned, requests: valid.length + breakers.length };
      } catch (error) {
        return { ...planned, reason: (error as Error).message };
      }
    }),
  );
}
