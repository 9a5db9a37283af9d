import contract from '@berth/spec/rules.json' with { type: 'json' };
import type { Outcome, Result } from '../../result.ts';
import { html, type Markup } from './html.ts';

interface Written {
  id: string;
  level: string;
  source?: string[];
  decisions?: string[];
}

const WRITTEN: readonly Written[] = contract.rules;
/** What a line comes to is the first of these that one of its rules came to. */
const WORST: readonly Outcome[] = ['fail', 'error', 'skip', 'disabled', 'pass'];

/** Every line of the API description and every decision, its rules, and what came of them in this run. */
export function toMatrix(results: readonly Result[]): Markup {
  const outcomes = new Map(results.map(({ id, outcome }) => [id, outcome]));
  const decisions = Object.keys(contract.decisions);
  return html`<h2 id="matrix">Traceability</h2>
<p class="quiet">Every line of the API description and every decision, with its rules and what came of them in this run.</p>
${toTable('Line', contract.outline, ({ source = [] }) => source, outcomes)}
${toTable('Decision', decisions, (rule) => rule.decisions ?? [], outcomes)}`;
}

function toTable(
  heading: string,
  lines: readonly string[],
  linesOf: (rule: Written) => string[],
  outcomes: ReadonlyMap<string, Outcome>,
): Markup {
  const rows = lines.map((line) => {
    const own = WRITTEN.filter((rule) => linesOf(rule).includes(line));
    const found = own.map(({ id }) => outcomes.get(id));
    const worst = WORST.find((outcome) => found.includes(outcome)) ?? 'info';
    return html`<tr><th scope="row">${line}</th><td class="rules">${own.map(({ id }) => toRule(id, outcomes.get(id)))}</td><td class="${worst}">${worst}</td></tr>\n`;
  });
  return html`<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">${heading}</th><th scope="col">Rules</th><th scope="col">Outcome</th></tr></thead>
<tbody>${rows}</tbody></table></div>
`;
}

/** Rules of level info are not checked, so nothing stands on the page that a link could lead to. */
function toRule(id: string, outcome: Outcome | undefined): Markup {
  if (outcome === undefined) return html`<span class="id info">${id}</span>`;
  return html`<span><a class="id" href="#${id}">${id}</a> <span class="${outcome}">${outcome}</span></span>`;
}
