import { createServer, type IncomingMessage, type Server } from 'node:http';
import { limits, makeOpaque, names, Refusal, readBody } from './common.ts';

interface Grant {
  path: string;
  authorization: string;
  token: string;
  storeFileID: string;
  expires: number;
}

const seconds = () => Math.floor(Date.now() / 1000);

/** Files by their cloud path, which has no leading `/`, their IDs, upload grants and links, in memory. */
export class Objects {
  readonly contents = new Map<string, Buffer>();
  readonly #paths = new Map<string, string>();
  readonly grants = new Map<string, Grant>();
  readonly links = new Map<string, { path: string; content: Buffer | undefined; last: number }>();
  /** How often a file was written or removed. */
  writes = 0;

  /** Returns a new ID for a path. */
  nameOf(path: string): string {
    const id = makeOpaque('f_');
    this.#paths.set(id, path);
    return id;
  }

  find(id: string): string | undefined {
    const path = this.#paths.get(id);
    return path !== undefined && this.contents.has(path) ? path : undefined;
  }

  write(path: string, content: Buffer): void {
    this.writes += 1;
    this.contents.set(path, content);
  }

  forgetIds(path: string): void {
    for (const [id, named] of this.#paths) if (named === path) this.#paths.delete(id);
  }

  remove(path: string): void {
    this.writes += 1;
    this.contents.delete(path);
  }

  /** Issues a grant for one upload, and the path and query of the target, which clients keep (D2). */
  grant(path: string): Grant & { target: string } {
    const grant = {
      path,
      authorization: `v=2&sig=${makeOpaque('')}; for "upload"`,
      token: makeOpaque('t/+='),
      storeFileID: makeOpaque('meta '),
      expires: seconds() + limits.grantSeconds,
    };
    const target = `/${makeOpaque('in/')}?ticket=${makeOpaque('%2F')}&part`;
    this.grants.set(target, grant);
    return { ...grant, target };
  }

  /**
   * Returns path and query of a link that is valid for this many seconds, and at most one more. It contains the file
   * name unencoded, so callers have to encode it once (D23). Like a cache, it keeps a file that is deleted.
   */
  link(path: string, maxAge = limits.linkSeconds): string {
    const target = `/?t=${makeOpaque('')}&as=the file ${path.split('/').at(-1)}`;
    const last = seconds() + Math.ceil(maxAge);
    this.links.set(encodeURI(target), { path, content: this.contents.get(path), last });
    return target;
  }
}

export function createObjectServer(objects: Objects): Server {
  return createServer(async (request, response) => {
    const { method, url = '' } = request;
    const send = (status: number, type: string, body: Buffer | string) =>
      response.writeHead(status, { 'Content-Type': type, Connection: 'close' }).end(body);
    const link = objects.links.get(url);
    // A link works with GET only, and has no ranges, no `ETag` and no meaningful type.
    if (link && (method !== 'GET' || seconds() > link.last)) return send(410, 'text/plain', 'gone');
    if (link) {
      const content = objects.contents.get(link.path) ?? link.content ?? '';
      return send(200, 'binary/octet-stream', content);
    }
    try {
      const tooBig = new Refusal(200, 'FileTooBig');
      const body = await readBody(request, limits.fileBytes, tooBig);
      await upload(request, body, objects);
      // A success is a 200 with two letters: no XML, no `ETag`, no `Location`.
      send(200, 'text/plain', 'ok');
    } catch (error) {
      if (!(error instanceof Refusal)) return response.destroy();
      const { status, code, message } = error;
      const xml = `<Error><Message>${message}</Message><Code>${code}</Code></Error>`;
      send(status, 'text/xml', `<?xml version='1.0' encoding='utf-8'?>\n${xml}`);
    }
  });
}

/**
 * Stores the file from a complete form. A form with a missing or wrong field stores nothing and gets an XML `Error`
 * (D30); the contract specifies neither codes nor statuses. Names and values are compared as is;
 * `success_action_status` and other fields have no meaning here.
 */
async function upload(call: IncomingMessage, body: Buffer, objects: Objects): Promise<void> {
  const { method, url = '', headers } = call;
  if (method !== 'POST') throw new Refusal(405, 'NotAnUpload');
  const grant = objects.grants.get(url);
  if (!grant || grant.expires < seconds()) throw new Refusal(410, 'NoSuchTicket');
  const type = headers['content-type'] ?? '';
  const message = new Response(Uint8Array.from(body), { headers: { 'Content-Type': type } });
  const form = await message.formData().catch(() => undefined);
  if (!form || !/^multipart\/form-data/i.test(type)) throw new Refusal(422, 'UnreadableForm');
  const expected = {
    Signature: grant.authorization,
    [names.securityToken]: grant.token,
    [names.metaFileId]: grant.storeFileID,
    key: grant.path,
  };
  const file = form.get('file');
  if (file === null || Object.keys(expected).some((name) => !form.has(name))) {
    throw new Refusal(200, 'FieldMissing');
  }
  for (const [name, value] of Object.entries(expected)) {
    if (form.getAll(name).join() !== value) throw new Refusal(409, 'FieldMismatch');
  }
  const bytes = Buffer.from(await new Blob([file]).arrayBuffer());
  objects.write(grant.path, bytes);
  objects.grants.delete(url);
}
