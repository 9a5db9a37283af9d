import { defineMutant } from '../mutant.ts';

export const gwC2ParametersOther = defineMutant({
  rule: 'GW-C2-PARAMETERS',
  breaks: 'a type counts as text where a parameter names a text type',
  companions: ['GW-C2-NOT-TEXT'],
  create: () => ({
    answer({ headers }, { isGateway, method }) {
      const type = headers.get('content-type') ?? '';
      if (!isGateway || method !== 'POST' || !/;.*(application\/json|text\/plain)/.test(type))
        return;
      headers.remove('Content-Disposition');
    },
  }),
});
