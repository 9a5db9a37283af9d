import { defineMutant } from '../mutant.ts';

export const upError = defineMutant({
  rule: 'UP-ERROR',
  breaks: 'a form that is refused is answered with JSON',
  companions: [],
  create: () => ({
    answer(answer, { isUpload }) {
      if (!isUpload || answer.status < 400) return;
      answer.headers.set('Content-Type', 'application/json');
      answer.body = Buffer.from('{"code":"AccessDenied"}');
    },
  }),
});
