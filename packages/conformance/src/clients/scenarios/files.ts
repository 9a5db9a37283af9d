import type { Task } from '../protocol.ts';
import {
  CONTENT,
  cutOff,
  GRANT,
  type json,
  raw,
  send,
  storageData,
  storageError,
  toData,
} from '../replies.ts';
import {
  equals,
  fails,
  failsWith,
  once,
  type Problem,
  type Scenario,
  type Seen,
  scenario,
  succeeds,
  toFileId,
} from '../scenario.ts';
import { findLeak } from './credentials.ts';

const PATH = 'reports/"Q1" – 中文 50%.txt';

/** Bytes that break if they are treated as text or as part of the form. */
const BYTES = Buffer.concat([
  Buffer.from('\r\n--boundary\r\nContent-Disposition: form-data; name="key"\r\n\r\nother\r\n--'),
  Buffer.from([0, 0xff, 0xfe, 0x80, 0x0d, 0x0a, 0x1a, 0xc3]),
]);

const UPLOAD: Task = { task: 'upload', path: PATH, content: BYTES.toString('base64') };

const DOWNLOAD: Task = { task: 'download', fileID: toFileId('a.txt') };

const XML = { 'Content-Type': 'application/xml' };

const ERROR = `<?xml version="1.0"?>
<Error><Code>AccessDenied</Code><Message>No.</Message></Error>`;

/** Grants that no form can be sent with. */
const UNUSABLE: readonly [about: string, reply: ReturnType<typeof json>][] = [
  ['a code without data', storageError(200, 'STORAGE_EXCEED_AUTHORITY')],
  ['a flat code without data', storageError(200, 'STORAGE_EXCEED_AUTHORITY', 'flat')],
  ['an error status', storageError(403, 'STORAGE_EXCEED_AUTHORITY')],
  ...['url', 'authorization'].map((name) => {
    const without = storageData((request, place) => {
      const { [name]: _, ...rest } = Object(toData(request, place));
      return rest;
    });
    return [`a grant without ${name}`, without] as [string, typeof without];
  }),
];

/** Links, and the targets that they must be fetched with. */
const LINKS: readonly [about: string, link: string, target: string][] = [
  [
    'Chinese characters and spaces',
    '/links/中文 1.txt?sign=a b',
    '/links/%E4%B8%AD%E6%96%87%201.txt?sign=a%20b',
  ],
  [
    'escapes',
    '/links/%E4%B8%AD%2F1%2B.txt?sign=a%2Bb%3D',
    '/links/%E4%B8%AD%2F1%2B.txt?sign=a%2Bb%3D',
  ],
];

