import { rules } from '../../checks/rules.ts';
import type { Answer, SentRequest } from '../../http-messages.ts';
import type { Finding, Result } from '../../result.ts';
import { toGroups } from '../groups.ts';
import { toCurl } from '../to-curl.ts';
import { toBodyText, toHeaderLines } from '../to-evidence-text.ts';
import { html, type Markup } from './html.ts';

/** Every result, under the part of the contract that it belongs to. */
export function toResults(results: readonly Result[]): Markup {
  return html`${toGroups(results).map(
    ({ title, results: own }) => html`<h2>${title}</h2>\n${own.map(toDetails)}`,
  )}`;
}

function toDetails(result: Result): Markup {
  const { id, outcome, level, statement, reason, findings, notes, requests, assertions } = result;
  return html`<details id="${id}" class="is-${outcome}"${outcome === 'fail' ? html` open` : undefined}>
<summary><span class="outcome ${outcome}">${outcome}</span><span class="id">${id}</span><span class="level">${level.toUpperCase()}</span><span class="statement">${toProse(statement)}</span></summary>
<div>
${reason === undefined ? undefined : html`<p>${reason}</p>`}
${toSources(result)}
${findings.map(toFinding)}
${notes.map((note) => html`<p>Note: ${note}</p>`)}
<p class="quiet">${requests} requests, ${assertions} statements tested, ${result.durationMs} ms${result.operations.length > 0 ? `; ${result.operations.join(', ')}` : ''}</p>
</div>
</details>
`;
}

/** Words between backticks are code. */
function toProse(text: string): Markup {
  const parts = text.split('`');
  return html`${parts.map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}

function toSources({ rules: ids }: Result): Markup | undefined {
  const found = rules.filter(({ id }) => ids.includes(id));
  const parts = found.flatMap(({ source, decisions }) => [...source, ...decisions]);
  if (parts.length === 0) return undefined;
  return html`<p class="quiet">Stands on: ${[...new Set(parts)].join('; ')}</p>`;
}

function toFinding({ message, where, request, answer }: Finding): Markup {
  return html`<div class="finding">
<p>${message}</p>
<p class="quiet"><code>${where}</code></p>
${request && html`<h3>Sent</h3>${toMessage(`${request.method} ${request.url}`, request)}`}
${answer && html`<h3>Came</h3>${toMessage(`HTTP ${answer.status}`, answer)}`}
${request && html`<h3>Repeat it</h3><pre tabindex="0">${toCurl(request)}</pre>`}
</div>
`;
}

function toMessage(start: string, message: SentRequest | Answer): Markup {
  const lines = [
    start,
    ...toHeaderLines(message),
    ...(message.body === '' ? [] : ['', toBodyText(message)]),
  ];
  return html`<pre tabindex="0">${lines.join('\n')}</pre>`;
}
