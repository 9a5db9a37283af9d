/** @import { Logged, Message, Violation } from '../types.d.ts' */
import { html, nothing } from 'lit-html';
import { toCurl, toSize, toText } from '../format.js';
import { change, tell } from '../store.js';

/**
 * Details of one call.
 *
 * @param {Logged} logged
 */
export function showRequest(logged) {
  const { request, response, violations, responseViolations } = logged;
  return html`<section class="detail" aria-label="Call">
    <header>
      <h2><b>${request.method}</b> ${request.target}</h2>
      <div>
        <button @click=${() => copyCurl(logged)} title="c">Copy as curl</button>
        <button @click=${() => change({ selected: undefined })} title="Esc" aria-label="Close">✕</button>
      </div>
    </header>
    <dl>
      <dt>Operation</dt>
      <dd>${logged.operationId ?? 'none: the contract has no operation with this method and path'}</dd>
      ${logged.service ? html`<dt>Service</dt><dd>${logged.service}</dd>` : nothing}
      <dt>Request ID</dt>
      <dd><code>${logged.id}</code></dd>
      ${logged.faults.length > 0 ? html`<dt>Faults</dt><dd>${logged.faults.join(', ')}</dd>` : nothing}
    </dl>
    ${showViolations('The request breaks the contract', violations)}
    ${showViolations("The mock's response breaks the contract", responseViolations)}
    ${showMessage('Request', request)}
    ${response ? showMessage(`Response ${response.status}`, response) : nothing}
  </section>`;
}

/**
 * @param {string} title
 * @param {readonly Violation[]} violations
 */
function showViolations(title, violations) {
  if (violations.length === 0) return nothing;
  return html`<div class="violations">
    <h3>${title}</h3>
    <ul>
      ${violations.map(
        ({ in: where, pointer, keyword, message, schemaPath }) => html`<li>
          <p>${message}</p>
          <p class="quiet">
            <code>${where}${pointer}</code> · <code>${keyword}</code> · contract: <code>${schemaPath}</code>
          </p>
        </li>`,
      )}
    </ul>
  </div>`;
}

/**
 * @param {string} title
 * @param {Message} message
 */
export function showMessage(title, message) {
  const text = toText(message);
  return html`<details open>
    <summary>${title} <span class="quiet">${toSize(message.bodyBytes)}</span></summary>
    <table class="headers">
      ${Object.entries(message.headers).map(
        ([name, value]) => html`<tr><th>${name}</th><td>${[value].flat().join(', ')}</td></tr>`,
      )}
    </table>
    ${text ? html`<pre>${text}</pre>` : nothing}
  </details>`;
}

/** @param {Logged} logged */
export async function copyCurl(logged) {
  try {
    await navigator.clipboard.writeText(toCurl(logged));
    tell('Copied. The log does not store credentials: add your own.');
  } catch {
    tell('The browser blocked access to the clipboard.', true);
  }
}
