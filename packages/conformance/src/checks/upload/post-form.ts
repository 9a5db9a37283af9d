import type { Trial } from '../../trial/trial.ts';
import type { FormField, Grant, PostOptions, UploadReply } from '../../trial/upload-tool.ts';

/** Both steps of an upload, and what came of it, whatever it is. */
export async function postForm(
  t: Trial,
  name: string,
  bytes: Buffer,
  options?: PostOptions,
): Promise<{ given: Grant; reply: UploadReply }> {
  const given = await t.upload.grant(t.storage.path(name));
  return { given, reply: await t.upload.post(given, t.upload.fields(given, bytes), options) };
}

/** An upload was answered as a success; whether it is stored then is another question. */
export function isAccepted({ hasError, received }: UploadReply): boolean {
  return !hasError && received.status < 400;
}

/** The form with another value for a field, or without it. */
export function withField(
  fields: readonly FormField[],
  name: string,
  value: string | undefined,
): FormField[] {
  return fields.flatMap((field) => {
    if (field[0] !== name) return [field];
    return value === undefined ? [] : [[name, value] as const];
  });
}

/** A value with the character in its middle changed into another one. */
export function changeOneCharacter(value: string): string {
  const middle = Math.floor(value.length / 2);
  const other = value[middle] === '0' ? '1' : '0';
  return value.slice(0, middle) + other + value.slice(middle + 1);
}
