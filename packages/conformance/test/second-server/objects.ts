import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { readBody } from './http.ts';
import { limits, makeOpaque, names } from './limits.ts';

export type Objects = ReturnType<typeof createObjects>;

interface Grant {
  /** The cloud path, as requested. */
  path: string;
  authorization: string;
  token: string;
  storeFileID: string;
  expires: number;
}

/** Keeps files by their cloud path, which has no leading `/`, their IDs, upload grants and links in memory. */
export function createObjects() {
  const contents = new Map<string, Buffer>();
  const paths = new Map<string, string>();
  const grants = new Map<string, Grant>();
  const links = new Map<string, { path: string; content: Buffer | undefined; last: number }>();
  const now = () => Math.floor(Date.now() / 1000);
  let writes = 0;
  return {
    contents,
    countWrites: () => writes,
    /** Returns a new ID for the file at a path, whether or not it exists yet. */
    nameOf(path: string): string {
      const id = makeOpaque('f_');
      paths.set(id, path);
      return id;
    },
    /** Returns the path of an ID whose file exists. */
    find(id: string): string | undefined {
      const path = paths.get(id);
      return path !== undefined && contents.has(path) ? path : undefined;
    },
    write(path: string, content: Buffer) {
      writes += 1;
      contents.set(path, content);
    },
    remove(path: string) {
      writes += 1;
      contents.delete(path);
    },
    /** Issues a grant for one upload, and the path and query of the target, which clients keep (D2). */
    grant(path: string): Grant & { target: string } {
      const grant = {
        path,
        authorization: `v=2&sig=${makeOpaque('')}; for "upload"`,
        token: makeOpaque('t/+='),
        storeFileID: makeOpaque('meta '),
        expires: Date.now() + limits.grantSeconds * 1000,
      };
      const target = `/${makeOpaque('in/')}?ticket=${makeOpaque('%2F')}&part`;
      grants.set(target, grant);
      return { ...grant, target };
    },
    findGrant(target: string): Grant | undefined {
      const grant = grants.get(target);
      return grant && grant.expires > Date.now() ? grant : undefined;
    },
    endGrant: (target: string) => grants.delete(target),
    /**
     * Returns path and query of a link that is valid for this many seconds, and at most one more. It contains
     * the file name unencoded, so callers have to encode it once (D23). Like a cache, it keeps a file that is deleted.
     */
    link(path: string, seconds = limits.linkSeconds): string {
      const target = `/?t=${makeOpaque('')}&as=the file ${path.split('/').at(-1)}`;
      const lifetime = Math.min(Math.ceil(seconds), limits.longestLinkSeconds);
      links.set(target, { path, content: contents.get(path), last: now() + lifetime });
      return target;
    },
    /** Returns the file of a link, `expired`, or `undefined` for anything else. */
    findLink(target: string): Buffer | 'expired' | undefined {
      const link = links.get(decode(target));
      return link && (now() > link.last ? 'expired' : (contents.get(link.path) ?? link.content));
    },
  };
}

function decode(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}

/**
 * "Digits, lowercase and uppercase Latin letters, `/`, `!`, `-`, `_`, `.`, `,`, `*`, and Chinese characters",
 * without a leading `/` (D24). Segments that are empty, `.` or `..` are ordinary names.
 */
export function isFilePath(path: string): boolean {
  return /^[0-9A-Za-z/!\-_.,*\u4e00-\u9fff]+$/.test(path) && path.length <= limits.pathCharacters;
}

/** Space for the other fields of an upload form. */
const FORM_BYTES = 64 * 1024;

/** The upload target and the links. */
export function createObjectServer(objects: Objects): Server {
  return createServer(async (request, response) => {
    const body = await readBody(request, limits.fileBytes + FORM_BYTES).catch(() => null);
    if (body === null) return;
    if (objects.findLink(request.url ?? '')) return download(request, response, objects);
    const refusal = await upload(request, body, objects);
    // A success is a 200 with two letters: no XML, no `ETag`, no `Location`.
    if (!refusal) return void response.writeHead(200, { 'Content-Type': 'text/plain' }).end('ok');
    const { status, message } = uploadRefusals[refusal];
    response.writeHead(status, { 'Content-Type': 'text/xml', Connection: 'close' });
    const error = `<Error><Message>${message}</Message><Code>${refusal}</Code></Error>`;
    response.end(`<?xml version='1.0' encoding='utf-8'?>\n${error}`);
  });
}

/** A link works with GET only, and has no ranges, no `ETag` and no meaningful type. */
function download(
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
  { findLink }: Objects,
): void {
  const content = findLink(url);
  if (method === 'GET' && Buffer.isBuffer(content)) {
    response.writeHead(200, { 'Content-Type': 'binary/octet-stream', Connection: 'close' });
    response.end(content);
  } else {
    response.writeHead(method === 'GET' ? 410 : 405, { Connection: 'close' });
    response.end('gone');
  }
}

/** Stores the file from a complete form, or returns why not. */
async function upload(
  { method, url = '', headers }: IncomingMessage,
  body: Buffer | undefined,
  objects: Objects,
): Promise<UploadRefusal | undefined> {
  if (method !== 'POST') return 'NotAnUpload';
  const grant = objects.findGrant(url);
  if (!grant) return 'NoSuchTicket';
  if (!body) return 'FileTooBig';
  const type = headers['content-type'] ?? '';
  const message = new Response(Uint8Array.from(body), { headers: { 'Content-Type': type } });
  const form = await message.formData().catch(() => undefined);
  if (!form || !type.toLowerCase().startsWith('multipart/form-data')) return 'UnreadableForm';
  const file = await checkForm(form, grant);
  if (typeof file === 'string') return file;
  objects.write(grant.path, file);
  objects.endGrant(url);
  return undefined;
}

/**
 * D30: "If an upload form's signature, token, key or file ID field is missing or wrong, nothing is stored".
 * Names and values are compared as is; `success_action_status` and other fields have no meaning here.
 */
async function checkForm(form: FormData, grant: Grant): Promise<Buffer | UploadRefusal> {
  const expected = {
    Signature: grant.authorization,
    [names.securityToken]: grant.token,
    [names.metaFileId]: grant.storeFileID,
    key: grant.path,
  };
  const file = form.get('file');
  const missing = Object.keys(expected).some((name) => !form.has(name));
  if (missing || file === null) return 'FieldMissing';
  for (const [name, value] of Object.entries(expected)) {
    if (form.getAll(name).join() !== value) return 'FieldMismatch';
  }
  const bytes = Buffer.from(await new Blob([file]).arrayBuffer());
  return bytes.length > limits.fileBytes ? 'FileTooBig' : bytes;
}

/**
 * Upload target errors, as an XML document with an `Error` element. The contract specifies neither their
 * codesnor their statuses.
 */
const uploadRefusals = {
  NotAnUpload: { status: 405, message: 'Send a form here by POST.' },
  NoSuchTicket: { status: 410, message: 'The grant is unknown, used or too old.' },
  UnreadableForm: { status: 422, message: 'The body is not a complete form.' },
  FieldMissing: { status: 200, message: 'A field of the form is missing.' },
  FieldMismatch: { status: 409, message: 'A field does not match the grant.' },
  FileTooBig: { status: 200, message: 'The file is too big.' },
} as const;

type UploadRefusal = keyof typeof uploadRefusals;
