/** @import { Logged } from '../types.d.ts' */
import { html, nothing } from 'lit-html';
import { clearRequests, toUrl } from '../api.js';
import { toTime, toVerdict } from '../format.js';
import { change, state } from '../store.js';
import { showRequest } from './request.js';

const FILTERS = /** @type {const} */ ({
  all: 'All',
  violations: 'Violations',
  unmatched: 'Unmatched',
  errors: 'Errors',
});

/** Calls that match the filter, newest first. */
export function listShown() {
  return [...state.requests.values()].filter(isShown).reverse();
}

/** @param {Logged} logged */
function isShown(logged) {
  const { request, response, service = '', operationId = '', matched } = logged;
  const text = `${request.method} ${request.target} ${response?.status} ${operationId} ${service}`;
  if (!text.toLowerCase().includes(state.text.toLowerCase())) return false;
  if (state.only === 'violations')
    return logged.violations.length + logged.responseViolations.length > 0;
  if (state.only === 'unmatched') return !matched;
  return state.only === 'all' || (response !== undefined && response.status >= 400);
}

export function showRequests() {
  const shown = listShown();
  const selected = state.requests.get(state.selected ?? '');
  return html`
    <div class="bar">
      <input
        type="search"
        id="filter"
        placeholder="Filter: path, method, status, operation  ( / )"
        aria-label="Filter calls"
        .value=${state.text}
        @input=${(/** @type {any} */ event) => change({ text: event.target.value })}
      />
      <div class="choices" role="group" aria-label="Show">
        ${Object.entries(FILTERS).map(
          ([only, name]) => html`<button
            aria-pressed=${state.only === only}
            @click=${() => change({ only: /** @type {keyof typeof FILTERS} */ (only) })}
          >${name}</button>`,
        )}
      </div>
      <button @click=${clearRequests}>Clear</button>
    </div>
    <div class=${selected ? 'split open' : 'split'}>
      ${shown.length === 0 ? showEmpty() : showTable(shown)}
      ${selected ? showRequest(selected) : nothing}
    </div>
  `;
}

/** @param {Logged[]} shown */
function showTable(shown) {
  return html`<div class="scroll"><table class="log">
    <thead><tr><th>Time</th><th>Call</th><th>Status</th><th>Took</th><th>Verdict</th></tr></thead>
    <tbody>${shown.map(showRow)}</tbody>
  </table></div>`;
}

/** @param {Logged} logged */
function showRow(logged) {
  const { id, at, request, response } = logged;
  const verdict = toVerdict(logged);
  return html`<tr
    data-id=${id}
    aria-selected=${state.selected === id}
    @click=${() => change({ selected: id })}
  >
    <td class="quiet">${toTime(at)}</td>
    <td class="target"><b>${request.method}</b> <span title=${request.target}>${toShort(logged)}</span></td>
    <td>${response ? html`<span class="status s${Math.floor(response.status / 100)}">${response.status}</span>` : '…'}</td>
    <td class="quiet">${response ? `${response.ms.toFixed(1)} ms` : ''}</td>
    <td><span class="badge ${verdict.kind}">${verdict.text}</span></td>
  </tr>`;
}

/**
 * Storage paths differ only in their last segment.
 *
 * @param {Logged} logged
 */
function toShort({ surface, request: { target } }) {
  return surface === 'storage' ? `…${target.slice(target.lastIndexOf('/'))}` : target;
}

function showEmpty() {
  return html`<div class="empty">
    <p>${state.requests.size === 0 ? 'No calls yet.' : 'No call matches the filter.'}</p>
    ${
      state.requests.size === 0 && state.info
        ? html`<p>Send the mock a request to see it here:</p>
          <pre>curl -H 'Authorization: Bearer any' ${state.info.url}/v1/cloudrun/hello</pre>`
        : nothing
    }
  </div>`;
}
