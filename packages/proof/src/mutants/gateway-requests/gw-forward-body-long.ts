import { defineMutant } from '../mutant.ts';

export const gwForwardBodyLong = defineMutant({
  rule: 'GW-FORWARD-BODY',
  breaks: 'a posted object of more than 65,536 bytes arrives cut',
  companions: [],
  create: () => ({
    request(request) {
      if (request.isGateway) request.body = request.body.subarray(0, 65_536);
    },
  }),
});
