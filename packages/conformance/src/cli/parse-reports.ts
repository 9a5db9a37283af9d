import { resolve } from 'node:path';
import { REPORT_KINDS, type ReportKind } from '../report/reporters.ts';
import { StartError } from '../start-error.ts';

export interface WantedReport {
  kind: ReportKind;
  file: string;
}

/**
 * The reports of `--report`, `kind=FILE` each.
 *
 * @throws StartError for another kind, or where two go into one file
 */
export function parseReports(values: readonly string[] = []): WantedReport[] {
  const reports = values.map((value) => {
    const [, kind, file] = /^([a-z]+)=(.+)$/s.exec(value) ?? [];
    if (file === undefined || !REPORT_KINDS.includes(kind as ReportKind)) {
      const forms = REPORT_KINDS.map((known) => `${known}=FILE`).join(', ');
      throw new StartError(`--report must be one of ${forms}.`);
    }
    return { kind: kind as ReportKind, file };
  });
  const files = new Set(reports.map(({ file }) => resolve(file)));
  if (files.size === reports.length) return reports;
  throw new StartError('--report names the same file twice.');
}
