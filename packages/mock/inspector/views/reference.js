/** @import { ErrorCode, Operation } from '../types.d.ts' */
import { html, nothing } from 'lit-html';
import { state } from '../store.js';

export function showReference() {
  const { contract } = state;
  if (contract === undefined) return html`<p class="empty">…</p>`;
  return html`<div class="reference">
    <nav aria-label="Operations">
      ${contract.operations.map(
        ({ operationId }) => html`<a href="#reference/${operationId}">${operationId}</a>`,
      )}
      <a href="#reference/errors">Errors</a>
      <a href="#reference/documents">Documents</a>
    </nav>
    <div>
      ${contract.operations.map(showOperation)}
      <article id="reference/errors">
        <h2>Errors</h2>
        ${Object.entries(contract.errors).map(([surface, codes]) => showErrors(surface, codes))}
      </article>
      <article id="reference/documents">
        <h2>Documents</h2>
        <ul>
          ${contract.documents.map(
            ({ path, title, type }) =>
              html`<li><a href=${path} download>${title}</a> <span class="quiet">${type}</span></li>`,
          )}
        </ul>
      </article>
    </div>
  </div>`;
}

/** @param {Operation} operation */
function showOperation({
  operationId,
  surface,
  method,
  path,
  summary,
  description,
  request,
  examples,
}) {
  return html`<article id="reference/${operationId}">
    <h2><b>${method}</b> ${path}</h2>
    <p class="quiet">${operationId} · ${surface}</p>
    ${summary ? html`<p>${summary}</p>` : nothing}
    ${description ? html`<p class="prose">${description}</p>` : nothing}
    ${request === undefined ? nothing : showJson('Request', request)}
    ${Object.entries(examples ?? {}).map(([name, value]) => showJson(`Example ${name}`, value))}
  </article>`;
}

/**
 * @param {string} title
 * @param {unknown} value
 */
function showJson(title, value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return html`<details><summary>${title}</summary><pre>${text}</pre></details>`;
}

/**
 * @param {string} surface
 * @param {ErrorCode[]} codes
 */
function showErrors(surface, codes) {
  return html`<h3>${surface}</h3>
    <table>
      <tbody>
        ${codes.map(
          ({ code, status, message }) =>
            html`<tr><td><code>${code}</code></td><td>${status}</td><td>${message}</td></tr>`,
        )}
      </tbody>
    </table>`;
}
