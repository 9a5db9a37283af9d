import { html, nothing } from 'lit-html';
import { act, putFault } from '../api.js';
import { FAULT_KINDS } from '../fault-kinds.js';
import { state, tell } from '../store.js';

export function showFaults() {
  return html`<div class="panels">${showRules()} ${showServices()}</div>`;
}

function showRules() {
  return html`<section class="panel">
    <h2>Faults <span class="quiet">${state.faults.length}</span></h2>
    <p class="quiet">Applied to every call in this session. For a single call, use the header <code>X-Mock-Fault</code>.</p>
    ${
      state.faults.length === 0
        ? nothing
        : html`<table>
          <tbody>
            ${state.faults.map(
              ({ name, match = 'every call', share = 1, fault }) => html`<tr>
                <td>${match}</td>
                <td><code>${JSON.stringify(fault)}</code></td>
                <td class="quiet">${share < 1 ? `${share * 100} %` : ''}</td>
                <td><button @click=${() => act(`faults/${encodeURIComponent(name)}`, 'DELETE')}>Remove</button></td>
              </tr>`,
            )}
          </tbody>
        </table>`
    }
    <form class="bar" @submit=${addFault}>
      <select name="match" aria-label="Calls">
        <option value="">Every call</option>
        ${['gateway', 'storage', 'upload', 'link'].map((name) => html`<option>${name}</option>`)}
        ${state.contract?.operations.map(({ operationId }) => html`<option>${operationId}</option>`)}
        ${Object.keys(state.services).map((name) => html`<option>service:${name}</option>`)}
      </select>
      <select name="kind" aria-label="Fault">
        ${Object.entries(FAULT_KINDS).map(([kind, { label }]) => html`<option value=${kind}>${label}</option>`)}
      </select>
      <input name="value" list="codes" placeholder="value" aria-label="Value" size="16" />
      <datalist id="codes">${listCodes().map((code) => html`<option>${code}</option>`)}</datalist>
      <input name="share" type="number" min="0" max="100" value="100" aria-label="Percentage of calls" /> %
      <button>Add</button>
    </form>
  </section>`;
}

/** @param {any} event */
async function addFault(event) {
  event.preventDefault();
  const form = new FormData(event.target);
  const kind = String(form.get('kind'));
  const value = String(form.get('value'));
  const { example, label = kind } = FAULT_KINDS[kind] ?? {};
  if (example !== undefined && value === '') {
    tell(`${label} needs a value, for example ${example}.`, true);
    return;
  }
  const match = String(form.get('match'));
  const fault = example === undefined ? kind : `${kind}=${value}`;
  await putFault({
    name: `${match || 'every call'}: ${fault}`,
    ...(match !== '' && { match }),
    share: Number(form.get('share')) / 100,
    fault,
  });
}

/** The codes in all error tables. */
function listCodes() {
  const tables = Object.values(state.contract?.errors ?? {});
  return [...new Set(tables.flat().map(({ code }) => code))].sort();
}

function showServices() {
  const services = Object.entries(state.services);
  return html`<section class="panel">
    <h2>Services <span class="quiet">${services.length}</span></h2>
    ${
      state.serviceFaults.length === 0
        ? nothing
        : html`<div class="violations">
            <h3>Still using the last valid version</h3>
            ${state.serviceFaults.map((text) => html`<p>${text}</p>`)}
          </div>`
    }
    <p class="quiet">While a service is in one of these states, every call to it fails with that error.</p>
    <table>
      <tbody>
        ${services.map(
          ([name, { routes = [], state: current }]) => html`<tr>
            <td><b>${name}</b></td>
            <td class="quiet">${routes.join(' · ')}</td>
            <td>
              <select
                aria-label=${`State of ${name}`}
                @change=${(/** @type {any} */ event) => setState(name, event.target.value)}
              >
                <option value="" ?selected=${current === undefined}>ready</option>
                ${(state.contract?.errors.gateway ?? []).map(
                  ({ code }) => html`<option ?selected=${current?.code === code}>${code}</option>`,
                )}
              </select>
            </td>
          </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}

/**
 * @param {string} name
 * @param {string} code empty for ready
 */
function setState(name, code) {
  const path = `services/${encodeURIComponent(name)}/state`;
  return code === '' ? act(path, 'DELETE') : act(path, 'PUT', { code });
}
