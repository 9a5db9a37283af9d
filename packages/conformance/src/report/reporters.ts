import { toHtml } from './html/to-html.ts';
import { toBadge } from './to-badge.ts';
import { toCtrf } from './to-ctrf.ts';
import { toJunit } from './to-junit.ts';
import type { Report } from './to-report.ts';

export const REPORT_KINDS = ['json', 'junit', 'html', 'badge'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/** What `--report kind=FILE` writes. */
export const reporters: Record<ReportKind, (report: Report) => string> = {
  json: (report) => `${JSON.stringify(toCtrf(report), null, 2)}\n`,
  junit: toJunit,
  html: toHtml,
  badge: toBadge,
};
