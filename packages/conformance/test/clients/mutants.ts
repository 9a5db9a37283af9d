import type { ClientRuleId } from '../../src/generated/rule-ids.gen.ts';

/** A task and what the driver reports, as the protocol has them. */
export interface Task {
  id: number;
  task: string;
  path: string;
  method: string;
  fileIDs?: string[];
  files?: object[];
}

export interface Reported {
  result?: { files?: { error?: object }[] } & Record<string, unknown>;
  error?: { status?: number } & Record<string, unknown>;
}

interface Outgoing {
  url: string;
  server: 'gateway' | 'storage' | 'files';
  method: string;
  headers: Headers;
  body: unknown;
}

/** A fault of a client. Its hooks change what @berth/client does. */
export interface Mutant {
  breaks: string;
  /** Other rules that it breaks as well. */
  also?: readonly ClientRuleId[];
  /** Changes a request. */
  request?(request: Outgoing): unknown;
  /** Changes a response. */
  response?(response: Response, request: Outgoing): Response | Promise<Response>;
  /** Makes a call; `send` makes it correctly. */
  send?(request: Outgoing, send: () => Promise<Response>): Promise<Response>;
  /** Does a task; `run` does it correctly. */
  run?(task: Task, run: (task: Task) => Promise<Reported>): Promise<Reported>;
}

/** A change of the path of calls. */
function withPath(change: (path: string) => string): Pick<Mutant, 'run'> {
  return {
    run: (task, run) => run(task.task === 'call' ? { ...task, path: change(task.path) } : task),
  };
}

/** A change of the text of responses of a type, chunk by chunk. */
function withText(
  type: string,
  change: (text: string) => string,
  { end = '', splits = false } = {},
): Pick<Mutant, 'response'> {
  return {
    response(response) {
      if (!response.headers.get('content-type')?.startsWith(type)) return response;
      const decoder = new TextDecoder();
      const encoder = new TextEncoder();
      const transform = new TransformStream<Uint8Array, Uint8Array>({
        // Without `stream`, a character that is split is lost.
        transform: (chunk, to) =>
          to.enqueue(encoder.encode(change(decoder.decode(chunk, { stream: !splits })))),
        flush: (to) => to.enqueue(encoder.encode(end)),
      });
      return new Response(response.body?.pipeThrough(transform) ?? null, response);
    },
  };
}

const withEvents = (change: (text: string) => string, more?: { end?: string; splits?: boolean }) =>
  withText('text/event-stream', change, more);

type Files = NonNullable<NonNullable<Reported['result']>['files']>;

/** A change of the results of single files. */
function withFiles(change: (files: Files) => Files): Pick<Mutant, 'run'> {
  return {
    async run(task, run) {
      const { result, error } = await run(task);
      const files = result?.files && change(result.files);
      return error ? { error } : { result: { ...result, ...(files && { files }) } };
    },
  };
}

/** A change of errors. */
function withErrors(change: (error: object) => object): Pick<Mutant, 'run'> {
  return {
    async run(task, run) {
      const { result, error } = await run(task);
      if (error) return { error: change(error) } as Reported;
      const files = result?.files?.map((file) =>
        file.error ? { error: change(file.error) } : file,
      );
      return { result: { ...result, ...(files && { files }) } } as Reported;
    },
  };
}

/** Reports errors of some tasks as successes. */
function swallows(isOwn: (task: Task, status: number) => boolean): Pick<Mutant, 'run'> {
  return {
    async run(task, run) {
      const reported = await run(task);
      const { error } = reported;
      if (error === undefined || !isOwn(task, error.status ?? 0)) return reported;
      const files = (task.fileIDs ?? task.files)?.map(() => ({}));
      return { result: { body: null, content: 'Q29udGVudCBvZg==', ...(files && { files }) } };
    },
  };
}

/** Reports as a success what is not a complete response. */
const SWALLOWS_BROKEN = swallows(
  ({ task }, status) => (task === 'call' || task === 'delete') && status < 400,
);

/** Sends a call again after some responses. */
function again(
  isFailure: (status: number) => boolean,
  isOwn: (request: Outgoing) => boolean = () => true,
  times = 1,
): Pick<Mutant, 'send'> {
  return {
    async send(request, send) {
      for (let left = isOwn(request) ? times : 0; left > 0; left -= 1) {
        const response = await send().catch(() => undefined);
        const text = await response
          ?.clone()
          .text()
          .catch(() => undefined);
        if (response && text !== undefined && !isFailure(response.status)) return response;
      }
      return send();
    },
  };
}

