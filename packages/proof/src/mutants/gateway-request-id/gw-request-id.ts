import { defineMutant } from '../mutant.ts';

export const gwRequestId = defineMutant({
  rule: 'GW-REQUEST-ID',
  breaks: 'a redirect of the service carries no X-Request-Id',
  companions: [],
  create: () => ({
    answer({ status, headers }, { isGateway }) {
      if (isGateway && status === 302) headers.remove('X-Request-Id');
    },
  }),
});
