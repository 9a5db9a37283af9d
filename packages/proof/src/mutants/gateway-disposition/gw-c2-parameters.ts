import { defineMutant } from '../mutant.ts';

export const gwC2Parameters = defineMutant({
  rule: 'GW-C2-PARAMETERS',
  breaks: 'JSON with a charset counts as no text type',
  companions: [],
  create: () => ({
    answer({ headers }, { isGateway, method }) {
      const type = headers.get('content-type') ?? '';
      if (!isGateway || method !== 'POST' || !/^application\/json;/.test(type)) return;
      headers.set('Content-Disposition', 'attachment');
    },
  }),
});
