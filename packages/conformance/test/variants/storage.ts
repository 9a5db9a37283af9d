import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import {
  any,
  COPY,
  changeList,
  DELETE,
  entries,
  failure,
  isBad,
  items,
  LINKS,
  leaveOut,
  list,
  toStorageRefusal,
} from '../mutants/hooks/storage.ts';
import type { Hooks, MutatedResponse } from '../proxy/messages.ts';
import type { Variants } from './combine.ts';

/** Rejects with other statuses; for a copy, the envelope has the status too (D20). */
const refusedWith = (toStatus: (status: number) => number) =>
  failure((json, response, { operation }) => {
    if (response.status === 429) return;
    response.status = toStatus(response.status);
    if (operation === COPY) json.statusCode = response.status;
  });

const responses = (change: (response: MutatedResponse) => void): Hooks => ({
  response(response, { path }) {
    if (path.startsWith('/api/')) change(response);
  },
});

/** Makes the items of copies fail whose paths are spelled like this. */
const failingPaths = (isBad: (path: string) => boolean) =>
  leaveOut(COPY, ({ srcPath, dstPath }) =>
    [srcPath, dstPath].some((path) => typeof path === 'string' && isBad(path))
      ? { code: 'PATH', message: 'another spelling' }
      : undefined,
  );

export const storage: Variants = {
  // D21: at least one form.
  'request fields must be inside data': {
    request(request) {
      const { operation, json } = request;
      if (!operation || Object(json) !== json || Array.isArray(json)) return;
      if (Object.keys(json).join() !== 'data' || Object(json.data) !== json.data) {
        return toStorageRefusal(400, 'DataExpected');
      }
      // As text: a body may be nested deeper than can be written again.
      const text = request.body.toString().replace(/^\s*\{\s*"data"\s*:/, '');
      request.body = Buffer.from(text.slice(0, text.lastIndexOf('}')));
    },
  },
  // D30: non-2xx, or a `code` without `data`.
  'rejections have 200 and a code': refusedWith(() => 200),
  // D30: the status is up to the implementation.
  'rejections have other 4xx statuses': refusedWith(
    (status) => ({ 400: 422, 401: 403, 403: 401, 404: 410, 405: 400 })[status] ?? status,
  ),
  // D26: codes are our default.
  'calls are rejected with other codes': failure(({ body }) => {
    body.code = `40${body.code.length}`;
  }),
  // D26, the same.
  'items fail with other codes': responses((response) =>
    changeList(response, (all) => {
      for (const entry of all) {
        if (entry.code !== undefined && isBad(entry)) entry.code = 'NoSuchKey';
      }
    }),
  ),
  // DownloadFileItem: a string; D26: that it is empty is our default.
  'tempFileURL of a missing file is not empty': entries(LINKS, isBad, { tempFileURL: 'none' }),
  // Envelope: requestId and message are not required.
  'request IDs and messages are left out': failure(({ body }) => {
    Object.assign(body, { requestId: undefined, message: undefined });
  }),
  // D30: responses are open.
  'responses have additional fields': responses((response) => {
    const { json } = response;
    if (!json?.body) return;
    const { data } = json.body;
    Object.assign(json, { took: 3 }).body.server = { region: null };
    if (data) data.total = 1;
    for (const entry of data?.fileList ?? []) Object.assign(entry, { size: 7, extra: { a: [] } });
    response.json = json;
  }),
  // D25: their order is our default.
  'entries of batchGetTempUrls are in another order': list(LINKS, (all) => all.toReversed()),
  // D25, the same.
  'entries of batchDelete are in another order': list(DELETE, (all) => all.toReversed()),
  // CopyFileItem: fileID is not required.
  'the entry of a copy has no fileID': entries(COPY, any, { fileID: undefined }),
  // D23: the form is our default.
  'file IDs are in another form': {
    request(request) {
      if (request.operation)
        request.body = Buffer.from(request.body.toString().replaceAll('fid+v3:', 'cloud://'));
    },
    ...responses((response) => {
      response.body = Buffer.from(response.body.toString().replaceAll('cloud://', 'fid+v3:'));
    }),
  },
  // D30: after its maxAge; the clock may count whole seconds.
  'links work for up to a second longer': items(LINKS, (item) => {
    if (typeof item.maxAge === 'number') item.maxAge += 1;
  }),
  // D24: a deployment accepts at least one of the two forms.
  'a copy path without a leading / fails': failingPaths((path) => !path.startsWith('/')),
  // D24, the same.
  'a copy path with a leading / fails': failingPaths((path) => path.startsWith('/')),
  // D17: beside a permanent key pair, its header is ignored.
  'the session token is ignored': ({ storageHeaders }) => ({
    request({ operation, headers }) {
      const name = profile.storageHeaders.sessionToken;
      if (operation) headers.set(name, storageHeaders()[name] ?? '');
    },
  }),
  // D20: if the wire profile says so.
  'responses are flat': responses((response) => {
    if (response.json?.body) response.json = response.json.body;
  }),
};
