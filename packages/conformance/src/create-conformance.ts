import { APIS, type Api } from './contract/apis.ts';
import { documents } from './contract/documents.ts';
import { type ConformanceOptions, type Settings, toSettings } from './options.ts';
import { probe } from './probe.ts';
import { listGrantSecrets } from './report/list-grant-secrets.ts';
import { createRedactor, listSecrets } from './report/redact.ts';
import { type Report, toReport } from './report/to-report.ts';
import { findRequestForm } from './requests/find-request-form.ts';
import { createRunContext } from './requests/run-context.ts';
import type { Result } from './result.ts';
import { runTransactions } from './run-transactions.ts';

export interface Conformance {
  /** Runs the suite once. */
  run(): Promise<Report>;
}

/**
 * Checks whether a deployment keeps the contract.
 *
 * @throws StartError where an option is bad; `run` rejects with one where a target gives no answer
 * @example
 * const report = await createConformance({
 *   gatewayUrl: 'http://127.0.0.1:4010',
 *   storageUrl: 'http://127.0.0.1:4010',
 * }).run();
 * process.exitCode = report.exitCode;
 */
export function createConformance(options: ConformanceOptions): Conformance {
  const settings = toSettings(options);
  return { run: () => run(settings) };
}

async function run(settings: Settings): Promise<Report> {
  const { gatewayUrl, storageUrl, gatewayHost, timeout } = settings;
  await Promise.all([
    probe('gateway', gatewayUrl, gatewayHost, timeout),
    probe('storage API', storageUrl, undefined, timeout),
  ]);
  const context = createRunContext(settings);
  context.requestForm = await findRequestForm(context);
  const secrets = listSecrets(settings);
  const results: Result[] = [];
  await runTransactions(context, (result) => {
    secrets.values.push(...listGrantSecrets(result));
    const redacted = createRedactor(secrets)(result);
    results.push(redacted);
    settings.onResult(redacted);
  });
  return toReport(results, toTargets(settings));
}

function toTargets({ gatewayUrl, storageUrl }: Settings): Report['targets'] {
  const urls: Record<Api, string> = { gateway: gatewayUrl, storage: storageUrl };
  return APIS.map((api) => ({
    api,
    url: urls[api],
    contract: documents[api].name,
    version: documents[api].document.info.version,
  }));
}
