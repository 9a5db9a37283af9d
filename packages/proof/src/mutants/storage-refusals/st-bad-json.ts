import { defineMutant } from '../mutant.ts';

export const stBadJson = defineMutant({
  rule: 'ST-BAD-JSON',
  breaks: 'what stands after the end of the JSON is ignored',
  companions: [],
  create: () => ({
    request(request) {
      const text = request.body.toString();
      const end = text.lastIndexOf('}') + 1;
      if (request.operation === undefined || end === 0 || request.json !== undefined) return;
      request.body = Buffer.from(text.slice(0, end));
    },
  }),
});
