import { defineMutant } from '../mutant.ts';

export const gwQueryRaw = defineMutant({
  rule: 'GW-QUERY-RAW',
  breaks: 'the parameters of a query are sorted by name',
  companions: [],
  create: () => ({
    request(request) {
      if (!request.isGateway || request.query === '') return;
      const nameOf = (pair: string) => pair.split('=', 1)[0] ?? '';
      const pairs = request.query.split('&');
      const sorted = pairs.toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)));
      request.target = `${request.path}?${sorted.join('&')}`;
    },
  }),
});
