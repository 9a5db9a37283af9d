import { defineMutant } from '../mutant.ts';

export const gwNamePatternGenerated = defineMutant({
  rule: 'GW-NAME-PATTERN',
  breaks: 'a name with a semicolon is called',
  companions: [],
  create: () => ({
    request(request) {
      if (!request.service?.includes(';')) return;
      request.target = '/v1/cloudrun/conformance';
    },
  }),
});
