import { toCtrf } from './to-ctrf.ts';
import { toHtml } from './to-html.ts';
import { toJunit } from './to-junit.ts';
import type { Report } from './to-report.ts';

const WORDS: Record<Report['exitCode'], [word: string, color: string]> = {
  0: ['kept', '#1a6e3c'],
  1: ['broken', '#b3261e'],
  3: ['incomplete', '#8a5a00'],
  4: ['incomplete', '#8a5a00'],
};

const LABEL = 'contract';

/** Width of a letter and of the padding of a text, in pixels. */
const LETTER = 6.6;

const SPACE = 12;

/** Creates a badge that shows whether the deployment follows the contract, and how many checks passed. */
function toBadge({ exitCode, summary }: Report): string {
  const [word, color] = WORDS[exitCode];
  const made = summary.pass + summary.fail + summary.error + summary.skip;
  const text = `${word} ${summary.pass}/${made}`;
  const [left, right] = [LABEL, text].map(({ length }) => Math.round(length * LETTER + SPACE));
  const [a = 0, b = 0] = [left, right];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${a + b}" height="20" role="img" aria-label="${LABEL}: ${text}">
  <title>${LABEL}: ${text}</title>
  <clipPath id="r"><rect width="${a + b}" height="20" rx="3"/></clipPath>
  <g clip-path="url(#r)">
    <rect width="${a}" height="20" fill="#444c56"/>
    <rect x="${a}" width="${b}" height="20" fill="${color}"/>
  </g>
  <g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
    <text x="${a / 2}" y="14">${LABEL}</text>
    <text x="${a + b / 2}" y="14">${text}</text>
  </g>
</svg>
`;
}

export const REPORT_KINDS = ['json', 'junit', 'html', 'badge'] as const;

export type ReportKind = (typeof REPORT_KINDS)[number];

/** The formats for `--report kind=FILE`. */
export const reporters: Record<ReportKind, (report: Report) => string> = {
  json: (report) => `${JSON.stringify(toCtrf(report), null, 2)}\n`,
  junit: toJunit,
  html: toHtml,
  badge: toBadge,
};
