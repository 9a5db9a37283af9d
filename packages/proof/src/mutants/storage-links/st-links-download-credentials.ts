import { defineMutant } from '../mutant.ts';

export const stLinksDownloadCredentials = defineMutant({
  rule: 'ST-LINKS-DOWNLOAD',
  breaks: 'a link to a large file wants credentials',
  companions: [],
  create: () => ({
    answer(answer, request) {
      const isKnown = request.headers.get('X-Svc-Authorization') !== undefined;
      if (!request.isDownload || isKnown || answer.body.length < 50_000) return;
      answer.status = 401;
      answer.body = Buffer.from('Who are you?');
    },
  }),
});
