/** @import { Tab } from './types.d.ts' */
import { render } from 'lit-html';
import { call, clearRequests, follow, refresh } from './api.js';
import { change, onChange, state } from './store.js';
import { showPage, TABS } from './views/page.js';
import { copyCurl } from './views/request.js';
import { listShown } from './views/requests.js';

/** How often, while the page is visible, it reloads what calls can change. */
const REFRESH_MS = 2_000;
const tabs = /** @type {Tab[]} */ (Object.keys(TABS));

onChange(() => render(showPage(), document.body));

function readAddress() {
  const [tab = '', part] = location.hash.slice(1).split('/');
  change({ tab: tabs.find((one) => one === tab) ?? 'requests' });
  if (part === undefined) return;
  requestAnimationFrame(() => document.getElementById(`${tab}/${part}`)?.scrollIntoView());
}

/** @param {number} step */
function move(step) {
  const shown = listShown();
  const at = shown.findIndex(({ id }) => id === state.selected);
  const next = shown[Math.min(Math.max(at + step, 0), shown.length - 1)];
  if (next === undefined) return;
  change({ selected: next.id });
  requestAnimationFrame(() => {
    document
      .querySelector(`[data-id="${CSS.escape(next.id)}"]`)
      ?.scrollIntoView({ block: 'nearest' });
  });
}

/** @type {Record<string, () => unknown>} */
const KEYS = {
  j: () => move(1),
  k: () => move(-1),
  x: clearRequests,
  '?': () => change({ isHelpOpen: true }),
  '/': () => document.getElementById('filter')?.focus(),
  c() {
    const selected = state.requests.get(state.selected ?? '');
    if (selected) return copyCurl(selected);
  },
};
for (const [index, tab] of tabs.entries()) {
  KEYS[String(index + 1)] = () => {
    location.hash = tab;
  };
}

addEventListener('hashchange', readAddress);
addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    /** @type {HTMLElement} */ (document.activeElement)?.blur();
    change(state.isHelpOpen ? { isHelpOpen: false } : { selected: undefined });
    return;
  }
  const isTyping = /** @type {Element} */ (event.target).matches('input, select, textarea');
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const act = KEYS[event.key];
  if (act === undefined) return;
  event.preventDefault();
  act();
});

readAddress();
setInterval(() => {
  const isSeen = document.visibilityState === 'visible';
  if (isSeen && (state.tab === 'state' || state.tab === 'faults')) refresh();
}, REFRESH_MS);
await Promise.all([
  call('info').then((info) => change({ info })),
  call('contract').then((contract) => change({ contract })),
  follow(),
  refresh(),
]);
