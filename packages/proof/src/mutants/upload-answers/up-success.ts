import { defineMutant } from '../mutant.ts';
import { readForm } from '../support/forms.ts';
import { seesItems } from '../support/sees-items.ts';

export const upSuccess = defineMutant({
  rule: 'UP-SUCCESS',
  breaks: 'an empty file is stored, and answered with an Error',
  companions: [],
  create: () => ({
    ...seesItems,
    answer(answer, request) {
      if (!request.isUpload || answer.status >= 400) return;
      if (readForm(request).get('file')?.length !== 0) return;
      answer.status = 200;
      answer.body = Buffer.from('<Error><Code>EmptyFile</Code></Error>');
    },
  }),
});
