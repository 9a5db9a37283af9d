// Shows the calls and the files of one session. Reads them from the control API once a second.

/**
 * @typedef {{ headers: Record<string, string | string[]>, body?: { text: string } | { base64: string }, bodyBytes: number }} Message
 * @typedef {{ id: string, at: number, reason?: string, faults: string[], request: Message & { method: string, target: string }, response?: Message & { status: number, ms: number } }} Logged
 */

const PAUSE_MS = 1_000;

/** The session that the page shows; empty for the default one. */
const session = new URLSearchParams(location.search).get('session') ?? '';

/** The calls on the page, by ID, with the JSON that they show. */
const shown = new Map();

watch();

async function watch() {
  for (;;) {
    try {
      const [health, log, stored] = await Promise.all(['health', 'requests', 'files'].map(read));
      showSessions(health.sessions);
      showCalls(log.requests);
      showFiles(stored.files);
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
  const url = new URL(`api/${path}`, document.baseURI);
  if (session !== '') url.searchParams.set('session', session);
  return url;
}

/** @param {string[]} names */
function showSessions(names) {
  const select = /** @type {HTMLSelectElement} */ (find('session'));
  const known = names.includes(session) ? names : [...names, session];
  if (known.length === select.options.length) return;
  select.replaceChildren(
    ...known.map((name) => new Option(name || 'default', name, false, name === session)),
  );
  select.onchange = () => {
    location.search = select.value && `?session=${encodeURIComponent(select.value)}`;
  };
}

/** @param {Logged[]} calls oldest first */
function showCalls(calls) {
  const list = find('calls');
  const ids = new Set(calls.map(({ id }) => id));
  for (const [id, { element }] of shown) {
    if (ids.has(id)) continue;
    element.remove();
    shown.delete(id);
  }
  for (const call of calls) {
    const text = JSON.stringify(call);
    const known = shown.get(call.id);
    if (known?.text === text) continue;
    const element = toElement(call);
    element.open = known?.element.open ?? false;
    if (known) known.element.replaceWith(element);
    else list.prepend(element);
    shown.set(call.id, { text, element });
  }
  find('no-calls').hidden = calls.length > 0;
}

/** @param {Logged} call */
function toElement({ at, reason, faults, request, response }) {
  const details = document.createElement('details');
  const time = new Date(at).toLocaleTimeString([], { hour12: false });
  const status = response ? `${response.status}` : '…';
  const summary = add(details, 'summary', '');
  summary.className = response && response.status >= 400 ? 'refused' : '';
  add(summary, 'time', time);
  add(summary, 'b', status);
  add(summary, 'code', `${request.method} ${request.target}`);
  if (response) add(summary, 'span', `${Math.round(response.ms)} ms`);
  if (faults.length > 0) add(summary, 'em', `Fault: ${faults.join(', ')}`);
  if (reason) add(details, 'p', reason);
  addMessage(details, 'Request', request);
  if (response) addMessage(details, 'Response', response);
  return details;
}

/**
 * @param {Element} parent
 * @param {string} title
 * @param {Message} message
 */
function addMessage(parent, title, { headers, body, bodyBytes }) {
  add(parent, 'h3', title);
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${value}`),
  );
  add(parent, 'pre', lines.join('\n'));
  if (body === undefined) return;
  const text = 'text' in body ? body.text : `${body.base64}\n(Base64)`;
  const rest = 'text' in body ? bodyBytes - new Blob([text]).size : 0;
  add(parent, 'pre', rest > 0 ? `${text}\n(${rest} more bytes)` : text);
}

/** @param {{ path: string, size: number, contentType: string, modified: string }[]} files */
function showFiles(files) {
  find('files').replaceChildren(
    ...files.map(({ path, size, contentType, modified }) => {
      const item = document.createElement('li');
      const link = /** @type {HTMLAnchorElement} */ (add(item, 'a', path));
      link.href = toUrl(`files/${path.split('/').map(encodeURIComponent).join('/')}`).href;
      const time = new Date(modified).toLocaleString();
      add(item, 'span', `${size} bytes, ${contentType}, ${time}`);
      return item;
    }),
  );
  find('no-files').hidden = files.length > 0;
}

/**
 * Adds an element. Calls contain what anybody sends, so nothing is ever added as HTML.
 *
 * @param {Element} parent
 * @param {string} name
 * @param {string} text
 */
function add(parent, name, text) {
  const element = document.createElement(name);
  element.textContent = text;
  parent.append(element);
  return element;
}

/** @param {string} id */
function find(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}
