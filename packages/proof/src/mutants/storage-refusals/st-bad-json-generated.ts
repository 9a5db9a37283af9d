import { defineMutant } from '../mutant.ts';

export const stBadJsonGenerated = defineMutant({
  rule: 'ST-BAD-JSON',
  breaks: 'a comma too many is forgiven',
  companions: [],
  create: () => ({
    request(request) {
      const { operation, json, body } = request;
      if (operation === undefined || json !== undefined) return;
      request.body = Buffer.from(body.toString().replace(/,\s*(?=[,}\]])/g, ''));
    },
  }),
});
