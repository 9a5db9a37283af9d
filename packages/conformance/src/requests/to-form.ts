import type { RequestForm } from './request-form.ts';

/** The body of a storage request whose fields are given. */
export function toForm(fields: object, form: RequestForm): object {
  return form === 'data' ? { data: fields } : fields;
}
