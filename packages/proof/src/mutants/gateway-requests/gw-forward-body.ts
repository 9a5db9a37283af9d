import { defineMutant } from '../mutant.ts';

export const gwForwardBody = defineMutant({
  rule: 'GW-FORWARD-BODY',
  breaks: 'white space around a posted object is cut',
  companions: [],
  create: () => ({
    request(request) {
      if (!request.isGateway || !/^\s/.test(request.body.toString('latin1', 0, 1))) return;
      request.body = Buffer.from(request.body.toString().trim());
    },
  }),
});
