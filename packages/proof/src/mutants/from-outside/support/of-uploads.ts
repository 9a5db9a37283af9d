import type { Hooks, MutatedAnswer } from '../../../proxy/messages.ts';
import { type Form, readForm } from '../../support/forms.ts';
import { seesItems } from '../../support/sees-items.ts';
import { plainPath } from './plain-path.ts';

/** Acts after an upload that went well. */
export function ofStored(change: (answer: MutatedAnswer, form: Form) => unknown): Hooks {
  return {
    ...seesItems,
    async answer(answer, request) {
      if (request.isUpload && answer.status < 300) await change(answer, readForm(request));
    },
  };
}

/** The path that a form stores its file at. */
export function keyOf(form: Form): string {
  return plainPath(form.get('key'));
}