/** A change of the form of an upload. */
function withForm(change: (form: FormData) => unknown): Pick<Mutant, 'request'> {
  return {
    async request(request) {
      if (!(request.body instanceof Blob)) return;
      const form = await new Response(request.body).formData();
      await change(form);
      request.body = form;
    },
  };
}

const isServerError = (status: number) => status >= 500;

/** Rejects responses of the storage API that match. */
function rejects(pattern: RegExp): Pick<Mutant, 'response'> {
  return {
    async response(response, { server }) {
      const isOwn = server === 'storage' && response.headers.has('content-length');
      const isRejected = isOwn && pattern.test(await response.clone().text());
      return isRejected ? Response.json({ code: 'UNKNOWN' }, { status: 400 }) : response;
    },
  };
}

/** A client for each rule that breaks it. */
export const mutants: Readonly<Record<ClientRuleId, Mutant>> = {
  'CL-PATH-SEGMENTS': {
    breaks: 'encodes slashes',
    also: ['CL-PATH-ESCAPES', 'CL-PATH-SLASHES', 'CL-PATH-UNICODE', 'CL-PATH-DOTS', 'CL-QUERY-RAW'],
    ...withPath((path) => path.replaceAll('/', '%2F')),
  },
  'CL-PATH-ESCAPES': {
    breaks: 'decodes slashes',
    also: ['CL-QUERY-RAW'],
    ...withPath((path) => path.replaceAll('%2F', '/')),
  },
  'CL-PATH-SLASHES': {
    breaks: 'joins empty segments',
    ...withPath((path) => path.replaceAll('//', '/')),
  },
  'CL-PATH-UNICODE': {
    breaks: 'encodes twice',
    also: ['CL-PATH-ESCAPES', 'CL-PATH-DOTS', 'CL-QUERY-RAW'],
    ...withPath((path) => encodeURI(encodeURI(path))),
  },
  'CL-PATH-DOTS': {
    breaks: 'resolves dots',
    ...withPath((path) => path.replaceAll(/(^|\/)(\.|%2e)+(?=\/|$)/gi, '')),
  },
  'CL-PATH-ROOT': { breaks: 'adds a path', ...withPath((path) => path || 'index') },
  'CL-QUERY-RAW': {
    breaks: 'sorts parameters',
    ...withPath((path) => {
      const [start = '', query] = path.split('?');
      return query === undefined ? path : `${start}?${query.split('&').sort().join('&')}`;
    }),
  },
  'CL-BEARER': {
    breaks: 'sends no token when it resumes',
    request: ({ headers }) => headers.has('last-event-id') && headers.delete('authorization'),
  },
  'CL-SIGNATURE': {
    breaks: 'signs another query',
    request: (request) => {
      if (!request.headers.get('authorization')?.startsWith('TC3')) return;
      request.url += request.url.includes('?') ? '&t=1' : '?t=1';
    },
  },
  'CL-STORAGE-HEADERS': {
    breaks: 'sends no session token',
    request: ({ headers }) => headers.delete('x-svc-sessiontoken'),
  },
  'CL-STORAGE-SIGNATURE': {
    breaks: 'sends another signature',
    request({ headers }) {
      const value = headers.get('x-svc-authorization') ?? '';
      headers.set('x-svc-authorization', value.replace(/Signature=.*/, 'Signature=00'));
    },
  },
  'CL-SECRETS': {
    breaks: 'sends the token in the query',
    request: (request) => {
      if (request.url.endsWith('?b=1')) request.url += `&token=${process.env.BERTH_TOKEN}`;
    },
  },
  'CL-REDIRECT-CREDENTIALS': {
    breaks: 'follows redirects with all headers',
    async send(request, send) {
      const response = await send();
      const location = response.headers.get('location');
      if (location === null) return response;
      request.url = location;
      return send();
    },
  },
  'CL-JSON-REQUEST': {
    breaks: 'sends JSON as text',
    also: ['CL-SIGNATURE'],
    request: ({ server, method, headers }) =>
      server === 'gateway' && method === 'POST' && headers.set('content-type', 'text/plain'),
  },
  'CL-PAYLOAD': {
    breaks: 'decodes chunks',
    ...withText('text/plain', (text) => text, { splits: true }),
  },
  'CL-STORAGE-CALL': {
    breaks: 'encodes the colon',
    request: (request) => {
      request.url = request.url.replace('storages:', 'storages%3A');
    },
  },
  'CL-STORAGE-BODY': {
    breaks: 'sends both forms',
    also: ['CL-SIGNATURE', 'CL-JSON-REQUEST'],
    request: (request) => {
      const { body } = request;
      if (typeof body !== 'string') return;
      const fields = JSON.parse(body);
      request.body = JSON.stringify({ ...fields, data: fields });
    },
  },
  'CL-ENVELOPE': { breaks: 'rejects unknown fields', ...rejects(/"more"/) },
  'CL-ENVELOPE-FLAT': {
    breaks: 'rejects the flat form',
    also: ['CL-ERROR-STORAGE'],
    ...rejects(/^\{"requestId"/),
  },
  'CL-UPLOAD-FORM': {
    breaks: 'encodes the key',
    ...withForm((form) => form.set('key', encodeURIComponent(String(form.get('key'))))),
  },
  'CL-UPLOAD-FILE': {
    breaks: 'converts line ends',
    ...withForm(async (form) => {
      const text = await (form.get('file') as Blob).text();
      form.set('file', new Blob([text.replaceAll('\r\n', '\n')]));
    }),
  },
  'CL-UPLOAD-FILE-LAST': {
    breaks: 'sends the key after the file',
    ...withForm((form) => {
      const key = String(form.get('key'));
      form.delete('key');
      form.append('key', key);
    }),
  },
  'CL-UPLOAD-URL': {
    breaks: 'decodes a slash in the URL',
    also: ['CL-ENVELOPE', 'CL-ENVELOPE-FLAT', 'CL-LINK-ENCODING'],
    request: (request) => {
      if (request.server === 'files') request.url = request.url.replace('%2F', '/');
    },
  },
  'CL-UPLOAD-CREDENTIALS': {
    breaks: 'sends the token to the upload target',
    also: ['CL-LINK-CREDENTIALS'],
    request: ({ server, headers }) =>
      server === 'files' && headers.set('authorization', `Bearer ${process.env.BERTH_TOKEN}`),
  },
  'CL-UPLOAD-ERROR': {
    breaks: 'only reads the status',
    also: ['CL-LINK-ENCODING'],
    response: (response, { server }) =>
      server === 'files' && response.ok ? new Response(null, { status: 204 }) : response,
  },
  'CL-UPLOAD-GRANT': {
    breaks: 'reports a success',
    also: ['CL-UPLOAD-ERROR', 'CL-ERROR-HTML', 'CL-SIZE-BODY'],
    ...swallows(({ task }) => task === 'upload'),
  },
  'CL-LINK-CREDENTIALS': {
    breaks: 'sends the session token to links',
    also: ['CL-UPLOAD-CREDENTIALS'],
    request: ({ server, headers }) =>
      server === 'files' && headers.set('x-svc-sessiontoken', `${process.env.BERTH_SESSION_TOKEN}`),
  },
  'CL-LINK-ENCODING': {
    breaks: 'encodes escapes again',
    also: ['CL-ENVELOPE', 'CL-ENVELOPE-FLAT', 'CL-UPLOAD-URL'],
    request: (request) => {
      if (request.server === 'files') request.url = request.url.replaceAll('%', '%25');
    },
  },
  'CL-DOWNLOAD-CUT': {
    breaks: 'returns part of a file',
    ...swallows(({ task }) => task === 'download'),
  },
  'CL-RETRY-POST': {
    breaks: 'retries each POST once',
    also: ['CL-RETRY-STORAGE', 'CL-SIZE-BODY'],
    ...again(isServerError, ({ method }) => method === 'POST'),
  },
  'CL-RETRY-STORAGE': {
    breaks: 'retries deletes and copies',
    also: ['CL-SIZE-BODY'],
    ...again(isServerError, ({ server }) => server === 'storage'),
  },
  'CL-RETRY-REFUSED': { breaks: 'retries a 4xx', ...again((status) => status >= 400) },
  'CL-RETRY-AFTER': { breaks: 'retries immediately', ...again((status) => status >= 400) },
  'CL-RETRY-LIMIT': {
    breaks: 'retries 12 times',
    ...again(isServerError, () => true, 12),
  },
  'CL-SSE-ACCEPT': {
    breaks: 'accepts anything',
    request: ({ headers }) => headers.set('accept', '*/*'),
  },
  'CL-SSE-CHUNKS': {
    breaks: 'decodes chunks',
    ...withEvents((text) => text, { splits: true }),
  },
  'CL-SSE-LINES': {
    breaks: 'removes all spaces after the colon',
    ...withEvents((text) => text.replaceAll(/^data: +/gm, 'data: ')),
  },
  'CL-SSE-COMMENTS': {
    breaks: 'returns comments as data',
    also: ['CL-SSE-CHUNKS'],
    ...withEvents((text) => text.replaceAll(/^:/gm, 'data:')),
  },
  'CL-SSE-FIELDS': {
    breaks: 'drops the names of events',
    ...withEvents((text) => text.replaceAll(/^event: .*\n/gm, '')),
  },
  'CL-SSE-INCOMPLETE': {
    breaks: 'returns part of an event',
    ...withEvents((t) => t, { end: '\n\n' }),
  },
  'CL-SSE-RESUME': {
    breaks: 'sends no Last-Event-ID',
    request: ({ headers }) => headers.delete('last-event-id'),
  },
  'CL-SSE-RETRY': {
    breaks: 'connects again immediately',
    ...withEvents((text) => text.replace(/retry: \d+/, 'retry: 1')),
  },
  'CL-SSE-END': {
    breaks: 'connects again after a 204',
    response(response, { headers }) {
      const isStream = headers.get('accept')?.includes('event-stream');
      if (isStream && response.status === 204) throw new TypeError('no body');
      return response;
    },
  },
  'CL-LIST-LIMIT': {
    breaks: 'sends the list in one call',
    also: ['CL-LIST-RESULTS'],
    async run(task, run) {
      const { fileIDs = [] } = task;
      if (task.task !== 'links' || fileIDs.length <= 50) return run(task);
      const url = `${process.env.BERTH_STORAGE_URL}/api/v2/envs/dev/storages:batchGetTempUrls`;
      const body = JSON.stringify({ fileList: fileIDs.map((fileID) => ({ fileID })) });
      await fetch(url, { method: 'POST', body });
      return { result: { files: [] } };
    },
  },
  'CL-LIST-RESULTS': {
    breaks: 'returns results in another order',
    ...withFiles((files) => files.toReversed()),
  },
  'CL-ERROR-GATEWAY': {
    breaks: 'drops the request ID',
    ...withErrors((error) => ({ ...error, requestId: undefined })),
  },
  'CL-ERROR-SERVICE': {
    breaks: 'reports a success',
    ...swallows(({ task }, status) => task === 'call' && [422, 500].includes(status)),
  },
  'CL-ERROR-STORAGE': {
    breaks: 'drops the code',
    also: ['CL-UPLOAD-ERROR', 'CL-ERROR-GATEWAY', 'CL-ERROR-ITEMS'],
    ...withErrors((error) => ({ ...error, code: undefined })),
  },
  'CL-ERROR-ITEMS': {
    breaks: 'reports a success',
    also: ['CL-LIST-RESULTS', 'CL-ERROR-STORAGE', 'CL-ERROR-JSON', 'CL-ERROR-CUT'],
    ...withFiles((files) => files.map((file) => (file.error ? {} : file))),
  },
  'CL-ERROR-HTML': {
    breaks: 'drops the status',
    also: [
      'CL-UPLOAD-ERROR',
      'CL-ERROR-GATEWAY',
      'CL-ERROR-SERVICE',
      'CL-ERROR-STORAGE',
      'CL-ERROR-ITEMS',
    ],
    ...withErrors(() => ({ message: 'invalid JSON' })),
  },
  'CL-ERROR-JSON': {
    breaks: 'reports a success',
    also: ['CL-PATH-DOTS', 'CL-ERROR-CUT', 'CL-SIZE-HEADERS'],
    ...SWALLOWS_BROKEN,
  },
  'CL-ERROR-CUT': {
    breaks: 'reports a success',
    also: ['CL-PATH-DOTS', 'CL-ERROR-JSON', 'CL-SIZE-HEADERS'],
    ...SWALLOWS_BROKEN,
  },
  'CL-SIZE-HEADERS': {
    breaks: 'reports a success',
    also: ['CL-PATH-DOTS', 'CL-ERROR-JSON', 'CL-ERROR-CUT'],
    ...SWALLOWS_BROKEN,
  },
  'CL-SIZE-BODY': {
    breaks: 'buffers everything',
    response: async (response) => new Response(await response.text(), response),
  },
};
