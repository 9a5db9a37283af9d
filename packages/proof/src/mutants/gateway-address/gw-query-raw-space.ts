import { defineMutant } from '../mutant.ts';

export const gwQueryRawSpace = defineMutant({
  rule: 'GW-QUERY-RAW',
  breaks: 'a plus in the query of a POST becomes %20',
  companions: [],
  create: () => ({
    request(request) {
      if (!request.isGateway || request.method !== 'POST' || request.query === '') return;
      request.target = `${request.path}?${request.query.replaceAll('+', '%20')}`;
    },
  }),
});
