import { listSources } from '../contract/rules.ts';
import { type ReceivedResponse, readHeader, type SentRequest } from '../http/exchange.ts';
import { manifest } from '../manifest.ts';
import { type Finding, OUTCOMES, type Outcome, type Result } from '../result.ts';
import { toGroups } from './baseline.ts';
import { toRepeat } from './to-curl.ts';
import { escapeXml } from './to-junit.ts';
import { listFacts, toBodyText, toHeaderLines, toVerdictPhrase } from './to-lines.ts';
import type { Report } from './to-report.ts';

class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Markup | undefined | readonly Part[];

/** The page loads nothing, not even from its own host, and runs no script. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** Renders the run as a self-contained page. */
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
${toProblems(report)}
<main>
<fieldset class="filters" id="results">
<legend>Show</legend>
${OUTCOMES.map(
  (outcome) =>
    html`<label><input type="checkbox" id="show-${outcome}"${outcome === 'pass' && summary.fail > 0 ? undefined : html` checked`}> <span class="${outcome}">${outcome} ${summary[outcome]}</span></label>\n`,
)}
</fieldset>
${toGroups(results).map(({ title, results: own }) => html`<h2>${title}</h2>\n${own.map(toDetails)}`)}
</main>
</body>
</html>
`.text;
}

/** Creates markup in which every other value is escaped; `undefined` becomes nothing. */
function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(strings.reduce((text, next, index) => text + render(parts[index - 1]) + next));
}

function render(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (part === undefined) return '';
  if (typeof part === 'object') return part.map(render).join('');
  return escapeXml(String(part));
}

const TARGETS: Record<Report['targets'][number]['api'], string> = {
  gateway: 'Gateway',
  storage: 'Storage API',
};

const COLORS: Record<Report['exitCode'], string> = { 0: 'pass', 1: 'fail', 3: 'skip', 4: 'error' };

/** Renders the verdict and the facts of the run. */
function toFacts(report: Report): Markup {
  const { exitCode, summary, targets, startedAt, durationMs, seed, results } = report;
  const facts: [string, string | Markup][] = [
    ...targets.map(({ api, url, contract, version }): [string, Markup] => [
      TARGETS[api],
      html`<code>${url}</code> <span class="quiet">by ${contract} ${version}</span>`,
    ]),
    ['Results', OUTCOMES.map((outcome) => `${summary[outcome]} ${outcome}`).join(', ')],
    [
      'Started',
      html`<time datetime="${startedAt}">${startedAt}</time>, ${(durationMs / 1000).toFixed(1)} s`,
    ],
    [
      'Suite',
      [
        `@berth/conformance ${manifest.version}`,
        ...(seed === undefined ? [] : [`seed ${seed}`]),
      ].join(', '),
    ],
    ...toLinks('Errors', results, 'error'),
    ...toLinks('Skipped', results, 'skip'),
    ...toLinks('Disabled', results, 'disabled'),
    ...toList('Declared deviations', report.declared),
    ...listFacts(report).flatMap(([title, items]) => toList(toTitle(title), items)),
  ];
  return html`<header style="--verdict: var(--${COLORS[exitCode]})">
