import { setStatus } from '../mutants/support/gateway.ts';
import { isOk, links, metadata } from '../mutants/support/storage.ts';
import { afterUpload, readForm, writeForm } from '../mutants/support/uploads.ts';
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
const errorXml = (type: string, write: (code: string) => string) =>
  ofUploadErrors((response, code) => {
    response.headers.set('Content-Type', type);
    response.body = Buffer.from(write(code));
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

const BEFORE = `q-sign-algorithm=sha1&q-ak=${'A'.repeat(700)}&q-signature=`;
const AFTER = '&end==';

/** Permitted variations in upload targets and links. */
export const uploadsAndLinks: readonly Variant[] = [
  ...allow('Upload metadata: strings; D30: responses are open', {
    'grants are long and have additional fields': () => {
      const FIELDS = ['Signature', 'x-store-security-token', 'x-store-meta-fileid'];
      const wrap = (value: string) => BEFORE + value + AFTER;
      return {
        ...metadata((data) => {
          for (const name of ['authorization', 'token', 'storeFileID'])
            data[name] = wrap(data[name]);
          Object.assign(data, { bucket: 'b', expiresAt: 1, headers: {} });
        }),
        request(request) {
          if (!request.isUpload) return;
          const form = readForm(request);
          for (const name of FIELDS) {
            const value = form.get(name)?.toString();
            if (value?.startsWith(BEFORE) && value.endsWith(AFTER))
              form.set(name, Buffer.from(value.slice(BEFORE.length, -AFTER.length)));
          }
          if (form.size > 0) writeForm(request, form);
        },
      };
    },
  }),
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
    'an upload gets 200 without a body': stored(200),
    'an upload gets 201 and XML': stored(
      201,
      '<?xml version="1.0"?>\n<PostResponse><Location>http://x/</Location><Key>Errors</Key></PostResponse>',
      { 'Content-Type': XML },
    ),
  }),
  ...oneOf(
    'success',
    'Upload: a success carries no Error element; D27: its status is our default',
    {
      'an upload gets 303': stored(303, '', { Location: 'https://app.example/done' }),
    },
  ),
  ...oneOf('ETag', 'D27: the ETag is our default', {
    'the ETag of an upload is not an MD5': afterUpload(({ headers }) =>
      headers.set('ETag', '"1f-7"'),
    ),
  }),
  ...oneOf('ETag', 'D27: both are our default', {
    'an upload has neither ETag nor Location': afterUpload(({ headers }) => {
      headers.remove('ETag');
      headers.remove('Location');
    }),
  }),
  ...oneOf(
    'status of upload errors',
    'Upload: only the Error element marks an error; D27: statuses are ours',
    {
      'upload errors have 200': ofUploadErrors(setStatus(200)),
      'upload errors have 400': ofUploadErrors(setStatus(400)),
      'upload errors have 401': ofUploadErrors(setStatus(401)),
    },
  ),
  ...oneOf('XML', 'Upload: an XML document that has an Error element', {
    'upload errors have a namespace and a declaration': errorXml(
      'text/xml; charset=utf-8',
      (code) =>
        `<?xml version='1.0' encoding='UTF-8' standalone='yes'?>\n<!-- no -->\n<s:Error xmlns:s="urn:x">\n  <s:Code>${code}</s:Code>\n</s:Error>\n`,
    ),
    'upload errors are inside another element': errorXml(
      XML,
      (code) =>
        `\uFEFF<Response><Errors>\n<Error\n code="${code}"><Reason>no</Reason></Error></Errors></Response>`,
    ),
  }),
  ...oneOf(
    'XML',
    'Upload: an XML document that has an Error element; D27: its children are our default',
    {
      'upload errors are one empty element': errorXml(
        'application/xml',
        (code) => `<Error code='${code}' />`,
      ),
    },
  ),
  ...allow('D23: the form of a link is ours', {
    'links have another path': {
      ...links(isOk, (entry) => {
        const { origin, pathname, search } = new URL(entry.tempFileURL);
        const coded = Buffer.from(pathname + search).toString('base64url');
        entry.tempFileURL = `${origin}/dl;v=9/${coded}/file (1).txt?x=1`;
      }),
      request(request) {
        const [, coded] = /^\/dl;v=9\/([\w-]+)\/file/.exec(request.target) ?? [];
        if (coded)
          request.target =
            Buffer.from(coded, 'base64url').toString() + (HOP.exec(request.target)?.[0] ?? '');
      },
    },
  }),
  ...oneOf('redirects', 'D23: a link may redirect (RFC 9110, section 15.4)', {
    'links redirect with 302 to a relative URL': redirecting(302, 1, (target) => target),
    'links redirect with 307 to another port': ({ toServer }) =>
      redirecting(307, 1, (target) => toServer(target) + target.replace(HOP, '')),
    'links redirect three times, with 308': ({ publicUrl }) =>
      redirecting(308, 3, (target) => publicUrl + target),
  }),
  ...oneOf('errors of links', 'D30: they stop working; D22: 403 is our default', {
    'invalid links return 404': linkErrors(404),
    'invalid links return 410': linkErrors(410),
    'invalid links return 401': linkErrors(401),
  }),
  ...oneOf('headers of downloads', 'Stored file: attributes are not specified', {
    'downloads lack the headers of the reference server': ofDownloads(({ headers }) => {
      for (const name of [
        'Content-Disposition',
        'ETag',
        'Last-Modified',
        'Accept-Ranges',
        'Cache-Control',
      ])
        headers.remove(name);
    }),
    'downloads have other headers': ofDownloads(({ headers }) => {
      headers.set('Content-Type', 'binary/octet-stream');
      headers.set('Content-Disposition', 'attachment; filename="x"');
      headers.set('Cache-Control', 'private, max-age=60');
      headers.set('ETag', 'W/"1"');
    }),
  }),
  ...allow('RFC 9110, section 15.3.5: no content', {
    'the download of an empty file has 204': ofDownloads((response, { target }) => {
      if (response.status === 200 && response.body.length === 0 && target) response.status = 204;
    }),
  }),
  ...allow('RFC 9110, section 15.3.4: from a proxy', {
    'a download has 203': ofDownloads((response) => {
      if (response.status === 200) response.status = 203;
    }),
  }),
];
