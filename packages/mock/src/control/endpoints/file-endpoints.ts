import { toKey } from '../../files/file-path.ts';
import { ANSWERED, type ControlCall, type Endpoint } from '../endpoint.ts';
import { Problem } from '../problem.ts';

/** The stored files of a session. */
export const fileEndpoints: readonly Endpoint[] = [
  { method: 'GET', path: 'files', answer: ({ session }) => ({ files: session.files.list() }) },
  { method: 'GET', path: 'files/{path*}', answer: sendFile },
  {
    method: 'DELETE',
    path: 'files/{path*}',
    answer({ session, params: { path = '' } }) {
      if (!session.files.delete(path)) throw toMissing(path);
    },
  },
];

function sendFile({ context, session, params: { path = '' }, request, response }: ControlCall) {
  const file = context.sessions.get(session.id).files.get(toKey(path));
  if (file === undefined) throw toMissing(path);
  const bytes = file.content.bytes();
  response.writeHead(200, {
    'content-type': file.contentType,
    'content-length': bytes.length,
    etag: file.etag,
    // A stored page must not run where the control API takes its calls.
    'content-security-policy': "default-src 'none'; sandbox",
    'content-disposition': 'attachment',
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
  return ANSWERED;
}

function toMissing(path: string): Problem {
  return new Problem(404, `There is no file ${path} in this session.`, { field: 'path' });
}