<h1>${toHeadline(report)}</h1>
</header>
<dl>${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>`;
}

/** Checks that fail because of many other rules, so that they are worth reading only if nothing else fails. */
const SUMS: readonly string[] = ['ST-SEQUENCE'];

/** Maximum number of findings to show for a rule before its details. */
const MOST_SHOWN = 3;

/**
 * Renders what there is to fix: each broken rule with what was found first. Transactions, workflows and
 * sequences follow, because they usually fail for the same reasons: each with the rule that it proves, if that
 * rule fails too.
 */
function toProblems({ results, baseline }: Report): Markup | undefined {
  const failed = results.filter(
    ({ id, outcome }) => outcome === 'fail' && !baseline.known.includes(id),
  );
  const causes = failed.filter(({ id, engine }) => engine === 'rules' && !SUMS.includes(id));
  const shown = causes.length > 0 ? causes : failed;
  const others = failed.filter((result) => !shown.includes(result));
  const toLink = ({ id }: Result) =>
    html`<a class="id" href="#${encodeURIComponent(id)}">${id}</a>`;
  if (shown.length === 0) return undefined;
  const toLinks = (own: readonly Result[]) =>
    own.map((result, index) => [index > 0 ? ', ' : '', toLink(result)]);
  const items = shown.map((result) => {
    const { id, level, statement, findings } = result;
    const messages = [...new Set(findings.map(({ message }) => message))];
    const same = others.filter(({ rules: proved }) => proved.includes(id));
    return html`<li>${toLink(result)}${level === 'should' ? html` <span class="level">SHOULD</span>` : undefined}
${messages.slice(0, MOST_SHOWN).map((message) => html`<p>${message}</p>\n`)}
${messages.length > MOST_SHOWN ? html`<p class="quiet">… and ${messages.length - MOST_SHOWN} more findings</p>` : undefined}
${toCallLine(findings[0])}
<p class="quiet">Required: ${toProse(statement)}</p>
${same.length === 0 ? undefined : html`<p class="quiet">Also fails: ${toLinks(same)}</p>`}</li>\n`;
  });
  const rest = others.filter(({ rules: proved }) => !shown.some(({ id }) => proved.includes(id)));
  return html`<section class="problems">
<h2>What to fix</h2>
<ol>${items}</ol>
${rest.length === 0 ? undefined : html`<p>These also fail, probably for the same reasons: ${toLinks(rest)}.</p>`}
<p>To check one of them again, add <code>--only</code> with its ID to the command of this run.</p>
</section>`;
}

/** Renders the call of a finding, with the ID under which the deployment may have logged it. */
function toCallLine({ request, response }: Partial<Finding> = {}): Markup | undefined {
  if (request === undefined) return undefined;
  const id = response && readHeader(response, 'x-request-id');
  return html`<p class="quiet"><code>${request.method} ${request.url}</code>${response && ` returned ${response.status}`}${id && html`, request ID <code>${id}</code>`}</p>`;
}

function toHeadline(report: Report): string {
  const phrase = toVerdictPhrase(report);
  if (/^(follows|breaks)/.test(phrase)) return `The deployment ${phrase}`;
  return toTitle(phrase);
}

function toTitle(phrase: string): string {
  return phrase.charAt(0).toUpperCase() + phrase.slice(1);
}

function toList(name: string, items: readonly string[] = []): [string, string][] {
  return items.length === 0 ? [] : [[name, items.join(', ')]];
}

/** Renders the checks with an outcome, by the reason for it. */
function toLinks(name: string, results: readonly Result[], outcome: Outcome): [string, Markup][] {
  const found = results.filter((result) => result.outcome === outcome);
  const reasons = [...new Set(found.map(({ reason }) => reason))];
  const groups = reasons.map((reason) => {
    const own = found.filter((result) => result.reason === reason);
    const count = own.length === 1 ? '1 check' : `${own.length} checks`;
    const links = own.map(({ id }) => html`<a href="#${encodeURIComponent(id)}">${id}</a> `);
    return html`<details class="part"><summary>${count}${reason && `: ${reason}`}</summary>${links}</details>\n`;
  });
  return groups.length === 0 ? [] : [[name, html`${groups}`]];
}

function toDetails(result: Result): Markup {
  const { id, outcome, level, statement, reason, findings, notes, requests, assertions } = result;
  const sources = listSources(result.rules).join('; ');
  return html`<details id="${id}" class="is-${outcome}"${outcome === 'fail' ? html` open` : undefined}>
<summary><span class="outcome ${outcome}">${outcome}</span><span class="id">${id}</span><span class="level">${level.toUpperCase()}</span><span class="statement">${toProse(statement)}</span></summary>
<div>
${reason === undefined ? undefined : html`<p>${reason}</p>`}
${sources === '' ? undefined : html`<p class="quiet">Based on: ${sources}</p>`}
${toCalls(findings).map(toFindings)}
${notes.map((note) => html`<p>Note: ${note}</p>`)}
<p class="quiet">${requests} requests, ${assertions} assertions, ${result.durationMs} ms${result.operations.length > 0 ? `; ${result.operations.join(', ')}` : ''}</p>
</div>
</details>
`;
}

/** Renders words between backticks as code. */
function toProse(text: string): Markup {
  const parts = text.split('`');
  return html`${parts.map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}

/** Groups findings by call. */
function toCalls(findings: readonly Finding[]): Finding[][] {
  const calls = new Map<string, Finding[]>();
  for (const finding of findings) {
    const { request, response } = finding;
    const key = JSON.stringify([request, response]);
    calls.set(key, [...(calls.get(key) ?? []), finding]);
  }
  return [...calls.values()];
}

/** Renders what was found in one call, and the call. */
function toFindings(findings: readonly Finding[]): Markup {
  const [first] = findings as readonly [Finding];
  const { request, response } = first;
  const command = toRepeat(first);
  const places = [...new Set(findings.map(({ where }) => where))];
  return html`<div class="finding">
${findings.map(({ message }) => html`<p class="message">${message}</p>\n`)}
${places.map((where) => html`<p class="quiet"><code>${where}</code></p>\n`)}
${request && html`<h3>Request</h3>${toMessage(`${request.method} ${request.url}`, request)}`}
${response && html`<h3>Response</h3>${toMessage(`HTTP ${response.status}`, response)}`}
${command === '' ? undefined : html`<h3>Reproduce it</h3><pre tabindex="0">${command}</pre>`}
</div>
`;
}

function toMessage(start: string, message: SentRequest | ReceivedResponse): Markup {
  const lines = [
    start,
    ...toHeaderLines(message),
    ...(message.body === '' ? [] : ['', toBodyText(message)]),
  ];
  return html`<pre tabindex="0">${lines.join('\n')}</pre>`;
}

/** The style of the page: light and dark, in print, and on narrow screens. */
const style = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#fff, #14171c);
  --raised: light-dark(#f5f6f8, #1d2128);
  --line: light-dark(#d5dae1, #39414d);
  --ink: light-dark(#1c2128, #e4e8ee);
  --quiet: light-dark(#57606d, #a3adba);
  --accent: light-dark(#0b5cad, #6db3ff);
  --pass: light-dark(#1a6e3c, #5fce8b);
  --fail: light-dark(#b3261e, #ff8a80);
  --error: light-dark(#8e24aa, #e1a0f0);
  --skip: light-dark(#8a5a00, #f0b850);
  --disabled: light-dark(#5b6572, #98a3b1);
  font: 15px / 1.5 system-ui, sans-serif;
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 75rem; padding: 1rem; background: var(--ground); color: var(--ink); }
h1 { margin: 0; font-size: 1.6rem; line-height: 1.2; }
h2 { margin: 2rem 0 .5rem; font-size: 1.15rem; }
h2, details { scroll-margin-top: 4rem; }
p { overflow-wrap: anywhere; }
h3 { margin: 1rem 0 .25rem; font-size: 1rem; }
p { margin: .25rem 0; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
header { border-left: .4rem solid var(--verdict); padding: .25rem 0 .25rem 1rem; }
header h1 { color: var(--verdict); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 1rem 0; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
code, pre, .id { font: .87em / 1.45 ui-monospace, monospace; }
pre { margin: .25rem 0 .75rem; padding: .6rem; background: var(--raised); border: 1px solid var(--line);
  border-radius: 4px; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 24rem; overflow-y: auto; }
.problems li { margin: .75rem 0; }
.problems p { margin: .15rem 0; }
.filters { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: center; position: sticky; top: 0; z-index: 1;
  margin: 1.5rem 0 0; padding: .6rem 0; border: 0; border-bottom: 1px solid var(--line); background: var(--ground); }
.filters legend { position: absolute; clip-path: inset(50%); height: 1px; overflow: hidden; }
.filters label { display: flex; gap: .35rem; align-items: center; min-height: 1.75rem; }
.outcome { display: inline-block; min-width: 4.6rem; font-weight: 600; }
.pass { color: var(--pass); } .fail { color: var(--fail); } .error { color: var(--error); }
.skip { color: var(--skip); } .disabled, .info { color: var(--disabled); }
details { border-bottom: 1px solid var(--line); }
summary { display: grid; grid-template-columns: 4.6rem 15rem 4.5rem minmax(0, 1fr); gap: 0 .75rem; align-items: baseline;
  padding: .35rem .25rem; cursor: pointer; overflow-wrap: anywhere; }
summary:hover { background: var(--raised); }
td details, details.part { border: 0; }
details.part > summary { display: list-item; }
details.part h2 { display: inline; margin: 0; }
dd summary, td summary { display: list-item; padding: 0; }
summary .id { font-weight: 600; }
summary .level { color: var(--quiet); font-size: .85em; }
details[open] > summary { background: var(--raised); }
details > div { padding: .5rem .25rem 1rem 1rem; }
.finding { border-left: 3px solid var(--fail); padding-left: .8rem; margin: .8rem 0; }
.message { font-weight: 600; }
.quiet { color: var(--quiet); }
${['pass', 'fail', 'skip', 'disabled', 'error']
  .map(
    (outcome) =>
      `body:has(#show-${outcome}:not(:checked)) details.is-${outcome} { display: none; }`,
  )
  .join('\n')}
@media (max-width: 45rem) {
  summary { grid-template-columns: 4.6rem minmax(0, 1fr) auto; }
  h2, details { scroll-margin-top: 0; }
  summary .statement { grid-column: 1 / -1; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .4rem; }
  .filters { position: static; }
}
@media print {
  :root { color-scheme: light; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  .filters { display: none; }
  pre { max-height: none; }
  summary, tr { break-inside: avoid; }
}
`;
