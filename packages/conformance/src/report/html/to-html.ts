import { OUTCOMES } from '../../result.ts';
import type { Report } from '../to-report.ts';
import { toFacts } from './facts.ts';
import { html, Markup } from './html.ts';
import { toMatrix } from './matrix.ts';
import { toResults } from './results.ts';
import { script } from './script.ts';
import { style } from './style.ts';

/** The page asks no host for anything, itself included. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/** The run as one page that needs nothing beside itself. */
export function toHtml(report: Report): string {
  const { results, summary } = report;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>Conformance of ${report.targets[0]?.url}</title>
<style>${new Markup(style)}</style>
</head>
<body>
${toFacts(report)}
<nav><a href="#results">Results</a> · <a href="#matrix">Traceability</a></nav>
<main>
<fieldset class="filters" id="results">
<legend>Show</legend>
${OUTCOMES.map(
  (outcome) =>
    html`<label><input type="checkbox" id="show-${outcome}" checked> <span class="${outcome}">${outcome} ${summary[outcome]}</span></label>\n`,
)}
<label hidden>Find <input type="search" id="search" placeholder="id or words"></label>
</fieldset>
${toResults(results)}
${toMatrix(results)}
</main>
<script>${new Markup(script)}</script>
</body>
</html>
`.text;
}
