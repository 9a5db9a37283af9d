import type { ReportKind } from '../options/read-options.ts';
import { toCtrf } from './to-ctrf.ts';
import { toHtml } from './to-html.ts';
import { toJunit } from './to-junit.ts';
import type { Report } from './verdict.ts';

/** What `--report` writes. */
export const reporters: Record<ReportKind, (report: Report) => string> = {
  html: toHtml,
  junit: toJunit,
  json: toCtrf,
};
