import {
  CONTENT,
  cutOff,
  GRANT,
  type Reply,
  raw,
  send,
  storageData,
  storageError,
  toData,
} from '../deployment.ts';
import type { Task } from '../driver.ts';
import {
  at,
  equals,
  fails,
  failsWith,
  once,
  type Problems,
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

/** Responds without one of the values of a grant. */
const without = (name: string): Reply =>
  storageData((request, place) => {
    const { [name]: _, ...rest } = Object(toData(request, place));
    return rest;
  });

/** Grants that no form can be sent with. */
const UNUSABLE: readonly [about: string, reply: Reply][] = [
  ['a code without data', storageError(200, 'STORAGE_EXCEED_AUTHORITY')],
  ['a flat code without data', storageError(200, 'STORAGE_EXCEED_AUTHORITY', 'flat')],
  ['an error status', storageError(403, 'STORAGE_EXCEED_AUTHORITY')],
  ['a grant without url', without('url')],
  ['a grant without authorization', without('authorization')],
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

const CHUNKED = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n';

/** Uploads in two steps, and downloads through links. */
export const files: readonly Scenario[] = [
  scenario('CL-UPLOAD-FORM', 'an upload', UPLOAD).expect((seen) => [
    succeeds(seen),
    withForm(seen, (form) => {
      const { securityToken, metaFileId } = seen.place.profile.uploadFields;
      const expected = {
        Signature: GRANT.authorization,
        [securityToken]: GRANT.token,
        [metaFileId]: GRANT.storeFileID,
        key: PATH,
      };
      return Object.entries(expected).map(([name, value]) => {
        const part = form.find((each) => each.name.toLowerCase() === name.toLowerCase());
        return equals(`the form field ${name}`, part?.content.toString(), value);
      });
    }),
    equals('the fileID', seen.result?.fileID, toFileId(PATH)),
  ]),
  scenario('CL-UPLOAD-FILE', 'an upload of binary data', UPLOAD).expect((seen) =>
    withForm(seen, (form, request) => {
      const file = form.find(({ name }) => name === 'file');
      const isSame = file?.content.equals(BYTES);
      return at(request, !isSame && 'the field file does not contain the bytes of the file');
    }),
  ),
  scenario('CL-UPLOAD-FILE-LAST', 'an upload', UPLOAD).expect((seen) =>
    withForm(seen, (form) => equals('the last field of the form', form.at(-1)?.name, 'file')),
  ),
  scenario('CL-UPLOAD-URL', 'an upload', UPLOAD).expect(({ files: [request], elsewhere }) => {
    const sent = request ?? elsewhere[0];
    if (sent === undefined) return 'the form was not sent';
    return equals('the URL', sent.origin + sent.target, sent.origin + GRANT.path);
  }),
  scenario('CL-UPLOAD-CREDENTIALS', 'an upload', UPLOAD).expect(hasNoLeak),
  ...[200, 403].map((status) =>
    scenario('CL-UPLOAD-ERROR', `an Error element with status ${status}`, UPLOAD, {
      files: [send(status, ERROR, XML)],
    }).expect((seen) => failsWith(seen, { code: 'AccessDenied' })),
  ),
  ...UNUSABLE.map(([about, reply]) =>
    scenario('CL-UPLOAD-GRANT', about, UPLOAD, { storage: [reply] }).expect((seen) => {
      const [request] = [...seen.files, ...seen.elsewhere];
      return [fails(seen), at(request, request && 'a form was sent')];
    }),
  ),
  scenario('CL-LINK-CREDENTIALS', 'a download', DOWNLOAD).expect(hasNoLeak),
  ...LINKS.map(([about, link, target]) => {
    const reply = storageData((_, place) => ({
      fileList: [{ fileID: toFileId('a.txt'), code: 'SUCCESS', tempFileURL: place.files + link }],
    }));
    return scenario('CL-LINK-ENCODING', about, DOWNLOAD, { storage: [reply] }).expect((seen) => [
      succeeds(seen),
      equals('the link', seen.files[0]?.target, target),
    ]);
  }),
  ...[cutOff('text/plain', 'Content of'), raw(CHUNKED, 'a\r\nContent of\r\n')].map((reply) =>
    scenario('CL-DOWNLOAD-CUT', 'a download that is cut off', DOWNLOAD, {
      files: [reply],
    }).expect(({ result }) => {
      const content = Buffer.from(String(result?.content), 'base64').toString();
      if (result === undefined || content === CONTENT) return undefined;
      return `the client returned "${content}" as the file`;
    }),
  ),
];

function hasNoLeak({ files: requests, place }: Seen): Problems {
  if (requests.length === 0) return 'the request was not sent';
  return requests.map((request) => at(request, findLeak(request, place)));
}

interface Part {
  name: string;
  content: Buffer;
}

/** Checks the fields of the form that was uploaded; a problem if it is not a form. */
function withForm(
  { files: requests }: Seen,
  check: (form: Part[], request: Seen['files'][number]) => Problems,
): Problems {
  const [request] = requests;
  if (request === undefined) return once('the form', requests);
  const type = request.header('content-type') ?? '';
  const [, quoted, plain] =
    /^multipart\/form-data\s*;.*\bboundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (request.method !== 'POST' || boundary === undefined) {
    return at(request, `a ${request.method} with the Content-Type ${type} was sent`);
  }
  // As Latin-1, so that every byte is one character.
  const [, ...parts] = `\r\n${request.body.toString('latin1')}`.split(`\r\n--${boundary}`);
  const end = parts.pop();
  if (end === undefined || !/^--(\r\n|$)/.test(end)) return at(request, 'the form has no end');
  const form = parts.map((part) => {
    const split = part.indexOf('\r\n\r\n');
    const [, name = ''] = /;\s*name="((?:[^"\\]|\\.)*)"/i.exec(part.slice(0, split)) ?? [];
    return { name, content: Buffer.from(part.slice(split + 4), 'latin1') };
  });
  return [once('the form', requests), check(form, request)];
}
