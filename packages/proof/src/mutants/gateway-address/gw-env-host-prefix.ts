import { defineMutant } from '../mutant.ts';

export const gwEnvHostPrefix = defineMutant({
  rule: 'GW-ENV-HOST',
  breaks: 'a host that only begins like that of the environment is taken for it',
  companions: [],
  create: ({ env }) => ({
    request(request) {
      const host = request.headers.get('host') ?? '';
      if (!request.isGateway || !host.startsWith(`${env}-`)) return;
      request.headers.set('Host', `${env}.gateway.example`);
    },
  }),
});
