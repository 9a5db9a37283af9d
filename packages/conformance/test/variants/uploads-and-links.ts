import { entries, isOk, LINKS } from '../mutants/hooks/storage.ts';
import { afterUpload } from '../mutants/hooks/uploads.ts';
import { type Hooks, MutatedResponse } from '../proxy/messages.ts';
import type { Variants } from './combine.ts';

const DOCUMENT =
  '<PostResponse><Location>http://x/Errors</Location><Bucket>x</Bucket><Key>Errors</Key><ETag>"1"</ETag></PostResponse>';

const downloads = (change: (response: MutatedResponse) => void): Hooks => ({
  response: (response, { isDownload }) => (isDownload ? change(response) : undefined),
});

export const uploadsAndLinks: Variants = {
  // D27: status and body of success are our default.
  'an upload gets 201 and the document of an object store': afterUpload((response) => {
    response.status = 201;
    response.body = Buffer.from(`<?xml version="1.0"?>\n${DOCUMENT}`);
    response.headers.set('Content-Type', 'application/xml');
  }),
  // D23: a link may redirect (RFC 9110, section 15.4).
  'links redirect with 307 to another port': ({ server }) => ({
    request({ isDownload, target }) {
      if (!isDownload) return;
      const Location = `${server}${target}`;
      return new MutatedResponse(307, { Location }, '<a href="/">moved</a>');
    },
  }),
  // D23: the contract gives a link no format; who follows it sends it as it is.
  'links have a quotation mark in their query': {
    ...entries(LINKS, isOk, (entry) => {
      entry.tempFileURL += `${entry.tempFileURL.includes('?') ? '&' : '?'}name='a'`;
    }),
    request({ isDownload, target }) {
      return isDownload && !target.includes("name='a'") ? new MutatedResponse(403) : undefined;
    },
  },
  // D30: they stop working; D22: 403 is our default.
  'invalid links return 404': downloads((response) => {
    if (response.status < 400) return;
    response.status = 404;
    response.headers.set('Content-Type', 'text/html');
    response.body = Buffer.from('<html>gone</html>');
  }),
  // Stored file: attributes are not specified.
  'downloads have other headers': downloads(({ headers }) => {
    headers.set('Content-Type', 'binary/octet-stream');
    headers.set('Content-Disposition', 'attachment; filename="x"');
    headers.set('Cache-Control', 'private, max-age=60');
    headers.set('ETag', 'W/"1"');
  }),
};
