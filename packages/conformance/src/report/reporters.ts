import { toCtrf } from './to-ctrf.ts';
import { toHtml } from './to-html.ts';
import { toJunit } from './to-junit.ts';
import type { Report } from './verdict.ts';

/** The kinds of report that `--report` writes. */
export const reporters = { html: toHtml, junit: toJunit, json: toCtrf } as const satisfies Record<
  string,
  (report: Report) => string
>;
