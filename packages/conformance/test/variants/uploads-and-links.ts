import { setStatus } from '../mutants/support/gateway.ts';
import { metadata } from '../mutants/support/storage.ts';
import { afterUpload } from '../mutants/support/uploads.ts';
import { type Hooks, type MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import { allow, oneOf, type Variant } from './variant.ts';

const XML = 'application/xml';

/** Replaces the response to a successful upload. */
const stored = (status: number, body = '', headers: Record<string, string> = {}) =>
  afterUpload((response) => {
    response.status = status;
    response.body = Buffer.from(body);
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  });

const ofUploadErrors = (change: (response: MutatedResponse, code: string) => void): Hooks => ({
  response(response, { isUpload }) {
    const [, code] = /<Code>(.*?)<\/Code>/.exec(response.body.toString()) ?? [];
    if (isUpload && code !== undefined) change(response, code);
  },
});

const ofDownloads = (
  change: (response: MutatedResponse, request: MutatedRequest) => void,
): Hooks => ({
  response(response, request) {
    if (request.isDownload) change(response, request);
  },
});

const HOP = /&hop=(\d)$/;

/** Redirects links this many times. */
const redirecting = (
  status: number,
  hops: number,
  toLocation: (target: string) => string,
): Hooks => ({
  streamsRequests: true,
  request(request) {
    if (!request.isDownload) return;
    const done = Number(HOP.exec(request.target)?.[1] ?? 0);
    request.target = request.target.replace(HOP, '');
    if (done >= hops) return;
    const next = `${request.target}&hop=${done + 1}`;
    return new MutatedResponse(status, { Location: toLocation(next) }, '<a href="/">moved</a>');
  },
});

const linkErrors = (status: number) =>
  ofDownloads((response) => {
    if (response.status < 400) return;
    response.status = status;
    response.headers.set('Content-Type', 'text/html');
    response.body = Buffer.from('<html>gone</html>');
  });

/** Permitted variations in upload targets and links. */
export const uploadsAndLinks: readonly Variant[] = [
  ...allow('D2: it is used verbatim', {
    'the URL of uploads has another path and a query': {
      ...metadata((data) => {
        const { origin, pathname, search } = new URL(data.url);
        const own = Buffer.from(pathname + search).toString('base64url');
        data.url = `${origin}/bucket-7/a%2Fb//form.cgi?uploads&x=%20y&x=+&own=${own}`;
      }),
      request(request) {
        const [, own] = /^\/bucket-7\/.*&own=([\w-]+)$/.exec(request.target) ?? [];
        if (request.isUpload && own) request.target = Buffer.from(own, 'base64url').toString();
      },
    },
  }),
  ...oneOf('success', 'D27: status and body of success are our default', {
    'an upload gets 201 and the document of an object store': stored(
      201,
      '<?xml version="1.0"?>\n<PostResponse><Location>http://x/Errors</Location><Bucket>x</Bucket><Key>Errors</Key><ETag>"1"</ETag></PostResponse>',
      { 'Content-Type': XML },
    ),
  }),
  ...oneOf(
    'status of upload errors',
    'Upload: only the Error element marks an error; D27: statuses are ours',
    {
      'upload errors have 200': ofUploadErrors(setStatus(200)),
    },
  ),
  ...oneOf('redirects', 'D23: a link may redirect (RFC 9110, section 15.4)', {
    'links redirect with 307 to another port': ({ toServer }) =>
      redirecting(307, 1, (target) => toServer(target) + target.replace(HOP, '')),
  }),
  ...oneOf('errors of links', 'D30: they stop working; D22: 403 is our default', {
    'invalid links return 404': linkErrors(404),
  }),
  ...oneOf('headers of downloads', 'Stored file: attributes are not specified', {
    'downloads have other headers': ofDownloads(({ headers }) => {
      headers.set('Content-Type', 'binary/octet-stream');
      headers.set('Content-Disposition', 'attachment; filename="x"');
      headers.set('Cache-Control', 'private, max-age=60');
      headers.set('ETag', 'W/"1"');
    }),
  }),
];
