import { defineMutant } from '../mutant.ts';
import { readForm } from '../support/forms.ts';
import { seesItems } from '../support/sees-items.ts';

export const upErrorEmpty = defineMutant({
  rule: 'UP-ERROR',
  breaks: 'a form without a key is refused without a body',
  companions: [],
  create: () => ({
    ...seesItems,
    answer(answer, request) {
      if (!request.isUpload || answer.status < 400 || readForm(request).has('key')) return;
      answer.body = Buffer.alloc(0);
    },
  }),
});
