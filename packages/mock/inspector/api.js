/** @import { FaultRule, Logged } from './types.d.ts' */
import { change, state, tell } from './store.js';

/** How many calls the page keeps. */
const MOST_REQUESTS = 1_000;

/**
 * Returns the URL of an endpoint of the control API, for the session of the page.
 *
 * @param {string} path
 */
export function toUrl(path) {
  const url = new URL(`api/${path}`, document.baseURI);
  if (state.session !== '') url.searchParams.set('session', state.session);
  return url;
}

/**
 * Calls the control API and shows an error message if that fails.
 *
 * @param {string} path
 * @param {string} [method]
 * @param {unknown} [body]
 * @returns {Promise<any>} undefined if the response has no content
 */
export async function call(path, method = 'GET', body) {
  try {
    const response = await fetch(toUrl(path), {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    if (response.status === 204) return undefined;
    const reply = await response.json();
    if (response.ok) return reply;
    tell(reply.detail ?? reply.title ?? `The mock responded with ${response.status}.`, true);
  } catch {
    tell('The mock does not respond. Is it still running?', true);
  }
  return undefined;
}

/** Reloads everything that a call can change. */
export async function refresh() {
  const [files, clock, faults, services] = await Promise.all(
    ['files', 'clock', 'faults', 'services'].map((path) => call(path)),
  );
  change({
    files: files?.files ?? state.files,
    clock: clock ?? state.clock,
    faults: faults?.faults ?? state.faults,
    services: services?.services ?? state.services,
    serviceFaults: (services?.faults ?? []).map(toSentence),
  });
}

/** @param {{ file?: string, line?: number, column?: number, message: string }} fault */
function toSentence({ file, line, column, message }) {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return place === '' ? message : `${place}: ${message}`;
}

/**
 * Changes the session and reloads it.
 *
 * @param {string} path
 * @param {string} method
 * @param {unknown} [body]
 */
export async function act(path, method, body) {
  await call(path, method, body);
  await refresh();
}

/** @type {EventSource | undefined} */
let source;

/** Subscribes to the session's calls, starting with those already in the log. */
export async function follow() {
  source?.close();
  const { requests = [] } = (await call('requests')) ?? {};
  change({ requests: new Map(requests.map((/** @type {Logged} */ one) => [one.id, one])) });
  source = new EventSource(toUrl('requests/stream'));
  source.onopen = () => change({ isLive: true });
  source.onerror = () => change({ isLive: false });
  source.onmessage = ({ data }) => put(JSON.parse(data));
}

/** @param {Logged} logged */
function put(logged) {
  const { requests } = state;
  requests.set(logged.id, logged);
  const [oldest] = requests.keys();
  if (requests.size > MOST_REQUESTS && oldest !== undefined) requests.delete(oldest);
  change({});
}

export async function clearRequests() {
  await call('requests', 'DELETE');
  change({ requests: new Map(), selected: undefined });
}

/** @param {FaultRule} rule */
export const putFault = (rule) =>
  act(`faults/${encodeURIComponent(rule.name)}`, 'PUT', { ...rule, name: undefined });
