import { MutatedAnswer } from '../../proxy/messages.ts';
import { defineMutant } from '../mutant.ts';
import { readForm } from '../support/forms.ts';

export const upSuccessLost = defineMutant({
  rule: 'UP-SUCCESS',
  breaks: 'an empty file is answered as a success, and not stored',
  companions: [],
  create: () => ({
    request(request) {
      const isEmpty = request.isUpload && readForm(request).get('file')?.length === 0;
      return isEmpty ? new MutatedAnswer(204) : undefined;
    },
  }),
});
