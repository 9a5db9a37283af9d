// Shows the calls and the files of one session. Reads them from the control API once a second.

/**
 * @typedef {{ time: string, method: string, target: string, operationId?: string, service?: string,
 *   status?: number, ms?: number, reason?: string, faults: string[], curl: string }} Call
 * @typedef {{ path: string, size: number, contentType: string }} StoredFile
 */

const PAUSE_MS = 1_000;

const MAX_CALLS = 200;

/** The session that the page shows; empty for the default one. */
const session = new URLSearchParams(location.search).get('session') ?? '';

/** What is on the page as JSON, so that it is redrawn only when it changes. @type {Record<string, string>} */
const shown = {};

watch();

async function watch() {
  for (;;) {
    try {
      const paths = [`requests?limit=${MAX_CALLS}`, 'sessions', 'files'];
      const [log, known, stored] = await Promise.all(paths.map(read));
      show('session', [...new Set([...known.sessions, session])].sort(), toOption);
      show('calls', log.requests.reverse(), toCallRow);
      show('files', stored.files, toFileRow);
      find('no-calls').hidden = log.requests.length > 0;
      find('no-files').hidden = stored.files.length > 0;
      find('notice').textContent = '';
    } catch {
      find('notice').textContent = 'The mock does not respond. Is it still running?';
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** @param {string} path */
async function read(path) {
  const response = await fetch(toUrl(path));
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

/** @param {string} path path of the control API, for the session of the page */
function toUrl(path) {
  const url = new URL(path, document.baseURI);
  if (session !== '') url.searchParams.set('session', session);
  return url;
}

/** @type {<Item>(id: string, items: Item[], toElement: (item: Item) => Element) => void} */
function show(id, items, toElement) {
  const text = JSON.stringify(items);
  if (shown[id] === text) return;
  shown[id] = text;
  find(id).replaceChildren(...items.map(toElement));
}

find('session').onchange = ({ target }) => {
  const { value } = /** @type {HTMLSelectElement} */ (target);
  location.search = value && `?session=${encodeURIComponent(value)}`;
};

/** @param {string} name */
function toOption(name) {
  return new Option(name || 'default', name, false, name === session);
}

/** @param {Call} call */
function toCallRow(call) {
  const { status, ms, reason, faults } = call;
  const what = create('div', [create('code', [`${call.method} ${call.target}`])]);
  if (reason) what.append(create('p', [reason]));
  if (faults.length > 0) what.append(create('div', [`Fault: ${faults.join(', ')}`]));
  const button = create('button', ['Copy as curl']);
  button.onclick = async () => {
    await navigator.clipboard.writeText(call.curl);
    button.textContent = 'Copied';
  };
  return toRow([
    new Date(call.time).toLocaleTimeString([], { hour12: false }),
    `${status ?? '…'}`,
    what,
    [call.operationId, call.service].filter(Boolean).join(', '),
    ms === undefined ? '' : `${ms} ms`,
    button,
  ]);
}

/** @param {StoredFile} file */
function toFileRow({ path, size, contentType }) {
  const link = document.createElement('a');
  link.textContent = path;
  link.href = toUrl(`files/${path.split('/').map(encodeURIComponent).join('/')}`).href;
  return toRow([link, `${size} bytes`, contentType]);
}

/** @param {(string | Element)[]} cells */
function toRow(cells) {
  const columns = cells.map((cell) => create('td', [cell]));
  return create('tr', columns);
}

// Calls contain untrusted input, so nothing is ever added as HTML.
/** @type {(name: string, content: (string | Element)[]) => HTMLElement} */
function create(name, content) {
  const element = document.createElement(name);
  element.append(...content);
  return element;
}

/** @param {string} id */
function find(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}
