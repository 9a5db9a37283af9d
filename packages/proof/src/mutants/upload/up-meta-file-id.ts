import { defineMutant } from '../mutant.ts';
import { rememberGrants } from '../support/grants.ts';

export const upMetaFileId = defineMutant({
  rule: 'UP-META-FILE-ID',
  breaks: 'the meta file ID of a form is not looked at',
  companions: [],
  create: () => {
    const grants = rememberGrants();
    return {
      request: (request) => grants.repair(request, 'x-store-meta-fileid'),
      answer: grants.note,
    };
  },
});
