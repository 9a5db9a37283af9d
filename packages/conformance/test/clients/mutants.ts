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
  rule: ClientRuleId;
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
export const mutants: readonly Mutant[] = [
  {
    rule: 'CL-PATH-SEGMENTS',
    breaks: 'encodes slashes',
    also: ['CL-PATH-ESCAPES', 'CL-PATH-SLASHES', 'CL-PATH-UNICODE', 'CL-PATH-DOTS', 'CL-QUERY-RAW'],
    ...withPath((path) => path.replaceAll('/', '%2F')),
  },
  {
    rule: 'CL-PATH-ESCAPES',
    breaks: 'decodes slashes',
    also: ['CL-QUERY-RAW'],
    ...withPath((path) => path.replaceAll('%2F', '/')),
  },
  {
    rule: 'CL-PATH-SLASHES',
    breaks: 'joins empty segments',
    ...withPath((path) => path.replaceAll('//', '/')),
  },
  {
    rule: 'CL-PATH-UNICODE',
    breaks: 'encodes twice',
    also: ['CL-PATH-ESCAPES', 'CL-PATH-DOTS', 'CL-QUERY-RAW'],
    ...withPath((path) => encodeURI(encodeURI(path))),
  },
  {
    rule: 'CL-PATH-DOTS',
    breaks: 'resolves dots',
    ...withPath((path) => path.replaceAll(/(^|\/)(\.|%2e)+(?=\/|$)/gi, '')),
  },
  { rule: 'CL-PATH-ROOT', breaks: 'adds a path', ...withPath((path) => path || 'index') },
  {
    rule: 'CL-QUERY-RAW',
    breaks: 'sorts parameters',
    ...withPath((path) => {
      const [start = '', query] = path.split('?');
      return query === undefined ? path : `${start}?${query.split('&').sort().join('&')}`;
    }),
  },
  {
    rule: 'CL-BEARER',
    breaks: 'sends no token when it resumes',
    request: ({ headers }) => headers.has('last-event-id') && headers.delete('authorization'),
  },
  {
    rule: 'CL-SIGNATURE',
    breaks: 'signs another query',
    request: (request) => {
      if (!request.headers.get('authorization')?.startsWith('TC3')) return;
      request.url += request.url.includes('?') ? '&t=1' : '?t=1';
    },
  },
  {
    rule: 'CL-STORAGE-HEADERS',
    breaks: 'sends no session token',
    request: ({ headers }) => headers.delete('x-svc-sessiontoken'),
  },
  {
    rule: 'CL-STORAGE-SIGNATURE',
    breaks: 'sends another signature',
    request({ headers }) {
      const value = headers.get('x-svc-authorization') ?? '';
      headers.set('x-svc-authorization', value.replace(/Signature=.*/, 'Signature=00'));
    },
  },
  {
    rule: 'CL-SECRETS',
    breaks: 'sends the token in the query',
    request: (request) => {
      if (request.url.endsWith('?b=1')) request.url += `&token=${process.env.BERTH_TOKEN}`;
    },
  },
  {
    rule: 'CL-REDIRECT-CREDENTIALS',
    breaks: 'follows redirects with all headers',
    async send(request, send) {
      const response = await send();
      const location = response.headers.get('location');
      if (location === null) return response;
      request.url = location;
      return send();
    },
  },
  {
    rule: 'CL-JSON-REQUEST',
    breaks: 'sends JSON as text',
    also: ['CL-SIGNATURE'],
    request: ({ server, method, headers }) =>
      server === 'gateway' && method === 'POST' && headers.set('content-type', 'text/plain'),
  },
  {
    rule: 'CL-PAYLOAD',
    breaks: 'decodes chunks',
    ...withText('text/plain', (text) => text, { splits: true }),
  },
  {
    rule: 'CL-STORAGE-CALL',
    breaks: 'encodes the colon',
    request: (request) => {
      request.url = request.url.replace('storages:', 'storages%3A');
    },
  },
  {
    rule: 'CL-STORAGE-BODY',
    breaks: 'sends both forms',
    also: ['CL-SIGNATURE', 'CL-JSON-REQUEST'],
    request: (request) => {
      const { body } = request;
      if (typeof body !== 'string') return;
      const fields = JSON.parse(body);
      request.body = JSON.stringify({ ...fields, data: fields });
    },
  },
  { rule: 'CL-ENVELOPE', breaks: 'rejects unknown fields', ...rejects(/"more"/) },
  {
    rule: 'CL-ENVELOPE-FLAT',
    breaks: 'rejects the flat form',
    also: ['CL-ERROR-STORAGE'],
    ...rejects(/^\{"requestId"/),
  },
  {
    rule: 'CL-UPLOAD-FORM',
    breaks: 'encodes the key',
    ...withForm((form) => form.set('key', encodeURIComponent(String(form.get('key'))))),
  },
  {
    rule: 'CL-UPLOAD-FILE',
    breaks: 'converts line ends',
    ...withForm(async (form) => {
      const text = await (form.get('file') as Blob).text();
      form.set('file', new Blob([text.replaceAll('\r\n', '\n')]));
    }),
  },
  {
    rule: 'CL-UPLOAD-FILE-LAST',
    breaks: 'sends the key after the file',
    ...withForm((form) => {
      const key = String(form.get('key'));
      form.delete('key');
      form.append('key', key);
    }),
  },
  {
    rule: 'CL-UPLOAD-URL',
    breaks: 'decodes a slash in the URL',
    also: ['CL-ENVELOPE', 'CL-ENVELOPE-FLAT', 'CL-LINK-ENCODING'],
    request: (request) => {
      if (request.server === 'files') request.url = request.url.replace('%2F', '/');
    },
  },
  {
    rule: 'CL-UPLOAD-CREDENTIALS',
    breaks: 'sends the token to the upload target',
    also: ['CL-LINK-CREDENTIALS'],
    request: ({ server, headers }) =>
      server === 'files' && headers.set('authorization', `Bearer ${process.env.BERTH_TOKEN}`),
  },
  {
    rule: 'CL-UPLOAD-ERROR',
    breaks: 'only reads the status',
    also: ['CL-LINK-ENCODING'],
    response: (response, { server }) =>
      server === 'files' && response.ok ? new Response(null, { status: 204 }) : response,
  },
  {
    rule: 'CL-UPLOAD-GRANT',
    breaks: 'reports a success',
    also: ['CL-UPLOAD-ERROR', 'CL-ERROR-HTML', 'CL-SIZE-BODY'],
    ...swallows(({ task }) => task === 'upload'),
  },
  {
    rule: 'CL-LINK-CREDENTIALS',
    breaks: 'sends the session token to links',
    also: ['CL-UPLOAD-CREDENTIALS'],
    request: ({ server, headers }) =>
      server === 'files' && headers.set('x-svc-sessiontoken', `${process.env.BERTH_SESSION_TOKEN}`),
  },
  {
    rule: 'CL-LINK-ENCODING',
    breaks: 'encodes escapes again',
    also: ['CL-ENVELOPE', 'CL-ENVELOPE-FLAT', 'CL-UPLOAD-URL'],
    request: (request) => {
      if (request.server === 'files') request.url = request.url.replaceAll('%', '%25');
    },
  },
  {
    rule: 'CL-DOWNLOAD-CUT',
    breaks: 'returns part of a file',
    ...swallows(({ task }) => task === 'download'),
  },
  {
    rule: 'CL-RETRY-POST',
    breaks: 'retries each POST once',
    also: ['CL-RETRY-STORAGE', 'CL-SIZE-BODY'],
    ...again(isServerError, ({ method }) => method === 'POST'),
  },
  {
    rule: 'CL-RETRY-STORAGE',
    breaks: 'retries deletes and copies',
    also: ['CL-SIZE-BODY'],
    ...again(isServerError, ({ server }) => server === 'storage'),
  },
  { rule: 'CL-RETRY-REFUSED', breaks: 'retries a 4xx', ...again((status) => status >= 400) },
  { rule: 'CL-RETRY-AFTER', breaks: 'retries immediately', ...again((status) => status >= 400) },
  {
    rule: 'CL-RETRY-LIMIT',
    breaks: 'retries 12 times',
    ...again(isServerError, () => true, 12),
  },
  {
    rule: 'CL-SSE-ACCEPT',
    breaks: 'accepts anything',
    request: ({ headers }) => headers.set('accept', '*/*'),
  },
  {
    rule: 'CL-SSE-CHUNKS',
    breaks: 'decodes chunks',
    ...withText('text/event-stream', (text) => text, { splits: true }),
  },
  {
    rule: 'CL-SSE-LINES',
    breaks: 'removes all spaces after the colon',
    ...withText('text/event-stream', (text) => text.replaceAll(/^data: +/gm, 'data: ')),
  },
  {
    rule: 'CL-SSE-COMMENTS',
    breaks: 'returns comments as data',
    also: ['CL-SSE-CHUNKS'],
    ...withText('text/event-stream', (text) => text.replaceAll(/^:/gm, 'data:')),
  },
  {
    rule: 'CL-SSE-FIELDS',
    breaks: 'drops the names of events',
    ...withText('text/event-stream', (text) => text.replaceAll(/^event: .*\n/gm, '')),
  },
  {
    rule: 'CL-SSE-INCOMPLETE',
    breaks: 'returns part of an event',
    ...withText('text/event-stream', (t) => t, { end: '\n\n' }),
  },
  {
    rule: 'CL-SSE-RESUME',
    breaks: 'sends no Last-Event-ID',
    request: ({ headers }) => headers.delete('last-event-id'),
  },
  {
    rule: 'CL-SSE-RETRY',
    breaks: 'connects again immediately',
    ...withText('text/event-stream', (text) => text.replace(/retry: \d+/, 'retry: 1')),
  },
  {
    rule: 'CL-SSE-END',
    breaks: 'connects again after a 204',
    response(response, { headers }) {
      const isStream = headers.get('accept')?.includes('event-stream');
      if (isStream && response.status === 204) throw new TypeError('no body');
      return response;
    },
  },
  {
    rule: 'CL-LIST-LIMIT',
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
  {
    rule: 'CL-LIST-RESULTS',
    breaks: 'returns results in another order',
    async run(task, run) {
      const { result, error } = await run(task);
      const files = result?.files?.toReversed();
      return error ? { error } : { result: { ...result, ...(files && { files }) } };
    },
  },
  {
    rule: 'CL-ERROR-GATEWAY',
    breaks: 'drops the request ID',
    ...withErrors((error) => ({ ...error, requestId: undefined })),
  },
  {
    rule: 'CL-ERROR-SERVICE',
    breaks: 'reports a success',
    ...swallows(({ task }, status) => task === 'call' && [422, 500].includes(status)),
  },
  {
    rule: 'CL-ERROR-STORAGE',
    breaks: 'drops the code',
    also: ['CL-UPLOAD-ERROR', 'CL-ERROR-GATEWAY', 'CL-ERROR-ITEMS'],
    ...withErrors((error) => ({ ...error, code: undefined })),
  },
  {
    rule: 'CL-ERROR-ITEMS',
    breaks: 'reports a success',
    also: ['CL-LIST-RESULTS', 'CL-ERROR-STORAGE', 'CL-ERROR-JSON', 'CL-ERROR-CUT'],
    async run(task, run) {
      const { result, error } = await run(task);
      const files = result?.files?.map((file) => (file.error ? {} : file));
      return error ? { error } : { result: { ...result, ...(files && { files }) } };
    },
  },
  {
    rule: 'CL-ERROR-HTML',
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
  {
    rule: 'CL-ERROR-JSON',
    breaks: 'reports a success',
    also: ['CL-PATH-DOTS', 'CL-ERROR-CUT', 'CL-SIZE-HEADERS'],
    ...SWALLOWS_BROKEN,
  },
  {
    rule: 'CL-ERROR-CUT',
    breaks: 'reports a success',
    also: ['CL-PATH-DOTS', 'CL-ERROR-JSON', 'CL-SIZE-HEADERS'],
    ...SWALLOWS_BROKEN,
  },
  {
    rule: 'CL-SIZE-HEADERS',
    breaks: 'reports a success',
    also: ['CL-PATH-DOTS', 'CL-ERROR-JSON', 'CL-ERROR-CUT'],
    ...SWALLOWS_BROKEN,
  },
  {
    rule: 'CL-SIZE-BODY',
    breaks: 'buffers everything',
    response: async (response) => new Response(await response.text(), response),
  },
];
