/** @import { Operation } from '../types.d.ts' */
import { html, nothing } from 'lit-html';
import { send } from '../send.js';
import { change, state } from '../store.js';
import { showMessage } from './request.js';

export function showTry() {
  const { contract, draft, reply } = state;
  if (contract === undefined) return html`<p class="empty">…</p>`;
  const operation = contract.operations.find(
    ({ operationId }) => operationId === draft.operationId,
  );
  return html`<div class="panels">
    <section class="panel" aria-label="Request">
      <form class="try" @submit=${send}>
        <label>
          Operation
          <select @change=${choose}>
            <option value="">Choose …</option>
            ${contract.operations.map(
              ({ operationId, method, path }) => html`<option
                value=${operationId}
                ?selected=${operationId === draft.operationId}
              >${operationId}: ${method} ${path}</option>`,
            )}
          </select>
        </label>
        ${operation ? showFields(operation) : nothing}
      </form>
    </section>
    ${
      reply
        ? html`<section class="panel" aria-label="Response">
            ${showMessage(reply.title, reply)}
            ${reply.id ? html`<button @click=${() => showInLog(reply.id)}>Show in the log</button>` : nothing}
          </section>`
        : nothing
    }
  </div>`;
}

/** @param {Operation} operation */
function showFields({ method, path, surface, summary }) {
  const { draft } = state;
  const toInput = (/** @type {string} */ name) => (/** @type {any} */ event) =>
    change({ draft: { ...draft, params: { ...draft.params, [name]: event.target.value } } });
  return html`
    ${summary ? html`<p class="quiet">${summary}</p>` : nothing}
    ${toParameters(path).map(
      (name) =>
        html`<label>${name} <input .value=${draft.params[name] ?? ''} @input=${toInput(name)} /></label>`,
    )}
    ${
      surface === 'upload'
        ? nothing
        : html`<label>
            Credentials
            <input
              .value=${draft.credentials}
              placeholder="none"
              @input=${(/** @type {any} */ event) => change({ draft: { ...draft, credentials: event.target.value } })}
            />
          </label>`
    }
    ${
      method === 'POST'
        ? html`<label>
            ${surface === 'upload' ? 'Form fields, from the last getUploadMetaData' : 'Body'}
            <textarea
              rows="10"
              spellcheck="false"
              .value=${draft.body}
              @input=${(/** @type {any} */ event) => change({ draft: { ...draft, body: event.target.value } })}
            ></textarea>
          </label>`
        : nothing
    }
    <div><button>Send</button></div>
  `;
}

/** @param {string} path */
function toParameters(path) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => /** @type {string} */ (name));
}

/** Values of path parameters to start with. */
const EXAMPLES = { name: 'hello', anyPath: 'a/b?x=1' };

/** @param {any} event */
function choose({ target }) {
  const { contract, info, grant } = state;
  const operation = contract?.operations.find(({ operationId }) => operationId === target.value);
  const isStorage = operation?.surface === 'storage';
  const body =
    operation?.surface === 'upload' ? (grant?.form ?? operation.request) : operation?.request;
  change({
    reply: undefined,
    draft: {
      operationId: target.value,
      params: { ...EXAMPLES, envId: info?.env ?? '' },
      credentials: isStorage ? '1.0 any' : 'Bearer any',
      body: body === undefined ? '' : JSON.stringify(body, null, 2),
    },
  });
}

/** @param {string | undefined} id */
function showInLog(id) {
  change({ selected: id });
  location.hash = 'requests';
}
