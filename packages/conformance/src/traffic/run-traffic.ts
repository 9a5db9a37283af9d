import { createRun } from '../context/run.ts';
import { loadDocument } from '../document/load-document.ts';
import type { Settings } from '../options.ts';
import { createReport, type Report } from '../report/to-report.ts';
import { type Result, StartError } from '../result.ts';
import { createContractChecker } from './check-contract.ts';
import { createDocumentChecker } from './check-document.ts';
import { readTraffic } from './read-traffic.ts';

/** The files with recorded calls, and which of the calls to check. */
export interface TrafficOptions {
  files: readonly string[];
  /** URLs of the APIs. Default: any, recognized by their paths. */
  gatewayUrl?: string | undefined;
  storageUrl?: string | undefined;
  url?: string | undefined;
}

/**
 * Checks recorded calls without making any.
 *
 * @throws StartError if a file cannot be read, or contains no call that can be checked
 */
export async function runTraffic(
  { files, gatewayUrl, storageUrl, url }: TrafficOptions,
  settings: Settings,
): Promise<Report> {
  const started = new Date();
  const run = createRun(settings, settings.signal ?? new AbortController().signal);
  const { document: file } = settings;
  const checker =
    file === undefined
      ? createContractChecker(run, { gatewayUrl, storageUrl })
      : createDocumentChecker(run, await loadDocument(file, 'document'), url);
  const notChecked = new Map<string, number>();
  let checked = 0;
  let withoutBody = 0;
  for (const each of files) {
    for await (const recorded of readTraffic(each)) {
      if (run.signal.aborted) throw new StartError('The run was interrupted.');
      const reason = 'reason' in recorded ? recorded.reason : checker.check(recorded);
      if (reason === undefined) {
        checked += 1;
        if (!('reason' in recorded) && recorded.known.size < 2) withoutBody += 1;
      } else notChecked.set(reason, (notChecked.get(reason) ?? 0) + 1);
    }
  }
  if (checked === 0) {
    const reasons = [...notChecked].map(([reason, count]) => `${reason}: ${count}`);
    throw new StartError(
      `Nothing can be checked: ${files.join(', ')} (${reasons.join(', ') || 'no recorded call'}); see --gateway-url, --storage-url and --document.`,
    );
  }
  const { secrets } = run;
  const results: Result[] = checker.results().map((result) => ({
    ...result,
    ...secrets.redact({ findings: result.findings, notes: result.notes }),
  }));
  for (const result of results) settings.onResult(result);
  return createReport(settings, started, results, {
    targets: checker.targets(),
    ...(file === undefined ? { rules: settings.rules } : {}),
    coverage: secrets.redact(checker.coverage(results)),
    traffic: {
      ...{ files: [...files], checked, withoutBody },
      notChecked: Object.fromEntries(notChecked),
    },
  });
}
