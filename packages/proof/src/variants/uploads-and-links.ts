import { setStatus } from '../mutants/support/gateway.ts';
import { isOk, links, metadata, readsRequests } from '../mutants/support/storage.ts';
import { afterUpload, readForm, writeForm } from '../mutants/support/uploads.ts';
import { type Hooks, type MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import { type Variant, variant } from './variant.ts';

const XML = 'application/xml';

/** Replaces the response to a successful upload. */
const stored = (status: number, body = '', headers: Record<string, string> = {}) =>
  afterUpload((response) => {
    response.status = status;
    response.body = Buffer.from(body);
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  });

const ofUploadErrors = (change: (response: MutatedResponse, code: string) => void): Hooks => ({
  ...readsRequests,
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
  variant(
    'grants are long and have additional fields',
    'Upload metadata: strings; D30: responses are open',
    () => {
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
  ),
  variant('the URL of uploads has another path and a query', 'D2: it is used verbatim', {
    ...metadata((data) => {
      const { origin, pathname, search } = new URL(data.url);
      const own = Buffer.from(pathname + search).toString('base64url');
      data.url = `${origin}/bucket-7/a%2Fb//form.cgi?uploads&x=%20y&x=+&own=${own}`;
    }),
    request(request) {
      const [, own] = /^\/bucket-7\/.*&own=([\w-]+)$/.exec(request.target) ?? [];
      if (request.isUpload && own) request.target = Buffer.from(own, 'base64url').toString();
    },
  }),
  variant(
    'an upload gets 200 without a body',
    'D27: status and body of success are our default',
    stored(200),
    { aspect: 'success' },
  ),
  variant(
    'an upload gets 201 and XML',
    'D27: status and body of success are our default',
    stored(
      201,
      '<?xml version="1.0"?>\n<PostResponse><Location>http://x/</Location><Key>Errors</Key></PostResponse>',
      { 'Content-Type': XML },
    ),
    { aspect: 'success' },
  ),
  variant(
    'an upload gets 303',
    'Upload: a success carries no Error element; D27: its status is our default',
    stored(303, '', { Location: 'https://app.example/done' }),
    { aspect: 'success' },
  ),
  variant(
    'the ETag of an upload is not an MD5',
    'D27: the ETag is our default',
    afterUpload(({ headers }) => headers.set('ETag', '"1f-7"')),
    { aspect: 'ETag' },
  ),
  variant(
    'an upload has neither ETag nor Location',
    'D27: both are our default',
    afterUpload(({ headers }) => {
      headers.remove('ETag');
      headers.remove('Location');
    }),
    { aspect: 'ETag' },
  ),
  ...(
    [
      [200, 'Upload: only the Error element marks an error; D27: statuses are ours'],
      [400, 'D27: statuses are ours'],
      [401, 'D27: statuses are ours'],
    ] as const
  ).map(([status, allowed]) =>
    variant(`upload errors have ${status}`, allowed, ofUploadErrors(setStatus(status)), {
      aspect: 'status of upload errors',
    }),
  ),
  variant(
    'upload errors have a namespace and a declaration',
    'Upload: an XML document that has an Error element',
    errorXml(
      'text/xml; charset=utf-8',
      (code) =>
        `<?xml version='1.0' encoding='UTF-8' standalone='yes'?>\n<!-- no -->\n<s:Error xmlns:s="urn:x">\n  <s:Code>${code}</s:Code>\n</s:Error>\n`,
    ),
    { aspect: 'XML' },
  ),
  variant(
    'upload errors are inside another element',
    'Upload: an XML document that has an Error element',
    errorXml(
      XML,
      (code) =>
        `\uFEFF<Response><Errors>\n<Error\n code="${code}"><Reason>no</Reason></Error></Errors></Response>`,
    ),
    { aspect: 'XML' },
  ),
  variant(
    'upload errors are one empty element',
    'Upload: an XML document that has an Error element; D27: its children are our default',
    errorXml('application/xml', (code) => `<Error code='${code}' />`),
    { aspect: 'XML' },
  ),
  variant('links have another path', 'D23: the form of a link is ours', {
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
  }),
  variant(
    'links redirect with 302 to a relative URL',
    'D23: a link may redirect (RFC 9110, section 15.4)',
    redirecting(302, 1, (target) => target),
    { aspect: 'redirects' },
  ),
  variant(
    'links redirect with 307 to another port',
    'D23: a link may redirect (RFC 9110, section 15.4)',
    ({ toServer }) => redirecting(307, 1, (target) => toServer(target) + target.replace(HOP, '')),
    { aspect: 'redirects' },
  ),
  variant(
    'links redirect three times, with 308',
    'D23: a link may redirect (RFC 9110, section 15.4)',
    ({ publicUrl }) => redirecting(308, 3, (target) => publicUrl + target),
    { aspect: 'redirects' },
  ),
  ...[404, 410, 401].map((status) =>
    variant(
      `invalid links return ${status}`,
      'D30: they stop working; D22: 403 is our default',
      linkErrors(status),
      { aspect: 'errors of links' },
    ),
  ),
  variant(
    'downloads lack the headers of the reference server',
    'Stored file: attributes are not specified',
    ofDownloads(({ headers }) => {
      for (const name of [
        'Content-Disposition',
        'ETag',
        'Last-Modified',
        'Accept-Ranges',
        'Cache-Control',
      ])
        headers.remove(name);
    }),
    { aspect: 'headers of downloads' },
  ),
  variant(
    'downloads have other headers',
    'Stored file: attributes are not specified',
    ofDownloads(({ headers }) => {
      headers.set('Content-Type', 'binary/octet-stream');
      headers.set('Content-Disposition', 'attachment; filename="x"');
      headers.set('Cache-Control', 'private, max-age=60');
      headers.set('ETag', 'W/"1"');
    }),
    { aspect: 'headers of downloads' },
  ),
  variant(
    'the download of an empty file has 204',
    'RFC 9110, section 15.3.5: no content',
    ofDownloads((response, { target }) => {
      if (response.status === 200 && response.body.length === 0 && target) response.status = 204;
    }),
  ),
  variant(
    'a download has 203',
    'RFC 9110, section 15.3.4: from a proxy',
    ofDownloads((response) => {
      if (response.status === 200) response.status = 203;
    }),
  ),
];
