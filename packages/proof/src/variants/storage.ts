import {
  any,
  COPY,
  changeList,
  copies,
  DELETE,
  entries,
  failure,
  failureBody,
  isBad,
  isOk,
  items,
  itemsOf,
  LINKS,
  links,
  list,
  OPERATIONS,
  type Operation,
  refuse,
  success,
  successBody,
  toStorageRefusal,
} from '../mutants/support/storage.ts';
import { type Json, type MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import { allow, escapeText, oneOf, prettyText, type Variant } from './variant.ts';

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

/** Makes the item fail if its lifetime is not accepted. */
const withoutLinksFor = (isRefused: (maxAge: number) => boolean) =>
  entries(LINKS, (_, { maxAge }) => typeof maxAge === 'number' && isRefused(maxAge), {
    code: 'InvalidMaxAge',
    tempFileURL: '',
  });

const hasUnknown = ({ operation, json }: MutatedRequest) => {
  const known = ['path', 'fileList', 'data'];
  const inItems = ['fileID', 'maxAge', 'srcPath', 'dstPath', 'overwrite', 'removeOriginal'];
  const items = Array.isArray(json?.fileList) ? json.fileList : [];
  const isStrange = (object: unknown, names: string[]) =>
    Object(object) === object &&
    Object.keys(object as object).some((name) => !names.includes(name));
  return (
    operation && (isStrange(json, known) || items.some((item: Json) => isStrange(item, inItems)))
  );
};

const reversed = (operation: Operation) => list(operation, (entries) => entries.toReversed());

const PAGE = { 'Content-Type': 'text/html' };

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
    'request fields must be at the top level': refuse(({ json }) => json?.data !== undefined),
  }),
  ...oneOf('rejected calls', 'D30: non-2xx, or a `code` without `data`', {
    'rejections have 200 and a code': refusedWith(() => 200),
  }),
  ...oneOf('rejected calls', 'D30: the status is up to the implementation', {
    'rejections have other 4xx statuses': refusedWith(
      (status) => ({ 400: 422, 401: 403, 403: 401, 404: 410, 405: 400 })[status] ?? status,
    ),
    'every rejection has 400': refusedWith(() => 400),
  }),
  ...allow('D20: equal to the HTTP status only for copy', {
    'statusCode of a rejection is another number': failure((json, _, operation) => {
      if (operation !== COPY) json.statusCode = -40_013;
    }),
  }),
  ...oneOf(
    'HTTP status of successes',
    'D20: statusCode is 200; the HTTP status is fixed for copy alone',
    {
      'successes have 201': success((_, response, operation) => {
        if (operation !== COPY) response.status = 201;
      }),
      'successes have 202': success((_, response, operation) => {
        if (operation !== COPY) response.status = 202;
      }),
    },
  ),
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
  ...oneOf('messages of calls', 'Envelope: `message` is a text', {
    'messages differ': failureBody({ message: '参数错误' }),
  }),
  ...oneOf('messages of calls', 'Envelope: `message` is a string', {
    'messages are empty': failureBody({ message: '' }),
  }),
  ...oneOf('messages of calls', 'Envelope: requestId and message are not required', {
    'request IDs and messages are left out': failureBody({
      requestId: undefined,
      message: undefined,
    }),
  }),
  ...allow('D9: a UUID is our default', {
    'request IDs are numbers as strings': successBody((body) => {
      body.requestId = String(Date.now());
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
  ...allow('DownloadFileItem, DeleteFileItem: other fields are not forbidden', {
    'entries of links and deletions have a message': {
      response(response, { operation }) {
        if (operation === COPY) return;
        changeList(response, (all) => {
          for (const entry of all) entry.message = isOk(entry) ? 'ok' : 'failed';
        });
      },
    },
  }),
  ...allow('D25: their order is our default', {
    'entries of batchGetTempUrls are in another order': reversed(LINKS),
    'entries of batchDelete are in another order': reversed(DELETE),
    'entries of batchCopyFile are in another order': reversed(COPY),
  }),
  ...oneOf('fileID of copies', 'CopyFileItem: fileID is not required', {
    'the entry of a copy has no fileID': copies(any, { fileID: undefined }),
  }),
  ...allow('D30: an entry for each item; the code of a duplicate is open', {
    'the second deletion of a file in one call has another code': list(DELETE, (entries) => {
      const seen = new Set();
      for (const entry of entries) {
        if (seen.has(entry.fileID)) entry.code = 'Duplicate';
        seen.add(entry.fileID);
      }
    }),
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
  ...oneOf('maxAge', 'D22: from 1 s upwards is our default', {
    'a maxAge under 60 fails its item': withoutLinksFor((maxAge) => maxAge < 60),
  }),
  ...oneOf('longest maxAge', 'D22: up to 604,800 s is our default', {
    'a maxAge over 90 fails its item': withoutLinksFor((maxAge) => maxAge > 90),
  }),
  ...oneOf('maxAge', 'D22: from 1 s upwards is our default', {
    'a call with a maxAge under 60 is rejected': refuse((request) =>
      itemsOf(request).some(({ maxAge }) => maxAge < 60),
    ),
    'links work for at least 60 s': items(LINKS, (item) => {
      if (typeof item.maxAge === 'number') item.maxAge = Math.max(60, item.maxAge);
    }),
  }),
  ...oneOf('maxAge', 'D30: after its maxAge; the clock may count whole seconds', {
    'links work for up to a second longer': items(LINKS, (item) => {
      if (item.maxAge !== undefined) item.maxAge += 1;
    }),
  }),
  ...oneOf('copies onto themselves', 'D24: that such an item fails is our default', {
    'a copy or move onto itself succeeds and changes nothing': list(COPY, (entries, given) => {
      for (const [index, { srcPath, dstPath, overwrite }] of given.entries()) {
        if (srcPath !== dstPath || overwrite === false || !entries[index]) continue;
        entries[index] = {};
      }
    }),
  }),
  ...allow('D22: which lifetimes are accepted is our default', {
    'a call with a maxAge that is not a multiple of 60 is rejected': refuse((request) =>
      itemsOf(request).some(({ maxAge }) => maxAge > 60 && maxAge % 60 > 0),
    ),
  }),
  ...allow('D25: 50 items are our default', {
    'a call with more than 10 items is rejected': refuse(({ json }) => json?.fileList?.length > 10),
  }),
  ...allow('D25: the length of a list is not specified', {
    'an empty list is rejected': refuse(
      ({ json }) => Array.isArray(json?.fileList) && json.fileList.length === 0,
    ),
  }),
  ...allow('D21: that they are ignored is a SHOULD', {
    'unknown request fields are rejected': refuse(hasUnknown),
  }),
  ...allow('D24: that it is accepted is our default', {
    'a copy path without a leading / fails its item': list(COPY, (entries, items) => {
      for (const [index, { srcPath, dstPath }] of items.entries()) {
        const isRelative = [srcPath, dstPath].some((path) => !String(path).startsWith('/'));
        if (isRelative && entries[index])
          entries[index] = { code: 'PATH', message: 'absolute only' };
      }
      return entries;
    }),
  }),
  ...allow('D30: non-2xx', {
    'an unknown operation gets an HTML page with 404': {
      request: ({ operation, path }) =>
        path.startsWith('/api/') && !OPERATIONS.some((name) => name === operation)
          ? new MutatedResponse(404, PAGE, '<html>No.</html>')
          : undefined,
    },
    'a GET gets an HTML page with 404': {
      request: ({ method, operation, path }) =>
        operation && path.startsWith('/api/') && method === 'GET'
          ? new MutatedResponse(404, PAGE, '<html>No.</html>')
          : undefined,
    },
  }),
  ...allow('RFC 9110, section 15.5.14; Limits: sizes are not specified', {
    'a body of more than 100 kB is rejected by a proxy': {
      request: ({ operation, body }) =>
        operation && body.length > 100_000
          ? new MutatedResponse(413, PAGE, '<html>Too large.</html>')
          : undefined,
    },
  }),
  ...allow('RFC 9110, section 10.2.3; Limits: rate limits are not specified', {
    'every 60th call gets 429 and seconds in Retry-After': () => {
      let count = 0;
      return {
        request({ operation }) {
          count += 1;
          if (!operation || count % 60 !== 0) return;
          const response = toStorageRefusal(429, 'TooMany');
          response.headers.set('Retry-After', '1');
          return response;
        },
      };
    },
  }),
  ...allow('D9: about gateway responses; on others it is our default', {
    'X-Request-Id is missing': ofTexts(({ headers }) => headers.remove('X-Request-Id')),
  }),
  ...allow('RFC 9110, section 11.1: schemes are case-insensitive', {
    'the scheme in a 401 of a storage call is lower case': ofTexts(({ headers, status }) => {
      if (status === 401) headers.set('WWW-Authenticate', 'tc3-hmac-sha256');
    }),
  }),
  ...oneOf(
    'envelope',
    'D20: unless the operator declares it',
    {
      'responses are flat, and declared as such': ofTexts((response) => {
        if (response.json?.body) response.json = response.json.body;
      }),
    },
    { envelope: 'flat' },
  ),
  ...oneOf('text of responses', 'RFC 8259, section 2: white space is allowed around every token', {
    'the text of responses has line breaks': ofTexts(prettyText),
  }),
  ...oneOf('text of responses', 'RFC 8259, section 7: any character may be escaped', {
    'the text of responses has escapes': ofTexts(escapeText),
  }),
];
