import type { RequestForm } from './request-form.ts';

/** The body of a storage request whose fields are given. */
export function toForm(fields: unknown, form: RequestForm): unknown {
  return form === 'data' ? { data: fields } : fields;
}
