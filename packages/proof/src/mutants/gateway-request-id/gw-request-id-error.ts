import { defineMutant } from '../mutant.ts';

export const gwRequestIdError = defineMutant({
  rule: 'GW-REQUEST-ID',
  breaks: 'the error of a bad name carries no X-Request-Id',
  companions: [],
  create: () => ({
    answer({ status, headers }, { isGateway }) {
      if (isGateway && status === 400) headers.remove('X-Request-Id');
    },
  }),
});
