import { defineMutant } from '../mutant.ts';

export const gwEnvHost = defineMutant({
  rule: 'GW-ENV-HOST',
  breaks: 'every host is taken for that of the environment',
  companions: [],
  create: ({ env }) => ({
    request(request) {
      if (request.isGateway) request.headers.set('Host', `${env}.gateway.example`);
    },
  }),
});
