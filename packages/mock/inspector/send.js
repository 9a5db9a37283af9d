/** @import { Operation } from './types.d.ts' */
import { change, state, tell } from './store.js';

/** How much of a response the page shows, in characters; an event stream may never end. */
const MOST_TEXT = 65_536;

/** @type {AbortController | undefined} */
let stop;

/**
 * Sends the call of the form, and shows its response as it arrives.
 *
 * @param {Event} event
 */
export async function send(event) {
  event.preventDefault();
  const { contract, draft } = state;
  const operation = contract?.operations.find(
    ({ operationId }) => operationId === draft.operationId,
  );
  if (operation === undefined) return;
  stop?.abort();
  const own = new AbortController();
  stop = own;
  try {
    const { method } = operation;
    const init = { method, ...toContent(operation), signal: own.signal };
    const response = await fetch(toTarget(operation), init);
    await show(response);
    keepGrant();
  } catch (error) {
    if (!own.signal.aborted) tell(String(error), true);
  }
}

/** @param {Operation} operation */
function toTarget({ path, surface }) {
  const { grant, draft } = state;
  const { params } = draft;
  if (surface === 'upload' && grant !== undefined) return grant.target;
  return path.replace(/\{(\w+)\}/g, (_, name) =>
    name === 'anyPath' ? (params[name] ?? '') : encodeURIComponent(params[name] ?? ''),
  );
}

/**
 * @param {Operation} operation
 * @returns {{ headers: Record<string, string>, body?: string | FormData }}
 */
function toContent({ method, surface }) {
  const { session, info, draft } = state;
  /** @type {Record<string, string>} */
  const headers = session === '' ? {} : { 'x-mock-session': session };
  if (surface === 'upload') {
    const form = new FormData();
    for (const [name, value] of Object.entries(JSON.parse(draft.body))) {
      form.append(name, name === 'file' ? new Blob([String(value)]) : String(value));
    }
    return { headers, body: form };
  }
  if (draft.credentials !== '' && info !== undefined) {
    const { authorization, timestamp } = info.names.storageHeaders;
    headers[surface === 'storage' ? authorization : 'authorization'] = draft.credentials;
    if (surface === 'storage') headers[timestamp] = String(Math.floor(Date.now() / 1000));
  }
  if (method !== 'POST') return { headers };
  return { headers: { ...headers, 'content-type': 'application/json' }, body: draft.body };
}

/** @param {Response} response */
async function show(response) {
  const { ok: isOk, status, statusText, body } = response;
  const headers = Object.fromEntries(response.headers);
  const title = `Response ${status} ${statusText}`;
  let text = '';
  let bodyBytes = 0;
  const update = () =>
    change({
      reply: { title, isOk, id: headers['x-request-id'], headers, body: { text }, bodyBytes },
    });
  update();
  if (body === null) return;
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done || text.length > MOST_TEXT) break;
    bodyBytes += value.length;
    text += decoder.decode(value, { stream: true });
    update();
  }
  await reader.cancel();
}

/** Keeps the grant in a response of `getUploadMetaData`, for the form of the upload. */
function keepGrant() {
  const { draft, info, reply } = state;
  if (draft.operationId !== 'getUploadMetaData' || info === undefined || !reply?.isOk) return;
  const { data } = JSON.parse(reply.body.text).body;
  const { pathname, search } = new URL(data.url);
  const { path, data: nested } = JSON.parse(draft.body);
  const form = {
    Signature: data.authorization,
    [info.names.uploadFields.securityToken]: data.token,
    [info.names.uploadFields.metaFileId]: data[info.names.storeFileID],
    key: path ?? nested?.path,
    file: 'Hello from Berth.',
  };
  change({ grant: { target: pathname + search, form } });
}
