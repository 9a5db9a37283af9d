import { toCtrf } from './to-ctrf.ts';
import { toHtml } from './to-html.ts';
import { toJunit } from './to-junit.ts';

/** The kinds of report that `--report` writes. */
export const reporters = { html: toHtml, junit: toJunit, json: toCtrf };
