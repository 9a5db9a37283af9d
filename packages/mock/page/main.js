// Shows the calls and the files of one session. Reads them from the control API once a second.

/**
 * @typedef {{ id: string, time: string, method: string, target: string, operationId?: string, service?: string,
 *   status?: number, ms?: number, reason?: string, faults: string[], curl: string }} Call
 * @typedef {{ path: string, size: number, contentType: string }} StoredFile
 */

const PAUSE_MS = 1_000;

const MAX_CALLS = 200;

/** The session that the page shows; empty for the default one. */
const session = new URLSearchParams(location.search).get('session') ?? '';

/** What the tables and the list of sessions show, so that they are redrawn only when it changes. @type {Record<string, string>} */
const shown = {};

watch();

async function watch() {
  for (;;) {
    try {
      const paths = ['health', `requests?limit=${MAX_CALLS}`, 'files'];
      const [health, log, stored] = await Promise.all(paths.map(read));
      showSessions(health.sessions);
      showRows('calls', log.requests.reverse(), toCallCells);
      showRows('files', stored.files, toFileCells);
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

/** @param {string[]} names */
function showSessions(names) {
  const select = /** @type {HTMLSelectElement} */ (find('session'));
  const known = [...new Set([...names, session])].sort();
  const text = JSON.stringify(known);
  if (shown.session === text) return;
  shown.session = text;
  select.replaceChildren(
    ...known.map((name) => new Option(name || 'default', name, false, name === session)),
  );
  select.onchange = () => {
    location.search = select.value && `?session=${encodeURIComponent(select.value)}`;
  };
}

/**
 * @template Row
 * @param {string} name
 * @param {Row[]} rows
 * @param {(row: Row) => (string | Element)[]} toCells
 */
function showRows(name, rows, toCells) {
  const text = JSON.stringify(rows);
  if (shown[name] === text) return;
  shown[name] = text;
  find(name).replaceChildren(
    ...rows.map((row) => {
      const line = document.createElement('tr');
      for (const cell of toCells(row)) create('td', '', line).append(cell);
      return line;
    }),
  );
  find(`no-${name}`).hidden = rows.length > 0;
}

/** @param {Call} call */
function toCallCells(call) {
  const { time, method, target, operationId, service, status, ms, reason, faults, curl } = call;
  const what = create('div', '');
  create('code', `${method} ${target}`, what);
  if (reason) create('div', reason, what).className = 'refused';
  if (faults.length > 0) create('div', `Fault: ${faults.join(', ')}`, what);
  const button = create('button', 'Copy as curl');
  button.onclick = async () => {
    await navigator.clipboard.writeText(curl);
    button.textContent = 'Copied';
  };
  return [
    new Date(time).toLocaleTimeString([], { hour12: false }),
    `${status ?? '…'}`,
    what,
    [operationId, service].filter(Boolean).join(', '),
    ms === undefined ? '' : `${ms} ms`,
    button,
  ];
}

/** @param {StoredFile} file */
function toFileCells({ path, size, contentType }) {
  const link = document.createElement('a');
  link.textContent = path;
  link.href = toUrl(`files/${path.split('/').map(encodeURIComponent).join('/')}`).href;
  return [link, `${size} bytes`, contentType];
}

/**
 * Creates an element. Calls contain what anybody sends, so nothing is ever added as HTML.
 *
 * @param {string} name
 * @param {string} text
 * @param {Element} [parent]
 */
function create(name, text, parent) {
  const element = document.createElement(name);
  element.textContent = text;
  parent?.append(element);
  return element;
}

/** @param {string} id */
function find(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}
