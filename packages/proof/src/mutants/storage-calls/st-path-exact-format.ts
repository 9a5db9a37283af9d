import { defineMutant } from '../mutant.ts';

export const stPathExactFormat = defineMutant({
  rule: 'ST-PATH-EXACT',
  breaks: 'the name of an operation may have an ending',
  companions: [],
  create: () => ({
    request(request) {
      request.target = request.target.replace(/(?<=storages:\w+)\.json$/, '');
    },
  }),
});
