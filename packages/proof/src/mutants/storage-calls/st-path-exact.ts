import { defineMutant } from '../mutant.ts';

export const stPathExact = defineMutant({
  rule: 'ST-PATH-EXACT',
  breaks: 'what stands after the name of an operation is ignored',
  companions: [],
  create: () => ({
    request(request) {
      request.target = request.target.replace(/(?<=storages:batchDelete)[A-Z]\w*$/, '');
    },
  }),
});
