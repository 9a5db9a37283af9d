import type { MutatedAnswer, MutatedRequest } from '../../proxy/messages.ts';
import { type Form, readForm, writeForm } from './forms.ts';

/** The right values of the form fields, by their names. */
type Grant = Record<string, string>;

export interface GrantMemory {
  /** For the `answer` hook: remembers what step 1 gave out. */
  note(answer: MutatedAnswer, request: MutatedRequest): void;
  /**
   * For the `request` hook: puts the right value where a field is wrong and the others are right.
   *
   * @param isRepaired gets the wrong value, and those of all grants so far
   */
  repair(
    request: MutatedRequest,
    field: string,
    isRepaired?: (value: string | undefined, known: string[]) => boolean,
  ): void;
  /** The grant whose `Signature` a form has. */
  find(form: Form): Grant | undefined;
}

/** Remembers grants, so that a mutant can let wrong forms in. */
export function rememberGrants(): GrantMemory {
  const grants: Grant[] = [];
  const matches = (form: Form, grant: Grant, names: string[]) =>
    names.every((name) => form.get(name)?.toString() === grant[name]);
  return {
    note(answer, request) {
      const data = answer.json?.body?.data;
      if (request.operation !== 'getUploadMetaData' || !data) return;
      grants.push({
        Signature: data.authorization,
        'x-store-security-token': data.token,
        'x-store-meta-fileid': data.storeFileID,
        key: request.json.path,
      });
    },
    repair(request, field, isRepaired = () => true) {
      if (!request.isUpload) return;
      const form = readForm(request);
      const grant = grants.findLast((one) =>
        matches(
          form,
          one,
          Object.keys(one).filter((name) => name !== field),
        ),
      );
      const right = grant?.[field];
      const value = form.get(field)?.toString();
      const known = grants.map((one) => one[field] ?? '');
      if (right === undefined || value === right || !isRepaired(value, known)) return;
      const file = form.get('file') ?? Buffer.alloc(0);
      form.delete('file');
      form.set(field, Buffer.from(right)).set('file', file);
      writeForm(request, form);
    },
    find: (form) => grants.findLast((grant) => matches(form, grant, ['Signature'])),
  };
}
