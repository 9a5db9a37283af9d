/** @import { Tab } from '../types.d.ts' */
import { html, nothing } from 'lit-html';
import { change, state } from '../store.js';
import { showFaults } from './faults.js';
import { showReference } from './reference.js';
import { showRequests } from './requests.js';
import { showState } from './state.js';
import { showTry } from './try.js';

/** @type {Record<Tab, { name: string, show: () => unknown }>} */
export const TABS = {
  requests: { name: 'Requests', show: showRequests },
  try: { name: 'Try it', show: showTry },
  state: { name: 'State', show: showState },
  faults: { name: 'Faults', show: showFaults },
  reference: { name: 'Reference', show: showReference },
};

const KEYS = {
  '1 2 3 4 5': 'switch pages',
  'j k': 'next or previous call',
  '/': 'filter',
  c: 'copy the call as curl',
  x: 'clear the log',
  Esc: 'close',
  '?': 'show these keys',
};

export function showPage() {
  const { info, isLive, notice, isHelpOpen } = state;
  return html`
    <header class="top">
      <h1>Berth mock <span class="quiet">${info?.version}</span></h1>
      <nav aria-label="Pages">
        ${Object.entries(TABS).map(
          ([tab, { name }]) =>
            html`<a href="#${tab}" aria-current=${state.tab === tab ? 'page' : nothing}>${name}</a>`,
        )}
      </nav>
      <div class="quiet">
        ${info ? html`env <b>${info.env}</b>` : nothing}
        <span class=${isLive ? 'live on' : 'live'}>${isLive ? 'live' : 'disconnected'}</span>
        <button @click=${() => change({ isHelpOpen: true })} aria-label="Keys">?</button>
      </div>
    </header>
    <main>${TABS[state.tab].show()}</main>
    ${notice ? html`<p class=${notice.isFailure ? 'notice bad' : 'notice'} role="status">${notice.text}</p>` : nothing}
    ${isHelpOpen ? showHelp() : nothing}
  `;
}

function showHelp() {
  return html`<div class="help" role="dialog" aria-label="Keys" @click=${() => change({ isHelpOpen: false })}>
    <dl>
      ${Object.entries(KEYS).map(([key, what]) => html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`)}
    </dl>
  </div>`;
}
