import { manifest } from '../../cli/manifest.ts';
import { OUTCOMES, type Outcome, type Result } from '../../result.ts';
import type { Report } from '../to-report.ts';
import { toVerdictPhrase } from '../to-summary-line.ts';
import { html, type Markup } from './html.ts';

const COLORS: Record<Report['exitCode'], string> = { 0: 'pass', 1: 'fail', 3: 'skip', 4: 'error' };

/** The verdict, and what the run was. */
export function toFacts(report: Report): Markup {
  const { exitCode, summary, targets, startedAt, durationMs, seed, rules, comparison, results } =
    report;
  const facts: [string, string | Markup][] = [
    ...targets.map(({ api, url, contract, version }): [string, Markup] => [
      api === 'gateway' ? 'Gateway' : 'Storage API',
      html`<code>${url}</code> <span class="quiet">by ${contract} ${version}</span>`,
    ]),
    ['Results', OUTCOMES.map((outcome) => `${summary[outcome]} ${outcome}`).join(', ')],
    [
      'Begun',
      html`<time datetime="${startedAt}">${startedAt}</time>, ${(durationMs / 1000).toFixed(1)} s`,
    ],
    ['Suite', `@berth/conformance ${manifest.version}, rules ${rules}, seed ${seed}`],
    ...toLinks('Failed', results, 'fail'),
    ...toLinks('Errors', results, 'error'),
    ...toLinks('Skipped', results, 'skip'),
    ...toLinks('Disabled', results, 'disabled'),
    ...toList('Declared deviations', report.declared),
    ...toList('Known failures', report.baseline.known),
    ...toList('Stale in the baseline', report.baseline.stale),
    ...toList('Newly failing', comparison?.newlyFailing),
    ...toList('Newly passing', comparison?.newlyPassing),
    ...toList('Still failing', comparison?.stillFailing),
    ...toList('Left behind', report.leftovers),
  ];
  return html`<header style="--verdict: var(--${COLORS[exitCode]})">
<h1>${toHeadline(toVerdictPhrase(report))}</h1>
</header>
<dl>${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>`;
}

function toHeadline(phrase: string): string {
  if (/^(keeps|breaks)/.test(phrase)) return `The deployment ${phrase}`;
  return phrase.charAt(0).toUpperCase() + phrase.slice(1);
}

function toList(name: string, items: readonly string[] = []): [string, string][] {
  return items.length === 0 ? [] : [[name, items.join(', ')]];
}

function toLinks(name: string, results: readonly Result[], outcome: Outcome): [string, Markup][] {
  const links = results
    .filter((result) => result.outcome === outcome)
    .map(({ id }) => html`<a href="#${encodeURIComponent(id)}">${id}</a> `);
  return links.length === 0 ? [] : [[name, html`${links}`]];
}
