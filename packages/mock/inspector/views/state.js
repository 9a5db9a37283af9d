import { html, nothing } from 'lit-html';
import { act, call, refresh } from '../api.js';
import { toSize } from '../format.js';
import { state, tell } from '../store.js';

export function showState() {
  return html`<div class="panels">
    ${showClock()} ${showFiles()} ${showSession()}
  </div>`;
}

function showClock() {
  const { clock } = state;
  return html`<section class="panel">
    <h2>Clock</h2>
    <p class="quiet">Links and upload grants expire according to this clock.</p>
    <p class="figure">
      ${clock ? new Date(clock.now).toISOString() : '…'}
      ${clock?.frozen ? html`<span class="badge warn">frozen</span>` : nothing}
      ${clock && clock.offset !== 0 ? html`<span class="badge warn">set</span>` : nothing}
    </p>
    <div class="bar">
      ${['1m', '1h', '1d'].map(
        (advance) =>
          html`<button @click=${() => act('clock', 'PUT', { advance })}>+ ${advance}</button>`,
      )}
      <button @click=${() => act('clock', 'PUT', { frozen: !clock?.frozen })}>
        ${clock?.frozen ? 'Resume' : 'Freeze'}
      </button>
      <button @click=${() => act('clock', 'DELETE')}>Back to now</button>
    </div>
  </section>`;
}

function showFiles() {
  return html`<section class="panel">
    <h2>Files <span class="quiet">${state.files.length}</span></h2>
    ${
      state.files.length === 0
        ? html`<p class="empty">No files yet. Uploaded files appear here.</p>`
        : html`<table class="files">
          <thead><tr><th>Path</th><th>Type</th><th>Size</th><th></th></tr></thead>
          <tbody>
            ${state.files.map(
              ({ path, contentType, size }) => html`<tr>
                <td><a href=${`api/${toFile(path)}`} download>${path}</a></td>
                <td class="quiet">${contentType}</td>
                <td class="quiet">${toSize(size)}</td>
                <td><button @click=${() => act(toFile(path), 'DELETE')} aria-label=${`Delete ${path}`}>Delete</button></td>
              </tr>`,
            )}
          </tbody>
        </table>`
    }
  </section>`;
}

/** @param {string} path */
function toFile(path) {
  const session = state.session === '' ? '' : `?session=${encodeURIComponent(state.session)}`;
  return `files/${path.split('/').map(encodeURIComponent).join('/')}${session}`;
}

function showSession() {
  return html`<section class="panel">
    <h2>Session</h2>
    <p>
      ${state.session === '' ? 'The default session' : state.session}: files, clock, faults, services and calls.
      To use another session, set the <code>X-Mock-Session</code> header.
    </p>
    <div class="bar">
      <button @click=${saveSnapshot}>Save snapshot</button>
      <label class="button">Restore…<input type="file" accept=".json,application/json" @change=${restore} hidden /></label>
      <button class="danger" @click=${() => act('reset', 'POST')}>Reset all</button>
    </div>
  </section>`;
}

async function saveSnapshot() {
  const snapshot = await call('snapshot');
  if (snapshot === undefined) return;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(
    new Blob([JSON.stringify(snapshot)], { type: 'application/json' }),
  );
  link.download = 'mock-snapshot.json';
  link.click();
  URL.revokeObjectURL(link.href);
}

/** @param {any} event */
async function restore({ target }) {
  const [file] = target.files;
  target.value = '';
  try {
    await call('restore', 'POST', JSON.parse(await file.text()));
  } catch {
    tell(`${file.name} is not a JSON file.`, true);
  }
  await refresh();
}
