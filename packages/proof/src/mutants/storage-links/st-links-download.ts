import { MutatedAnswer } from '../../proxy/messages.ts';
import { defineMutant } from '../mutant.ts';

export const stLinksDownload = defineMutant({
  rule: 'ST-LINKS-DOWNLOAD',
  breaks: 'a link works once',
  companions: ['UP-BROKEN'],
  create: () => {
    const used = new Set<string>();
    return {
      request(request) {
        if (!request.isDownload) return;
        if (used.has(request.target)) return new MutatedAnswer(410, {}, 'used');
        used.add(request.target);
      },
    };
  },
});
