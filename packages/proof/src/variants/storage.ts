import {
  any,
  changeList,
  copies,
  entries,
  failure,
  failureBody,
  isBad,
  isOk,
  items,
  itemsOf,
  links,
  list,
  OPERATIONS,
  refuse,
  success,
  successBody,
  toStorageRefusal,
} from '../mutants/support/storage.ts';
import { type Json, type MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import { escapeText, prettyText, type Variant, variant } from './variant.ts';

const COPY = 'batchCopyFile';
const LINKS = 'batchGetTempUrls';

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

const PAGE = { 'Content-Type': 'text/html' };

/** Permitted variations in storage APIs. */
export const storage: readonly Variant[] = [
  variant(
    'request fields must be inside data',
    'D21: at least one form',
    {
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
    { aspect: 'request form' },
  ),
  variant(
    'request fields must be at the top level',
    'D21: at least one form',
    refuse(({ json }) => json?.data !== undefined),
    { aspect: 'request form' },
  ),
  variant(
    'rejections have 200 and a code',
    'D30: non-2xx, or a `code` without `data`',
    refusedWith(() => 200),
    { aspect: 'rejected calls' },
  ),
  variant(
    'rejections have other 4xx statuses',
    'D30: the status is up to the implementation',
    refusedWith(
      (status) => ({ 400: 422, 401: 403, 403: 401, 404: 410, 405: 400 })[status] ?? status,
    ),
    { aspect: 'rejected calls' },
  ),
  variant(
    'every rejection has 400',
    'D30: the status is up to the implementation',
    refusedWith(() => 400),
    { aspect: 'rejected calls' },
  ),
  variant(
    'statusCode of a rejection is another number',
    'D20: equal to the HTTP status only for copy',
    failure((json, _, operation) => {
      if (operation !== COPY) json.statusCode = -40_013;
    }),
  ),
  variant(
    'successes have 201',
    'D20: statusCode is 200; the HTTP status is fixed for copy alone',
    success((_, response, operation) => {
      if (operation !== COPY) response.status = 201;
    }),
    { aspect: 'HTTP status of successes' },
  ),
  variant(
    'successes have 202',
    'D20: statusCode is 200; the HTTP status is fixed for copy alone',
    success((_, response, operation) => {
      if (operation !== COPY) response.status = 202;
    }),
    { aspect: 'HTTP status of successes' },
  ),
  variant(
    'calls are rejected with other codes',
    'D26: codes are our default',
    failureBody((body) => {
      body.code = `40${body.code.length}`;
    }),
    { aspect: 'codes' },
  ),
  variant(
    'items fail with other codes',
    'D26: codes are our default',
    ofTexts((response) =>
      changeList(response, (all) => {
        for (const entry of all)
          if (entry.code !== undefined && isBad(entry)) entry.code = 'NoSuchKey';
      }),
    ),
    { aspect: 'codes' },
  ),
  variant(
    'tempFileURL of a missing file is a non-empty string',
    'DownloadFileItem: a string; D26: that it is empty is our default',
    links(isBad, { tempFileURL: 'none' }),
  ),
  variant(
    'messages differ',
    'Envelope: `message` is a text',
    failureBody({ message: '参数错误' }),
    { aspect: 'messages of calls' },
  ),
  variant('messages are empty', 'Envelope: `message` is a string', failureBody({ message: '' }), {
    aspect: 'messages of calls',
  }),
  variant(
    'request IDs and messages are left out',
    'Envelope: requestId and message are not required',
    failureBody({ requestId: undefined, message: undefined }),
    { aspect: 'messages of calls' },
  ),
  variant(
    'request IDs are numbers as strings',
    'D9: a UUID is our default',
    successBody((body) => {
      body.requestId = String(Date.now());
    }),
  ),
  variant(
    'responses have additional fields everywhere',
    'D30: responses are open',
    ofTexts((response) => {
      const { json } = response;
      if (!json?.body) return;
      json.took = 3;
      json.body.server = { region: null };
      const { data } = json.body;
      if (data) data.total = 1;
      for (const entry of data?.fileList ?? []) Object.assign(entry, { size: 7, extra: { a: [] } });
      response.json = json;
    }),
  ),
  variant(
    'entries of links and deletions have a message',
    'DownloadFileItem, DeleteFileItem: other fields are not forbidden',
    {
      response(response, { operation }) {
        if (operation === COPY) return;
        changeList(response, (all) => {
          for (const entry of all) entry.message = isOk(entry) ? 'ok' : 'failed';
        });
      },
    },
  ),
  ...([LINKS, 'batchDelete', COPY] as const).map((operation) =>
    variant(
      `entries of ${operation} are in another order`,
      'D25: their order is our default',
      list(operation, (entries) => entries.toReversed()),
    ),
  ),
  variant(
    'the entry of a copy has no fileID',
    'CopyFileItem: fileID is not required',
    copies(any, { fileID: undefined }),
    { aspect: 'fileID of copies' },
  ),
  variant(
    'the second deletion of a file in one call has another code',
    'D30: an entry for each item; the code of a duplicate is open',
    list('batchDelete', (entries) => {
      const seen = new Set();
      for (const entry of entries) {
        if (seen.has(entry.fileID)) entry.code = 'Duplicate';
        seen.add(entry.fileID);
      }
    }),
  ),
  variant('file IDs are in another form', 'D23: the form is our default', {
    request(request) {
      if (request.operation)
        request.body = Buffer.from(request.body.toString().replaceAll('fid+v3:', 'cloud://'));
    },
    ...ofTexts((response) => {
      response.body = Buffer.from(response.body.toString().replaceAll('cloud://', 'fid+v3:'));
    }),
  }),
  variant(
    'a maxAge under 60 fails its item',
    'D22: from 1 s upwards is our default',
    withoutLinksFor((maxAge) => maxAge < 60),
    { aspect: 'maxAge' },
  ),
  variant(
    'a maxAge over 90 fails its item',
    'D22: up to 604,800 s is our default',
    withoutLinksFor((maxAge) => maxAge > 90),
    { aspect: 'longest maxAge' },
  ),
  variant(
    'a call with a maxAge under 60 is rejected',
    'D22: from 1 s upwards is our default',
    refuse((request) => itemsOf(request).some(({ maxAge }) => maxAge < 60)),
    { aspect: 'maxAge' },
  ),
  variant(
    'links work for at least 60 s',
    'D22: from 1 s upwards is our default',
    items(LINKS, (item) => {
      if (typeof item.maxAge === 'number') item.maxAge = Math.max(60, item.maxAge);
    }),
    { aspect: 'maxAge' },
  ),
  variant(
    'links work for up to a second longer',
    'D30: after its maxAge; the clock may count whole seconds',
    items('batchGetTempUrls', (item) => {
      if (item.maxAge !== undefined) item.maxAge += 1;
    }),
    { aspect: 'maxAge' },
  ),
  variant(
    'a copy or move onto itself succeeds and changes nothing',
    'D24: that such an item fails is our default',
    list('batchCopyFile', (entries, given) => {
      for (const [index, { srcPath, dstPath, overwrite }] of given.entries()) {
        if (srcPath !== dstPath || overwrite === false || !entries[index]) continue;
        entries[index] = {};
      }
    }),
    { aspect: 'copies onto themselves' },
  ),
  variant(
    'a call with a maxAge that is not a multiple of 60 is rejected',
    'D22: which lifetimes are accepted is our default',
    refuse((request) => itemsOf(request).some(({ maxAge }) => maxAge > 60 && maxAge % 60 > 0)),
  ),
  variant(
    'a call with more than 10 items is rejected',
    'D25: 50 items are our default',
    refuse(({ json }) => json?.fileList?.length > 10),
  ),
  variant(
    'an empty list is rejected',
    'D25: the length of a list is not specified',
    refuse(({ json }) => Array.isArray(json?.fileList) && json.fileList.length === 0),
  ),
  variant(
    'unknown request fields are rejected',
    'D21: that they are ignored is a SHOULD',
    refuse(hasUnknown),
  ),
  variant(
    'a copy path without a leading / fails its item',
    'D24: that it is accepted is our default',
    list(COPY, (entries, items) => {
      for (const [index, { srcPath, dstPath }] of items.entries()) {
        const isRelative = [srcPath, dstPath].some((path) => !String(path).startsWith('/'));
        if (isRelative && entries[index])
          entries[index] = { code: 'PATH', message: 'absolute only' };
      }
      return entries;
    }),
  ),
  variant('an unknown operation gets an HTML page with 404', 'D30: non-2xx', {
    request: ({ operation, path }) =>
      path.startsWith('/api/') && !OPERATIONS.some((name) => name === operation)
        ? new MutatedResponse(404, PAGE, '<html>No.</html>')
        : undefined,
  }),
  variant('a GET gets an HTML page with 404', 'D30: non-2xx', {
    request: ({ method, operation, path }) =>
      operation && path.startsWith('/api/') && method === 'GET'
        ? new MutatedResponse(404, PAGE, '<html>No.</html>')
        : undefined,
  }),
  variant(
    'a body of more than 100 kB is rejected by a proxy',
    'RFC 9110, section 15.5.14; Limits: sizes are not specified',
    {
      request: ({ operation, body }) =>
        operation && body.length > 100_000
          ? new MutatedResponse(413, PAGE, '<html>Too large.</html>')
          : undefined,
    },
  ),
  variant(
    'every 60th call gets 429 and seconds in Retry-After',
    'RFC 9110, section 10.2.3; Limits: rate limits are not specified',
    () => {
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
  ),
  variant(
    'X-Request-Id is missing',
    'D9: about gateway responses; on others it is our default',
    ofTexts(({ headers }) => headers.remove('X-Request-Id')),
  ),
  variant(
    'the scheme in a 401 of a storage call is lower case',
    'RFC 9110, section 11.1: schemes are case-insensitive',
    ofTexts(({ headers, status }) => {
      if (status === 401) headers.set('WWW-Authenticate', 'tc3-hmac-sha256');
    }),
  ),
  variant(
    'responses are flat, and declared as such',
    'D20: unless the operator declares it',
    ofTexts((response) => {
      if (response.json?.body) response.json = response.json.body;
    }),
    { aspect: 'envelope', options: { envelope: 'flat' } },
  ),
  variant(
    'the text of responses has line breaks',
    'RFC 8259, section 2: white space is allowed around every token',
    ofTexts(prettyText),
    { aspect: 'text of responses' },
  ),
  variant(
    'the text of responses has escapes',
    'RFC 8259, section 7: any character may be escaped',
    ofTexts(escapeText),
    { aspect: 'text of responses' },
  ),
];