/** Uploads in two steps, and downloads through links. */
export const files: readonly Scenario[] = [
  scenario('CL-UPLOAD-FORM', 'an upload', UPLOAD, {}, function* (seen) {
    yield* succeeds(seen);
    const form = yield* readForm(seen);
    if (form === undefined) return;
    const { securityToken, metaFileId } = seen.place.profile.uploadFields;
    const expected = {
      Signature: GRANT.authorization,
      [securityToken]: GRANT.token,
      [metaFileId]: GRANT.storeFileID,
      key: PATH,
    };
    for (const [name, value] of Object.entries(expected)) {
      const part = form.find((each) => each.name.toLowerCase() === name.toLowerCase());
      yield* equals(`the form field ${name}`, part?.content.toString(), value);
    }
    yield* equals('the fileID', seen.result?.fileID, toFileId(PATH));
  }),
  scenario('CL-UPLOAD-FILE', 'an upload of binary data', UPLOAD, {}, function* (seen) {
    const form = yield* readForm(seen);
    const file = form?.find(({ name }) => name === 'file');
    if (form && !file?.content.equals(BYTES)) {
      yield {
        message: 'the field file does not contain the bytes of the file',
        request: seen.files[0],
      };
    }
  }),
  scenario('CL-UPLOAD-FILE-LAST', 'an upload', UPLOAD, {}, function* (seen) {
    const form = yield* readForm(seen);
    if (form) yield* equals('the last field of the form', form.at(-1)?.name, 'file');
  }),
  scenario('CL-UPLOAD-URL', 'an upload', UPLOAD, {}, function* ({ files: [request], all }) {
    const sent = request ?? all.find(({ server }) => server === 'elsewhere');
    if (sent === undefined) yield 'the form was not sent';
    else yield* equals('the URL', sent.origin + sent.target, sent.origin + GRANT.path);
  }),
  scenario('CL-UPLOAD-CREDENTIALS', 'an upload', UPLOAD, {}, hasNoLeak),
  ...[200, 403].map((status) =>
    scenario(
      'CL-UPLOAD-ERROR',
      `an Error element with status ${status}`,
      UPLOAD,
      { files: [send(status, ERROR, XML)] },
      (seen) => failsWith(seen, { code: 'AccessDenied' }),
    ),
  ),
  ...UNUSABLE.map(([about, reply]) =>
    scenario('CL-UPLOAD-GRANT', about, UPLOAD, { storage: [reply] }, function* (seen) {
      yield* fails(seen);
      const [request] = [...seen.files, ...seen.elsewhere];
      if (request) yield { message: 'a form was sent', request };
    }),
  ),
  scenario('CL-LINK-CREDENTIALS', 'a download', DOWNLOAD, {}, hasNoLeak),
  ...LINKS.map(([about, link, target]) =>
    scenario(
      'CL-LINK-ENCODING',
      about,
      DOWNLOAD,
      {
        storage: [
          storageData((_, place) => {
            const [, tempFileURL] = [about, place.files + link];
            return { fileList: [{ fileID: toFileId('a.txt'), code: 'SUCCESS', tempFileURL }] };
          }),
        ],
      },
      function* (seen) {
        yield* succeeds(seen);
        yield* equals('the link', seen.files[0]?.target, target);
      },
    ),
  ),
  ...[
    cutOff('text/plain', 'Content of'),
    raw(
      'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n',
      'a\r\nContent of\r\n',
    ),
  ].map((reply) =>
    scenario(
      'CL-DOWNLOAD-CUT',
      'a download that is cut off',
      DOWNLOAD,
      { files: [reply] },
      function* ({ result }) {
        if (result === undefined) return;
        const content = Buffer.from(String(result.content), 'base64').toString();
        if (content !== CONTENT) yield `the client returned "${content}" as the file`;
      },
    ),
  ),
];

function* hasNoLeak({ files: requests, place }: Seen): Iterable<Problem> {
  if (requests.length === 0) yield 'the request was not sent';
  for (const request of requests) {
    const message = findLeak(request, place);
    if (message !== undefined) yield { message, request };
  }
}

interface Part {
  name: string;
  content: Buffer;
}

/** Reads the fields of the form that was uploaded; yields why it is not a form. */
function* readForm(seen: Seen): Generator<Problem, Part[] | undefined> {
  yield* once('the form', seen.files);
  const [request] = seen.files;
  if (request === undefined) return undefined;
  const type = request.header('content-type') ?? '';
  const [, quoted, plain] =
    /^multipart\/form-data\s*;.*\bboundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (request.method !== 'POST' || boundary === undefined) {
    yield { message: `a ${request.method} with the Content-Type ${type} was sent`, request };
    return undefined;
  }
  // As Latin-1, so that every byte is one character.
  const [, ...parts] = `\r\n${request.body.toString('latin1')}`.split(`\r\n--${boundary}`);
  const end = parts.pop();
  if (end === undefined || !/^--(\r\n|$)/.test(end)) {
    yield { message: 'the form has no end', request };
    return undefined;
  }
  return parts.map((part) => {
    const split = part.indexOf('\r\n\r\n');
    const [, name = ''] = /;\s*name="((?:[^"\\]|\\.)*)"/i.exec(part.slice(0, split)) ?? [];
    return { name, content: Buffer.from(part.slice(split + 4), 'latin1') };
  });
}
