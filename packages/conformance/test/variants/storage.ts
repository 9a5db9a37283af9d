import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import {
  any,
  COPY,
  changeList,
  copies,
  failure,
  failureBody,
  isBad,
  items,
  LINKS,
  leaveOut,
  links,
  list,
  type Operation,
  toStorageRefusal,
} from '../mutants/support/storage.ts';
import type { MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import { allow, oneOf, type Variant } from './variant.ts';

/** Rejects with other statuses; for a copy, the envelope has the status too (D20). */
const refusedWith = (toStatus: (status: number) => number) =>
  failure((json, response, operation) => {
    if (response.status === 429) return;
    response.status = toStatus(response.status);
    if (operation === COPY) json.statusCode = response.status;
  });

/** Changes the text of every storage response. */
const ofTexts = (change: (response: MutatedResponse) => void) => ({
  response(response: MutatedResponse, { path }: MutatedRequest) {
    if (path.startsWith('/api/')) change(response);
  },
});

const reversed = (operation: Operation) => list(operation, (entries) => entries.toReversed());

/** Makes the items of copies fail whose paths are spelled like this. */
const failingPaths = (isBad: (path: string) => boolean) =>
  leaveOut(COPY, ({ srcPath, dstPath }) =>
    [srcPath, dstPath].some((path) => typeof path === 'string' && isBad(path))
      ? { code: 'PATH', message: 'another spelling' }
      : undefined,
  );

/** Permitted variations in storage APIs. */
export const storage: readonly Variant[] = [
  ...oneOf('request form', 'D21: at least one form', {
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
  }),
  ...oneOf('rejected calls', 'D30: non-2xx, or a `code` without `data`', {
    'rejections have 200 and a code': refusedWith(() => 200),
  }),
  ...oneOf('rejected calls', 'D30: the status is up to the implementation', {
    'rejections have other 4xx statuses': refusedWith(
      (status) => ({ 400: 422, 401: 403, 403: 401, 404: 410, 405: 400 })[status] ?? status,
    ),
  }),
  ...oneOf('codes', 'D26: codes are our default', {
    'calls are rejected with other codes': failureBody((body) => {
      body.code = `40${body.code.length}`;
    }),
    'items fail with other codes': ofTexts((response) =>
      changeList(response, (all) => {
        for (const entry of all)
          if (entry.code !== undefined && isBad(entry)) entry.code = 'NoSuchKey';
      }),
    ),
  }),
  ...allow('DownloadFileItem: a string; D26: that it is empty is our default', {
    'tempFileURL of a missing file is a non-empty string': links(isBad, { tempFileURL: 'none' }),
  }),
  ...oneOf('messages of calls', 'Envelope: requestId and message are not required', {
    'request IDs and messages are left out': failureBody({
      requestId: undefined,
      message: undefined,
    }),
  }),
  ...allow('D30: responses are open', {
    'responses have additional fields everywhere': ofTexts((response) => {
      const { json } = response;
      if (!json?.body) return;
      json.took = 3;
      json.body.server = { region: null };
      const { data } = json.body;
      if (data) data.total = 1;
      for (const entry of data?.fileList ?? []) Object.assign(entry, { size: 7, extra: { a: [] } });
      response.json = json;
    }),
  }),
  ...allow('D25: their order is our default', {
    'entries of batchGetTempUrls are in another order': reversed(LINKS),
  }),
  ...oneOf('fileID of copies', 'CopyFileItem: fileID is not required', {
    'the entry of a copy has no fileID': copies(any, { fileID: undefined }),
  }),
  ...allow('D23: the form is our default', {
    'file IDs are in another form': {
      request(request) {
        if (request.operation)
          request.body = Buffer.from(request.body.toString().replaceAll('fid+v3:', 'cloud://'));
      },
      ...ofTexts((response) => {
        response.body = Buffer.from(response.body.toString().replaceAll('cloud://', 'fid+v3:'));
      }),
    },
  }),
  ...oneOf('maxAge', 'D30: after its maxAge; the clock may count whole seconds', {
    'links work for up to a second longer': items(LINKS, (item) => {
      if (item.maxAge !== undefined) item.maxAge += 1;
    }),
  }),
  ...oneOf('copy paths', 'D24: a deployment takes at least one of the two spellings', {
    'a copy path without a leading / fails its item': failingPaths((path) => !path.startsWith('/')),
    'a copy path with a leading / fails its item': failingPaths((path) => path.startsWith('/')),
  }),
  ...allow('D17: beside a permanent key pair, its header is ignored', {
    'the session token is ignored': ({ storageHeaders }) => ({
      request({ operation, headers }) {
        const name = profile.storageHeaders.sessionToken;
        if (operation) headers.set(name, storageHeaders()[name] ?? '');
      },
    }),
  }),
  ...oneOf(
    'envelope',
    'D20: unless the wire profile says so',
    {
      'responses are flat, and the wire profile says so': ofTexts((response) => {
        if (response.json?.body) response.json = response.json.body;
      }),
    },
    { wireProfile: { envelope: 'flat' } },
  ),
];
