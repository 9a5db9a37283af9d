import { manifest } from '../manifest.ts';
import { listUnchecked, type Result } from '../results/result.ts';
import { type Markup, markup } from './markup.ts';
import {
  formatEvidence,
  groupByArea,
  listFacts,
  listIds,
  listProblems,
  listReasons,
  listViolations,
  type Problem,
} from './overview.ts';
import type { Report } from './verdict.ts';

/** The page loads nothing, not even from its own host, and runs no script. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** Renders the run as a self-contained page that begins with what to fix. */
export function toHtml(report: Report): string {
  const problems = listProblems(report);
  const shown = problems.map(({ cause }) => cause);
  const { verdict, exitCode, targets, startedAt, durationMs, seed, calls, results } = report;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>Conformance of ${[...new Set(targets.map(({ url }) => url))].join(' and ')}</title>
<style>${{ markup: STYLE }}</style>
</head>
<body>
<h1 class="${(['pass', 'fail', 'skip'] as const)[exitCode]}">${verdict.charAt(0).toUpperCase()}${verdict.slice(1)}</h1>
${targets.map(({ url, contract, version }) => markup`<p><code>${url}</code> checked against ${contract} ${version}</p>\n`)}
<p class="quiet">${startedAt}, ${(durationMs / 1000).toFixed(1)} s, ${calls} calls, @berth/conformance ${manifest.version}, seed ${seed}</p>
${problems.length > 0 ? markup`<h2>What to fix</h2>\n<ol>${problems.map(toProblem)}</ol>` : undefined}
${toList('Not checked', listReasons(results))}
${listFacts(report).map(([title, items]) => toList(title, items))}
<h2>All results</h2>
${groupByArea(results).map(([title, group]) => toTable(title, group, shown))}
</body>
</html>
`.markup;
}

function toProblem({ cause, others }: Problem): Markup {
  const { id, level, notes } = cause;
  return markup`<li id="${toAnchor(id)}"><h3>${id}${level === 'should' ? ' (SHOULD)' : ''}</h3>
${listViolations(cause).map(
  ({ sentence, messages }) => markup`<p>${toProse(sentence)}</p>
<p class="found">${messages.map((message) => markup`${message}<br>`)}</p>
`,
)}
<details><summary>The call, and how to repeat it</summary><pre>${formatEvidence(cause)}</pre></details>
${notes.map((note) => markup`<p>${note}</p>`)}
${others.length > 0 ? markup`<p class="quiet">Also fails, probably for the same reason: ${listIds(others)}</p>` : undefined}
</li>
`;
}

function toList(title: string, items: readonly string[]): Markup | undefined {
  if (items.length === 0) return undefined;
  return markup`<h2>${title}</h2>\n<ul>${items.map((item) => markup`<li>${item}</li>\n`)}</ul>\n`;
}

function toTable(title: string, results: readonly Result[], shown: readonly Result[]): Markup {
  const counts = [...Map.groupBy(results, ({ outcome }) => outcome)].map(
    ([outcome, { length }]) => `${length} ${outcome}`,
  );
  return markup`<details><summary>${title}: ${counts.join(', ')}</summary>
<table>${results.map((result) => toRow(result, shown.includes(result)))}</table>
</details>
`;
}

function toRow(result: Result, isShown: boolean): Markup {
  const { id, outcome, reason, statement, notes } = result;
  return markup`<tr><td class="${outcome}">${outcome}</td><td>${isShown ? markup`<a href="#${toAnchor(id)}">${id}</a>` : id}</td><td>${toProse(statement)}
${[reason ?? [], notes, listUnchecked(result)].flat().map((note) => markup`<p class="quiet">${note}</p>`)}
${outcome === 'fail' && !isShown ? markup`<pre>${formatEvidence(result)}</pre>` : undefined}</td></tr>
`;
}

/** An ID in HTML must not contain spaces, which those of transactions do. */
const toAnchor = (id: string): string => id.replaceAll(' ', '_');

function toProse(text: string) {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part : markup`<code>${part}</code>`));
}

/** Light and dark, and on narrow screens. */
const STYLE = `
:root {
  color-scheme: light dark;
  --quiet: light-dark(#57606d, #a3adba);
  --line: light-dark(#d5dae1, #39414d);
  --red: light-dark(#b3261e, #ff8a80);
  font: 15px / 1.5 system-ui, sans-serif;
}
body { margin: 0 auto; max-width: 65rem; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; }
h2 { margin: 2rem 0 .5rem; font-size: 1.2rem; border-bottom: 1px solid var(--line); }
h3, p { margin: .2rem 0; font-size: 1rem; }
ol > li { margin-bottom: 1.5rem; }
code, pre { font: .87em / 1.45 ui-monospace, monospace; }
pre { padding: .6rem; border: 1px solid var(--line); white-space: pre-wrap; }
.found { font-weight: 600; border-left: 3px solid var(--red); padding-left: .6rem; }
.pass { color: light-dark(#1a6e3c, #5fce8b); }
.fail, .error { color: var(--red); }
.skip { color: light-dark(#8a5a00, #f0b850); }
.quiet, .disabled { color: var(--quiet); }
summary { cursor: pointer; padding: .2rem 0; }
td { padding: .3rem .6rem .3rem 0; vertical-align: top; border-top: 1px solid var(--line); }
td:nth-child(2) { white-space: nowrap; }
@media (max-width: 45rem) { td, tr { display: block; } }
`;
